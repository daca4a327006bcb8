"""What a pattern says of the tensors it is applied to: ``rearrange(x, "b n d -> b d n")`` takes three axes.

A tensor of unknown rank has that many from there on.  A value of which nothing at all is known is such a
tensor too where nothing else could be meant: ``torch.einsum`` takes no other, and neither does einops in a
module that speaks of no other library of arrays.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, Value
from typedtorch.shapes.rules.einops_language import parse_side
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack, Shape, ShapeError, Tensor

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.binding import Args

_ONE_TENSOR = {"einops.rearrange", "einops.reduce", "einops.repeat"}
_FIXED = {"torch.bmm": 3, "torch.mm": 2}
_ELSEWHERE = re.compile(r"\b(?:numpy|jax|cupy|tensorflow|mlx|keras|paddle)\b")


def operands(name: str, args: Args) -> dict[int, int]:
    """Places of the arguments whose number of axes a call says, and these numbers."""
    if name in _FIXED:
        return _numbered([_FIXED[name]] * 2, 0, args)
    if name in _ONE_TENSOR and len(args.values) > 1:
        left = _left(args.values[1])
        return {} if left is None else _numbered([_groups(left)], 0, args)
    if name == "einops.einsum" and len(args.values) > 1:
        left = _left(args.values[-1])
        return {} if left is None else _numbered([_groups(t) for t in left.split(",")], 0, args)
    if name == "torch.einsum" and len(args.values) > 1:
        left = _left(args.values[0], bare=True)
        return {} if left is None else _numbered([_letters(t) for t in left.split(",")], 1, args)
    return {}


def _numbered(counts: list[int | None], first: int, args: Args) -> dict[int, int]:
    places = {first + i: count for i, count in enumerate(counts) if count is not None}
    return {place: count for place, count in places.items() if place < len(args.values)}


def _left(pattern: Value, *, bare: bool = False) -> str | None:
    if not isinstance(pattern, str) or pattern.count("->") > 1 or ("->" not in pattern and not bare):
        return None
    return pattern.partition("->")[0]


def _groups(text: str) -> int | None:
    try:
        side = parse_side(text)
    except ShapeError:
        return None
    return None if any("..." in group or "…" in group for group in side) else len(side)


def _letters(text: str) -> int | None:
    return None if "." in text else len(text.replace(" ", ""))


def with_tensors(frame: Frame, name: str, args: Args, node: ast.AST) -> Args:
    """The arguments, with a tensor for each of which nothing is known but that it must be one."""
    known = operands(name, args)
    if not any(args.values[place] is UNKNOWN for place in known):
        return args
    if not name.startswith("torch.") and not _only_torch(frame.module.text):
        return args
    values = list(args.values)
    for place, count in known.items():
        if values[place] is UNKNOWN:
            values[place] = Tensor(_axes(frame, args, place, count, node))
    return replace(args, values=values)


def learn(frame: Frame, name: str, args: Args, node: ast.AST) -> None:
    """A variable whose number of axes was unknown has it from here on."""
    if any(isinstance(e, Pack) and not e.open for run in frame.state.names.packs.values() for e in run):
        return  # it may be the run of axes of a signature, which claims every number of them
    for place, count in operands(name, args).items():
        value, where = args.values[place], args.nodes[place]
        if not isinstance(where, ast.Name) or frame.state.variables.get(where.id) is not value:
            continue
        if isinstance(value, Tensor) and value.shape == (ANY_AXES,):
            shape = _axes(frame, args, place, count, node)
            frame.state.variables[where.id] = replace(value, shape=shape, layout=None)


def _axes(frame: Frame, args: Args, place: int, count: int, node: ast.AST) -> Shape:
    where = frame.place(args.nodes[place] or node)
    return tuple(unknown(f"?{where}.{i}") for i in range(count))


@lru_cache(maxsize=256)
def _only_torch(text: str) -> bool:
    return _ELSEWHERE.search(text) is None


__all__ = ["learn", "with_tensors"]
