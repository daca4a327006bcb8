"""What sizes are made of: an axis, or a number of which something else is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from typedtorch.shapes.size import Size

Kind = Literal["axis", "int", "opaque", "floor", "either"]


class Atom:
    """An indivisible size.  Interned: the same (kind, name, operands, scope) is the same object.

    ``axis``: a name in an annotation, generic: it claims every value, so two names of one scope
    differ (a signature is a scope; so is one instance of a dataclass).
    ``int``: an integer of the program whose value is not known (a parameter, an attribute).
    ``opaque``: nothing is known but that it is one of ``operands``, if there are any.
    ``floor``: ``operands[0] // operands[1]`` that is not exact.
    ``either``: one of two sizes; which one, an argument decides.
    """

    __slots__ = ("_key", "kind", "name", "operands", "scope", "whole")
    _interned: ClassVar[dict[tuple[str, str, tuple[Size, ...], str], Atom]] = {}

    kind: Kind
    name: str
    operands: tuple[Size, ...]
    scope: str
    whole: Size | None  # of a count: how many there were to choose from
    _key: tuple[str, str, str]

    def __new__(cls, kind: Kind, name: str, operands: tuple[Size, ...] = (), scope: str = "") -> Atom:
        key = (kind, name, operands, scope)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found.kind, found.name, found.operands, found.scope = kind, name, operands, scope
            found._key, found.whole = (name, kind, f"{operands} {scope}"), None
            cls._interned[key] = found
        return found

    def __repr__(self) -> str:
        return self.name

    def __lt__(self, other: Atom) -> bool:
        return self._key < other._key

    def __reduce__(self) -> tuple[type[Atom], tuple[Kind, str, tuple[Size, ...], str]]:
        return Atom, (self.kind, self.name, self.operands, self.scope)
