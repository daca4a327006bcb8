"""A trace of polynomials, from the traces of two runs whose sizes a decoder reads together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from typedtorch.accounting.corrections import lstm_workspace
from typedtorch.accounting.errors import StreamError, SymbolError
from typedtorch.accounting.reading import Decoder, Third
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op, Storage, TensorMeta, Trace, metas
from typedtorch.shapes.size import Size, product

LAYER = "aten.mkldnn_rnn_layer"


class Reader(Protocol):
    """Gives the polynomial that is ``seen`` in the one run and ``elsewhere`` in the other."""

    def decode(self, seen: int, elsewhere: int) -> Size: ...


class Recalled:
    """Reads what a decoder has read before, without a second run."""

    def __init__(self, decoder: Decoder) -> None:
        self._known = decoder.unambiguous()

    def decode(self, seen: int, elsewhere: int) -> Size:
        """The polynomial a size at the decoder's labels was.

        Raises:
            SymbolError: the decoder has not seen it, or has read it in two ways.
        """
        found = self._known.get(seen)
        if found is None:
            raise SymbolError(f"a size is {seen}, which was not seen before")
        return found


def third_run(here: Trace, there: Trace, third: Trace, sizes: Mapping[str, int]) -> Third:
    """What stands in a third run where the first two have some size, wherever that is the same each time."""
    found: dict[tuple[int, int], int] = {}
    mixed: set[tuple[int, int]] = set()
    for a, b, c in zip(_sizes(here), _sizes(there), _sizes(third), strict=False):
        if found.setdefault((a, b), c) != c:
            mixed.add((a, b))
    return Third(sizes, {key: size for key, size in found.items() if key not in mixed})


def _sizes(trace: Trace) -> Iterator[int]:
    """Every size a decoder reads, in a fixed order."""
    for op in trace.ops:
        for meta in metas((op.args, op.kwargs, op.outs)):
            yield from map(number, (*meta.shape, *meta.touched))
    for weight in trace.weights:
        yield from map(number, weight.shape)
    for storage in trace.storages:
        yield number(storage.nbytes) // storage.dtype.itemsize


def decoded(here: Trace, there: Trace, decoder: Reader) -> Trace:
    """The trace both runs have in common, sizes decoded."""
    if [op.name for op in here.ops] != [op.name for op in there.ops]:
        raise StreamError("other operators run at other sizes")
    if len(here.weights) != len(there.weights):
        raise StreamError("it has other parameters at other sizes")
    if len(here.storages) != len(there.storages):
        raise StreamError("other storages are allocated at other sizes")
    workspaces: dict[int, Size] = {}
    ops = [_op(a, b, decoder, workspaces) for a, b in zip(here.ops, there.ops, strict=True)]
    weights = tuple(
        replace(a, shape=shape_of(a.shape, b.shape, decoder))
        for a, b in zip(here.weights, there.weights, strict=True)
    )
    modules = {
        path: replace(meta, shape=shape_of(here.modules[path].shape, meta.shape, decoder))
        for path, meta in there.modules.items()
        if path in here.modules
    }
    storages = _storages(here, there, ops, decoder, workspaces)
    return replace(there, ops=ops, storages=storages, weights=weights, modules=modules)


def shape_of(a: tuple[Size, ...], b: tuple[Size, ...], decoder: Reader) -> tuple[Size, ...]:
    if len(a) != len(b):
        raise SymbolError("a tensor has another number of axes at other sizes")
    return tuple(decoder.decode(number(x), number(y)) for x, y in zip(a, b, strict=True))


def _op(a: Op, b: Op, decoder: Reader, workspaces: dict[int, Size]) -> Op:
    layer = a.name.startswith(LAYER)

    def pair(x: Any, y: Any) -> Any:
        if isinstance(x, TensorMeta) and isinstance(y, TensorMeta):
            if x.storage != y.storage or x.dtype != y.dtype:
                raise SymbolError(f"{a.name} reads other storages at other sizes")
            if x.storage in workspaces:
                return replace(y, shape=(workspaces[x.storage],), touched=(workspaces[x.storage],))
            shape, touched = shape_of(x.shape, y.shape, decoder), shape_of(x.touched, y.touched, decoder)
            return replace(y, shape=shape, touched=touched)
        if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):
            return tuple(pair(p, q) for p, q in zip(x, y, strict=True))
        if layer and type(x) is int and type(y) is int:
            return decoder.decode(x, y)
        return y

    args = pair(a.args, b.args)
    if a.name.startswith(f"{LAYER}.") and b.outs[3].storage >= 0:
        workspaces[b.outs[3].storage] = _workspace(args[0].shape, pair(a.outs[0], b.outs[0]), b)
    kwargs = {k: pair(v, b.kwargs.get(k)) for k, v in a.kwargs.items()}
    return Op(b.func, b.name, args, kwargs, pair(a.outs, b.outs), b.path, b.phase, b.step, b.times)


def _storages(
    here: Trace, there: Trace, ops: list[Op], decoder: Reader, workspaces: dict[int, Size]
) -> list[Storage]:
    """Bytes of every storage: of a tensor that fills it, or read on their own."""
    filled: dict[int, Size] = dict(workspaces)
    for op, at in zip(ops, there.ops, strict=True):
        for meta, plain in zip(
            metas((op.args, op.kwargs, op.outs)), metas((at.args, at.kwargs, at.outs)), strict=True
        ):
            if meta.storage not in filled and plain.storage >= 0:
                size = product(plain.shape) * plain.dtype.itemsize
                if size == there.storages[plain.storage].nbytes:
                    filled[meta.storage] = product(meta.shape) * meta.dtype.itemsize
    found = []
    for index, (a, b) in enumerate(zip(here.storages, there.storages, strict=True)):
        size = filled.get(index, -1)
        if size == -1:
            unit = b.dtype.itemsize
            size = decoder.decode(number(a.nbytes) // unit, number(b.nbytes) // unit) * unit
        found.append(replace(b, nbytes=size))
    return found


def _workspace(data: tuple[Size, ...], out: TensorMeta, at: Op) -> Size:
    """The LSTM's workspace, padded as it is at the given sizes."""
    steps, batch, d_in = data
    now = (number(at.ins[0].shape[2]), number(at.outs[0].shape[-1]))
    size: Size = lstm_workspace(steps, batch, d_in, out.shape[-1], at.ins[0].dtype, at=now)
    return size
