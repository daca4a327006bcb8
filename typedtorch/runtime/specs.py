"""Annotations as values that can check: a small tree of specs, one class per kind of annotation.

``check(value, scope)`` compares and binds and returns None, or the reason against.  It is the
reference meaning of every annotation; generated checkers are its quick equivalent and fall back on it.
Bindings made before a failure inside a container stay, as they do in jaxtyping with beartype.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from typedtorch.runtime.arrays import Array, Unbound, Uncomputable, describe, is_symbolic, type_name
from typedtorch.runtime.scope import Mismatch, Scope
from typedtorch.runtime.trees import Tree


class Spec(Protocol):
    """Anything that can be asked whether a value is welcome."""

    @property
    def text(self) -> str: ...
    def check(self, value: Any, scope: Scope, /) -> Mismatch | None: ...


@dataclass(frozen=True, slots=True)
class Anything:
    """``Any``, ``object``, and whatever has no meaning at run time."""

    text: str = "Any"

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        return None


@dataclass(frozen=True, slots=True)
class Instance:
    """An ordinary class; as in beartype, an ``int`` is no ``float``, and a ``bool`` is an ``int``."""

    kind: type

    @property
    def text(self) -> str:
        return type_name(self.kind)

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        return None if isinstance(value, self.kind) else _refuse(self, value)


@dataclass(frozen=True, slots=True)
class Subclass:
    """``type[C]``."""

    kinds: tuple[type, ...]
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        return None if isinstance(value, type) and issubclass(value, self.kinds) else _refuse(self, value)


@dataclass(frozen=True, slots=True)
class OneOf:
    """``Literal[...]``."""

    values: tuple[Any, ...]
    kinds: tuple[type, ...]
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        return None if isinstance(value, self.kinds) and value in self.values else _refuse(self, value)


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on top: a validator in ``Annotated``, the dtype of an ``NDArray``."""

    condition: Callable[[Any], bool]
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        return None if self.condition(value) else _refuse(self, value)


@dataclass(frozen=True, slots=True)
class All:
    """Every one of several specs."""

    parts: tuple[Spec, ...]

    @property
    def text(self) -> str:
        return self.parts[0].text

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        return next((found for part in self.parts if (found := part.check(value, scope))), None)


@dataclass(frozen=True, slots=True)
class Either:
    """A union: the first alternative that welcomes the value binds, and no other is tried.

    Classes and arrays come before containers, each group in the order written: beartype's order.
    """

    options: tuple[Spec, ...]

    @property
    def text(self) -> str:
        return " | ".join(option.text for option in self.options)

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        refused: list[Mismatch] = []
        for option in self.options:
            found = option.check(value, scope)
            if found is None:
                return None
            refused.append(found)
        closest = max(map(_closeness, refused), default=0)
        if closest == 0:
            return _refuse(self, value)
        nearest = [found for found in refused if _closeness(found) == closest]
        made = _together([found for found in nearest if found.path == nearest[0].path])
        return made if made.path else replace(made, annotation=self.text)


def _closeness(found: Mismatch) -> int:
    """How far a value got before it was refused: the options worth explaining got furthest."""
    return {"type": 0, "dtype": 2, "shape": 3}[found.kind] + (1 if found.path else 0)


def _together(refused: list[Mismatch]) -> Mismatch:
    """One reason for alternatives that got equally far: ``wanted 1 or 2 axes``, or all of them in full."""
    first = refused[0]
    options = " | ".join(dict.fromkeys(found.annotation for found in refused))
    wanted = list(dict.fromkeys(found.wanted for found in refused))
    if any((found.axis, found.got) != (first.axis, first.got) for found in refused):
        because = tuple(dict.fromkeys(line for found in refused for line in found.because))
        got = first.value or first.got
        return replace(first, wanted=options, got=got, axis=None, because=because, annotation=options)
    if len(wanted) > 1 and first.kind == "shape":  # the word comes once, at the end
        wanted = [text.removesuffix(" axis").removesuffix(" axes") for text in wanted]
        wanted[-1] += " axes"
    return replace(first, wanted=" or ".join(wanted), annotation=options)


@dataclass(frozen=True, slots=True)
class Items:
    """A container of one kind of item, every one of which is checked.

    What cannot be walked twice (an iterator) is not walked; of an array only the first row is looked at.
    """

    kind: type[Any]
    item: Spec
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        if not isinstance(value, self.kind):
            return _refuse(self, value)
        if isinstance(self.item, Anything):
            return None
        try:
            items = walk(value)
        except Exception as error:  # no container, whatever its class says: an array without axes
            return Mismatch("type", self.text, f"{describe(value)} ({error})", annotation=self.text)
        for i, item in enumerate(items):
            found = self.item.check(item, scope)
            if found is not None:
                return found.at(f"[{i}]" if isinstance(value, Sequence) else "{...}")
        return None


