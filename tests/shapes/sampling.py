"""Random arguments for a rule, from the specification next to it.

A specification is one or more calls separated by ``|``; a call is arguments separated by commas,
each ``kind`` or ``parameter=kind``.  For a layer, ``constructor -> forward``.

======================  ==========================================================================
``f:b s d``             a tensor: a class of dtypes, then axes; a letter is one size in the whole call
``f:*``, ``f:#*``       0 to 4 axes, the same in the whole call; ``#``: some of them 1, or left out
``f:... d``             leading axes, the same in the whole call (``#...`` broadcastable)
``f:2*d h+1 3``         axes may be products, sums and numbers; a capital letter is a larger size
``[f:b s, f:b s]``      a list; ``[f:b s]*`` one to three of them; ``(...)`` a tuple
``dim dims place``      an axis of the first tensor, several axes, a place for a new axis
``size:h*d``            the value of an axis expression
``bool num float dtype``, ``2..4``, ``'same'``, ``None``, ``0.5``: values
``{a~b~c}``             one of several kinds
======================  ==========================================================================

``@f:b s`` is a numpy array.  Dtype classes: ``f`` one floating dtype for the whole call, ``n`` any
dtype, each its own, ``r`` any but complex, ``i`` int64 mostly, ``b`` bool, ``c`` complex,
``F I J B C`` exactly float32, int64, int32, bool, complex64.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.size import Poly, Size, axis, substitute
from typedtorch.shapes.tensor import Dtype, Shape, Tensor

FLOATS = ("float32", "float64", "bfloat16", "float16")
NUMBERS = (
    "float32",
    "int64",
    "float64",
    "int32",
    "uint8",
    "bool",
    "bfloat16",
    "float16",
    "complex64",
    "int8",
    "int16",
)


@dataclass
class Call:
    """Arguments whose tensors have letters for sizes; :func:`at` gives them values."""

    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)
    forward: Call | None = None
    mutated: bool = False


def split(text: str, separator: str) -> list[str]:
    """Split where no bracket or quote is open."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == separator and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


