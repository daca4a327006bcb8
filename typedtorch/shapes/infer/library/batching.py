"""Datasets and loaders: what one item is, and what a batch of them is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from typedtorch.shapes.dtypes import BOOL, FLOAT64, INT64
from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.containers.items import tensor_item
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.statements.iteration import gone_through, method
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Instance,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_size,
    of_others,
)
from typedtorch.shapes.python_numbers import number_kind
from typedtorch.shapes.rule import Record
from typedtorch.shapes.size import Size, counted
from typedtorch.shapes.tensor import Pack


def tensor_dataset(frame: Frame, args: Args, node: ast.AST) -> Value:
    """Items are the rows of each tensor."""
    if args.open or not all(isinstance(v, Tensor) for v in args.values):
        return UNKNOWN
    rows = [
        (v.shape[0], source(n, 40))
        for v, n in zip(args.values, args.nodes, strict=False)
        if isinstance(v, Tensor) and n is not None and v.shape and not isinstance(v.shape[0], Pack)
    ]
    for size, who in rows[1:]:
        if same(size, rows[0][0]) is False:
            text = f"{source(node)}: the first axis is {rows[0][0]} in {rows[0][1]} and {size} in {who}"
            frame.reporter.add(node, "shape", text)
            break
    count = rows[0][0] if rows and isinstance(rows[0][0], int) else None
    return Sequence("dataset", None, tuple(tensor_item(v) for v in args.values), count)


def subset(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A part of a dataset has items like the whole."""
    return _part(args.get(0, "dataset", UNKNOWN), length_of(args.get(1, "indices", UNKNOWN)))


def _part(dataset: Value, count: Size | None) -> Value:
    return replace(dataset, length=count) if isinstance(dataset, Sequence) else dataset


def random_split(frame: Frame, args: Args, node: ast.AST) -> Value:
    """Parts of a dataset: items are those of the whole."""
    dataset, lengths = args.get(0, "dataset", UNKNOWN), args.get(1, "lengths", UNKNOWN)
    if isinstance(lengths, Sequence) and lengths.items is not None:
        counts = [n if type(n) is int else None for n in lengths.items]  # else parts of the whole
        return Sequence("list", tuple(_part(dataset, n) for n in counts))
    return Sequence("list", None, _part(dataset, None))


def loader(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``DataLoader(dataset, batch_size=n)``: items put together, along a first axis."""
    if args.open:
        return UNKNOWN
    dataset, merge = args.get(0, "dataset", UNKNOWN), args.get(6, "collate_fn")
    each = _item(frame, dataset, node)
    size = counted("batch", frame.place(node), None, *_sizes(frame, dataset, args, node))
    if merge is not None:
        batch = frame.call(merge, Args([Sequence("list", None, each, size)], [None]), node)
    elif args.get(1, "batch_size", 1) is None and args.get(4, "batch_sampler") is None:
        batch = converted(each)
    else:
        batch = collated(each, size)
    return UNKNOWN if batch is UNKNOWN else Sequence("iterator", None, batch)


def _sizes(frame: Frame, dataset: Value, args: Args, node: ast.AST) -> tuple[int, ...]:
    """How many items a batch can have: the last one has what is left.  Empty where it is not known."""
    size, drop_last = args.get(1, "batch_size", 1), args.get(8, "drop_last", False)
    if type(size) is not int or size < 1 or args.get(4, "batch_sampler") is not None:
        return ()
    if drop_last is True:
        return (size,)
    count = _count(frame, dataset, node) if args.get(3, "sampler") is None else None
    if type(count) is not int or count < 1 or drop_last is not False:
        return ()
    return tuple(sorted({min(size, count), count % size} - {0}, reverse=True))


def _count(frame: Frame, dataset: Value, node: ast.AST) -> Value:
    """How many items a dataset has."""
    if isinstance(dataset, Instance):
        if dataset.info.find("__len__") is None:
            return UNKNOWN
        with frame.reporter.mute():
            return method(frame, dataset, "__len__", (), node)
    return length_of(dataset)


def _item(frame: Frame, dataset: Value, node: ast.AST) -> Value:
    if isinstance(dataset, Sequence):
        return dataset.any_item
    with frame.reporter.mute():
        items = gone_through(frame, dataset, node)
    return items.any_item if isinstance(items, Sequence) else UNKNOWN


def collated(item: Value, batch: Size) -> Value:
    """``default_collate``: tensors are stacked, numbers become a tensor, structures stay what they are."""
    if isinstance(item, Tensor):
        return Tensor((batch, *item.shape), item.dtype)
    if number_kind(item) == "bool":
        return Tensor((batch,), BOOL | INT64)
    if is_size(item):
        return Tensor((batch,), INT64)
    if number_kind(item) == "float":
        return Tensor((batch,), FLOAT64)
    return _of_parts(item, lambda part: collated(part, batch))


def together(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``default_collate(items)``, as a loader calls it."""
    items = args.get(0, "batch", UNKNOWN)
    if args.open or not isinstance(items, Sequence) or items.kind != "list":
        return UNKNOWN
    size = length_of(items)
    return collated(items.any_item, counted("batch", frame.place(node)) if size is None else size)


def converted(item: Value) -> Value:
    """``default_convert``, where nothing is put together: arrays become tensors."""
    if isinstance(item, Tensor):
        return item if item.library == "torch" else Tensor(item.shape, item.dtype)
    if item is None or is_size(item) or isinstance(item, (bool, float, str, bytes, Scalar)):
        return item
    return _of_parts(item, converted)


def _of_parts(item: Value, change: Callable[[Value], Value]) -> Value:
    """A structure with its parts changed; what was a tuple is a list then."""
    if isinstance(item, tuple) and not isinstance(item, Record):
        return Sequence("list", tuple(change(part) for part in item))
    if isinstance(item, Sequence) and item.kind == "list" and item.items is not None:
        return Sequence("list", tuple(change(part) for part in item.items))
    if isinstance(item, DictV):
        rest = None if item.rest is None else of_others(change(item.rest))
        return DictV({k: change(v) for k, v in item.items.items()}, rest)
    return UNKNOWN


SPECIAL: dict[str, Special] = {
    "torch.utils.data.TensorDataset": tensor_dataset,
    "torch.utils.data.DataLoader": loader,
    "torch.utils.data.Subset": subset,
    "torch.utils.data.random_split": random_split,
    "torch.utils.data.dataloader.DataLoader": loader,
    "torch.utils.data.default_collate": together,
    "torch.utils.data.dataloader.default_collate": together,
}
__all__ = ["SPECIAL", "collated", "converted"]
