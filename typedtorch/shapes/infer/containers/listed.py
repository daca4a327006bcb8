"""Lists of numbers that become tensors, and slices that are held in variables."""

from __future__ import annotations

import ast
from contextlib import nullcontext
from dataclasses import replace

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.containers.lengths import COUNTS, for_several
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.values.values import UNKNOWN, Sequence, Value
from typedtorch.shapes.rule import RULES

OF_DATA = (
    "torch.tensor", "torch.as_tensor", "torch.asarray", "torch.Tensor",
    "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor", "torch.BFloat16Tensor",
    "torch.BoolTensor", "torch.ByteTensor", "torch.ShortTensor", "torch.IntTensor", "torch.LongTensor",
)  # fmt: skip


def slice_object(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``slice(start, stop)`` held in a variable."""
    if args.keywords or args.open or not 1 <= len(args.values) <= 3:
        return UNKNOWN
    return slice(*args.values)


def from_data(name: str) -> Special:
    """``torch.tensor`` of nested lists, some of unknown length: the number of axes is their depth."""

    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        if args.open:
            return UNKNOWN
        cases = _filled(args)
        # two lists that are as long as each other in one case need not be in truth, nor the other way round
        with frame.reporter.mute() if len(cases) > 1 else nullcontext():
            made = [
                apply_rule(
                    frame,
                    RULES[name].function,
                    (*filled, *args.values[1:]),
                    keywords,
                    node,
                    tuple(args.nodes),
                )
                for filled, keywords in cases
            ]
        data = _data(args)
        tried = isinstance(data, Sequence) and len(made) == len(COUNTS)
        lists = [replace(data, grown=None)] if tried else []  # so many items, whatever it begins with
        return for_several(made, lists, frame.place(node))

    return handler


def _data(args: Args) -> Value:
    return args.values[0] if args.values else args.keywords.get("data", UNKNOWN)


def _filled(args: Args) -> list[tuple[tuple[Value, ...], dict[str, Value]]]:
    """The arguments with lists of unknown length taken for two items and for three, or four as well."""
    if args.values:
        return [((data,), args.keywords) for data in _lengths(args.values[0])]
    if "data" in args.keywords:
        return [((), {**args.keywords, "data": data}) for data in _lengths(args.keywords["data"])]
    return [((), args.keywords)]


def _lengths(data: Value) -> list[Value]:
    counted = _counted(data, 2)
    if counted is data:
        return [data]
    alone = (
        isinstance(data, Sequence) and data.length is not None and _counted(data.element, 2) is data.element
    )
    return [_counted(data, count) for count in (COUNTS if alone else COUNTS[:2])]


def _counted(data: Value, count: int) -> Value:
    if isinstance(data, Sequence) and data.kind == "list" and data.items is None:
        return Sequence("list", (_counted(data.element, count),) * count)
    if isinstance(data, Sequence) and data.items:
        items = tuple(_counted(item, count) for item in data.items)
        same = all(a is b for a, b in zip(items, data.items, strict=True))
        return data if same else replace(data, items=items)
    return data


__all__ = ["OF_DATA", "from_data", "slice_object"]