def walk(value: Any) -> Iterable[Any]:
    """The items worth checking: all of a collection, one of an array, a string or a range."""
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if not isinstance(value, Collection) or not len(value):
        return ()
    if isinstance(value, str | bytes | bytearray | range) or hasattr(value, "dtype"):
        return (next(iter(value)),)
    return value


@dataclass(frozen=True, slots=True)
class Fixed:
    """``tuple[A, B]``; ``rest`` is the ``C`` of ``tuple[A, *tuple[C, ...], B]`` after ``head`` items."""

    items: tuple[Spec, ...]
    text: str
    head: int = 0
    rest: Spec | None = None

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        if not isinstance(value, tuple):
            return _refuse(self, value)
        spare = len(value) - len(self.items)
        if spare < 0 or (spare and self.rest is None):
            return _refuse(self, value)
        specs = self.items
        if self.rest is not None:
            specs = specs[: self.head] + (self.rest,) * spare + specs[self.head :]
        for i, (spec, item) in enumerate(zip(specs, value, strict=True)):
            found = spec.check(item, scope)
            if found is not None:
                return found.at(f"[{i}]")
        return None


@dataclass(frozen=True, slots=True)
class Pairs:
    """A mapping, every key and value of which is checked."""

    kind: type[Any]
    key: Spec
    value: Spec
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        if not isinstance(value, self.kind):
            return _refuse(self, value)
        if isinstance(self.key, Anything) and isinstance(self.value, Anything):
            return None
        for key, item in value.items():
            found = self.key.check(key, scope)
            if found is not None:
                return found.at("{...}")
            found = self.value.check(item, scope)
            if found is not None:
                return found.at(f"[{_key(key)}]")
        return None


@dataclass(frozen=True, slots=True)
class Record:
    """A ``TypedDict`` or ``NamedTuple``: each value is a scope of its own, as each instance is.

    Two records passed to one call may differ in the sizes of the axes their fields share.
    """

    kind: type[Any]
    fields: Mapping[str, Spec]
    required: frozenset[str]
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        if not isinstance(value, self.kind):
            return _refuse(self, value)
        inside = Scope(scope.arguments)
        keyed = isinstance(value, Mapping)
        if keyed and any(not isinstance(key, str) for key in value):
            return _refuse(self, value)
        for name, spec in self.fields.items():
            if keyed and name not in value:
                if name in self.required:
                    return Mismatch("type", f"key {name!r}", "no such key", annotation=self.text)
                continue
            step = f"[{name!r}]" if keyed else f".{name}"
            inside.place = f"its {step}"
            found = spec.check(value[name] if keyed else getattr(value, name), inside)
            if found is not None:
                return found.at(step)
        return None


@dataclass(frozen=True, slots=True)
class Beyond:
    """A check that jaxtyping does not make: an axis that rests on a size not known here is no fault."""

    spec: Spec

    @property
    def text(self) -> str:
        return self.spec.text

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        try:
            return self.spec.check(value, scope)
        except (Unbound, Uncomputable):
            return None


def _key(key: Any) -> str:
    return repr(key) if isinstance(key, str | int | bytes) else "..."


def _refuse(spec: Spec, value: Any) -> Mismatch | None:
    if is_symbolic(value):
        return None
    return Mismatch("type", spec.text, describe(value), annotation=spec.text)


def parts_of(spec: Spec) -> tuple[Spec, ...]:
    """The specs a spec is made of, in the scope of the same call."""
    match spec:
        case All(parts=parts) | Either(options=parts):
            return parts
        case Items(item=item):
            return (item,)
        case Fixed(items=items, rest=rest):
            return items if rest is None else (*items, rest)
        case Pairs(key=key, value=value):
            return key, value
        case Tree(leaf=leaf):
            return () if leaf is None else (leaf,)
        case _:
            return ()


def arrays_in(spec: Spec) -> Iterator[Array]:
    """Every array annotation in it."""
    if isinstance(spec, Array):
        yield spec
    for part in parts_of(spec):
        yield from arrays_in(part)


def mentions_axes(spec: Spec) -> bool:
    """Whether checking may bind an axis, a run or a structure of the call's scope."""
    return isinstance(spec, Array | Tree) or any(map(mentions_axes, parts_of(spec)))