class Draw:
    """One draw of arguments from a specification."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.float = rng.choice(FLOATS) if rng.random() < 0.3 else "float32"
        rank = rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))
        self.star = tuple(axis(f"x{i}") for i in range(rank))
        self.lead = tuple(axis(f"l{i}") for i in range(rng.choice((0, 1, 1, 2))))
        self.first: Shape | None = None

    def call(self, text: str) -> Call:
        made = Call()
        arrow = re.search(r"->(?=(?:[^']*'[^']*')*[^']*$)", text)
        constructor, forward = (text[: arrow.start()], text[arrow.end() :]) if arrow else (text, "")
        for part in split(constructor, ","):
            if not part:
                continue
            named = re.match(r"([A-Za-z_]\w*)=(?!=)(.*)", part, re.S)
            if named:
                made.kwargs[named[1]] = self.value(named[2].strip())
            else:
                made.args.append(self.value(part))
        if arrow:
            made.forward = self.call(forward)
        return made

    def value(self, text: str) -> Any:
        rng = self.rng
        if text.startswith("{"):
            return self.value(rng.choice(split(text[1:-1], "~")))
        if text.endswith("]*"):
            return [self.value(text[1:-2]) for _ in range(rng.choice((1, 2, 2, 3)))]
        if text.startswith("["):
            return [self.value(t) for t in split(text[1:-1], ",") if t]
        if text.startswith("(") and text.endswith(")"):
            return tuple(self.value(t) for t in split(text[1:-1], ",") if t)
        if text.startswith("size:"):
            return expression(text[5:])
        if text.startswith("@"):
            made = self.tensor(text[1:])
            known = dtypes.FLOAT32 if made.dtype == dtypes.BFLOAT16 else made.dtype
            return replace(made, dtype=known, library="numpy")
        if re.match(r"[a-zA-Z]:", text):
            return self.tensor(text)
        rank = len(self.first or ())
        off = rng.random() < 0.08
        match text:
            case "dim":
                return rank + rng.choice((0, 1)) if off else rng.randrange(-max(rank, 1), max(rank, 1))
            case "place":
                return rank + 2 if off else rng.randrange(-rank - 1, rank + 1)
            case "dims":
                count = rng.randint(1, max(rank, 1))
                picked = [d - rng.choice((0, rank)) for d in rng.sample(range(rank), min(count, rank))]
                return tuple(picked) if not off else (0, 0)
            case "perm":
                order = rng.sample(range(rank), rank)
                return tuple(d - rng.choice((0, rank)) for d in (order[:-1] if off else order))
            case "bool":
                return rng.random() < 0.5
            case "num":
                return rng.choice((2, 3, 0.5, 2.0, True))
            case "float":
                return rng.choice((0.5, 0.25, 1.0))
            case "dtype":
                return Dtype(dtypes.BIT[rng.choice(NUMBERS)])
            case "ndtype":
                return Dtype(dtypes.BIT[rng.choice(("float32", "float64", "int64", "int32", "bool"))])
            case "fdtype":
                return Dtype(dtypes.BIT[rng.choice(FLOATS)])
            case "shape":
                return self.star
        numbers = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text)
        if numbers:
            return rng.randint(int(numbers[1]), int(numbers[2]))
        if text == "...":
            return ...
        if text.startswith("slice("):
            return slice(*(self.value(t) for t in split(text[6:-1], ",")))
        return ast.literal_eval(text)

    def tensor(self, text: str) -> Tensor:
        kind, _, axes = text.partition(":")
        shape: list[Any] = []
        for word in axes.split():
            if word in ("*", "..."):
                shape.extend(self.star if word == "*" else self.lead)
            elif word in ("#*", "#..."):
                shape.extend(self.ones(self.star if word == "#*" else self.lead))
            elif word.startswith("#"):
                shape.append(1 if self.rng.random() < 0.3 else expression(word[1:]))
            else:
                shape.append(expression(word))
        made = Tensor(tuple(shape), dtypes.BIT[self.dtype(kind)])
        if self.first is None:
            self.first = made.shape
        return made

    def ones(self, shape: Shape) -> Shape:
        kept = tuple(1 if self.rng.random() < 0.2 else e for e in shape)
        return kept[self.rng.randint(1, len(kept)) :] if kept and self.rng.random() < 0.25 else kept

    def dtype(self, kind: str) -> str:
        rng = self.rng
        exact = {
            "F": "float32",
            "I": "int64",
            "J": "int32",
            "B": "bool",
            "C": "complex64",
            "b": "bool",
            "D": "float64",
        }
        if kind in exact:
            return exact[kind]
        if kind == "f":
            return self.float
        if kind == "c":
            return rng.choice(("complex64", "complex128"))
        if kind == "i":
            return rng.choice(("int64", "int64", "int32", "uint8"))
        allowed = [n for n in NUMBERS if kind == "n" or not n.startswith("complex")]
        return rng.choice(allowed[: rng.choice((1, 2, len(allowed)))])


def expression(text: str) -> Size:
    """A product or sum of letters and numbers.

    >>> expression("2*h+1")
    2*h + 1
    """
    names = {n: axis(n) for n in re.findall(r"[A-Za-z]\w*", text)}
    result = eval(text, {"__builtins__": {}}, names)
    assert isinstance(result, (int, Poly))
    return result


# --- mutation: what torch should refuse as often as not ---------------------------------------------


def tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, Call):
        yield from tensors_in(value.args)
        yield from tensors_in(list(value.kwargs.values()))
        if value.forward is not None:
            yield from tensors_in(value.forward)


def mutate(call: Call, rng: random.Random) -> Call:
    """One tensor with an axis changed, dropped or added, or another dtype."""
    count = sum(1 for _ in tensors_in(call))
    if not count:
        return call
    chosen, seen = rng.randrange(count), -1

    def visit(value: Any) -> Any:
        nonlocal seen
        if isinstance(value, Tensor):
            seen += 1
            return _mutated(value, rng) if seen == chosen else value
        if isinstance(value, (list, tuple)):
            return type(value)(visit(v) for v in value)
        return value

    made = Call([visit(a) for a in call.args], {k: visit(v) for k, v in call.kwargs.items()}, mutated=True)
    if call.forward is not None:
        inner = call.forward
        made.forward = Call([visit(a) for a in inner.args], {k: visit(v) for k, v in inner.kwargs.items()})
    return made


def _mutated(tensor: Tensor, rng: random.Random) -> Tensor:
    shape = list(tensor.shape)
    what = rng.choice(("size", "size", "drop", "add", "one", "dtype"))
    if what == "dtype" or (not shape and what != "add"):
        names = [n for n in NUMBERS if tensor.library == "torch" or n != "bfloat16"]
        return replace(tensor, dtype=dtypes.BIT[rng.choice(names)])
    if what == "add":
        shape.insert(rng.randint(0, len(shape)), axis("extra"))
    elif what == "drop":
        shape.pop(rng.randrange(len(shape)))
    else:
        shape[rng.randrange(len(shape))] = axis("Other") if what == "size" else 1
    return replace(tensor, shape=tuple(shape))


# --- from letters to numbers ------------------------------------------------------------------------


def letters(value: Any) -> set[str]:
    found: set[str] = set()
    walk_sizes(value, found)
    return found


def walk_sizes(value: Any, found: set[str]) -> None:
    if isinstance(value, Poly):
        found |= {a.name for a in value.atoms() if a.kind == "axis"}
    elif isinstance(value, Tensor):
        walk_sizes(value.shape, found)
    elif isinstance(value, slice):
        walk_sizes((value.start, value.stop), found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            walk_sizes(item, found)
    elif isinstance(value, Call):
        walk_sizes(value.args, found)
        walk_sizes(list(value.kwargs.values()), found)
        if value.forward is not None:
            walk_sizes(value.forward, found)


def at(value: Any, sizes: dict[str, int]) -> Any:
    """The same arguments with numbers for letters."""
    if isinstance(value, Poly):
        return substitute(value, lambda a: None if a.kind == "floor" else sizes.get(a.name))
    if isinstance(value, Tensor):
        return replace(value, shape=tuple(at(e, sizes) for e in value.shape))
    if isinstance(value, slice):
        return slice(at(value.start, sizes), at(value.stop, sizes), at(value.step, sizes))
    if isinstance(value, dict):
        return {k: at(v, sizes) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        made = [at(v, sizes) for v in value]
        return made if isinstance(value, list) else tuple(made)
    if isinstance(value, Call):
        forward = None if value.forward is None else at(value.forward, sizes)
        return Call(
            at(value.args, sizes), {k: at(v, sizes) for k, v in value.kwargs.items()}, forward, value.mutated
        )
    return value


def draw_sizes(
    names: set[str], rng: random.Random, *, distinct: bool, generic: bool = False
) -> dict[str, int]:
    """A size for each letter; capitals are 8 to 12; distinct primes where asked; never 1 where generic."""
    if distinct:
        small, large = [2, 3, 5, 7, 11, 13, 17, 19, 23], [29, 31, 37, 41, 43, 47]
        rng.shuffle(small)
        rng.shuffle(large)
        return {n: (large if n[0].isupper() else small).pop() for n in sorted(names)}
    few = (2, 3, 4, 5) if generic else (1, 2, 3, 4, 5)
    return {n: rng.randint(8, 12) if n[0].isupper() else rng.choice(few) for n in sorted(names)}
