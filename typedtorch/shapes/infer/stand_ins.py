"""Values that stand for what they were made of: a method, a partial, ``super()``, an annotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes import ClassInfo
    from typedtorch.shapes.infer.specs import Spec

Value: TypeAlias = Any


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
