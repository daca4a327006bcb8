"""Values that stand for what is known by name alone, or by what it was made of: a method, an annotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from typedtorch.shapes.proofs import Proofs
from typedtorch.shapes.tensor import UNKNOWN

if TYPE_CHECKING:
    from typedtorch.shapes.infer.annotations.specs import Spec
    from typedtorch.shapes.infer.classes.classes import ClassInfo

Value: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the program, by its public dotted name: ``torch.nn.functional.linear``."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassV:
    """A class of the program."""

    info: ClassInfo | Any


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a tensor, list, dict, string ... that is looked up by name when called."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """``functools.partial``, and transforms such as ``torch.vmap`` (``transform`` names it)."""

    function: Value
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)
    transform: str = "functools.partial"


@dataclass(frozen=True, slots=True)
class SuperV:
    """``super()`` inside a method."""

    owner: ClassInfo | Any
    receiver: Value


@dataclass(frozen=True, slots=True)
class Awaitable:
    """What calling an ``async def`` gives."""

    value: Value


@dataclass(frozen=True, slots=True)
class SpecV:
    """An annotation used as a value: an alias ``Image = Float[Tensor, "c h w"]``.

    ``given`` is what a generic one (``Pair = tuple[T, T]``) stands for with its arguments.
    """

    spec: Spec
    given: Callable[[tuple[Spec, ...]], Spec] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values: an Optional, a Union, a branch that gave different kinds of thing.

    Where comparing sizes led to them, ``proves`` says what is so of the sizes with each, in the same order.
    """

    options: tuple[Value, ...]
    proves: Proofs = ()


@dataclass(frozen=True, slots=True)
class Object:
    """An object of which only the kind is known; a member of an enumeration, ``holder``, has a ``value``."""

    name: str
    value: Value = UNKNOWN
    holder: ClassInfo | None = None

    def __repr__(self) -> str:  # as a key in a message; a class holds the whole program
        return self.name


NEVER = Object("Never")  # what a call gives that does not return
