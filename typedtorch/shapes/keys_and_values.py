"""The lengths of keys and of values, which are one: attention takes a value for each key.

``V: Float[Tensor, "... values d_v"]`` beside ``K: Float[Tensor, "... keys d_k"]`` names one size twice.

>>> from typedtorch.shapes.size import axis
>>> may_be_one(axis("keys"), axis("values")), may_be_one(2 * axis("len_k"), 2 * axis("len_v"))
(True, True)
>>> may_be_one(axis("d_k"), axis("d_v")), may_be_one(axis("keys"), axis("queries"))
(False, False)
"""

from __future__ import annotations

from functools import lru_cache

from typedtorch.shapes.size import Atom, Size, atoms, axis, substitute

_KEYS = {"k", "key", "keys"}
_VALUES = {"v", "val", "value", "values"}
# what may stand beside one of them in the name of a length
_LENGTHS = {
    "n", "num", "len", "length", "seq", "sequence", "s", "t", "l", "tokens", "positions", "pos", "max",
}  # fmt: skip


@lru_cache(maxsize=65536)
def may_be_one(a: Size, b: Size) -> bool:
    """Whether two sizes are one once there are as many values as keys."""
    kinds = {atom: _kind(atom) for atom in (*atoms(a), *atoms(b))}
    if not {"keys", "values"} <= {*kinds.values()}:
        return False
    same_length: dict[Atom, Size] = {atom: axis("keys") for atom, kind in kinds.items() if kind}
    return substitute(a, same_length) == substitute(b, same_length)


@lru_cache(maxsize=65536)
def _kind(atom: Atom) -> str:
    """Whether an axis is a number of keys or of values, by its name."""
    words = atom.name.lower().split("_") if atom.kind == "axis" else []
    for kind, names in (("keys", _KEYS), ("values", _VALUES)):
        named = [word for word in words if word in names]
        rest = [word for word in words if word not in names]
        if len(named) == 1 and {*rest} <= _LENGTHS and (rest or len(named[0]) > 1):
            return kind
    return ""
