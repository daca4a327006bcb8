"""Formulas from prime labels: run the program at labels and read the sizes back (:mod:`labels`).

This needs nothing private of torch.  The other engine (:mod:`witness`) runs the program on torch's symbolic
integers.  Both give a trace whose sizes are polynomials, operator by operator like the trace of numbers.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from typedtorch.accounting import figures as fg
from typedtorch.accounting.attempts import Options, label_options, pin_sets
from typedtorch.accounting.corrections import lstm_workspace
from typedtorch.accounting.errors import AccountingError, CounterError, StreamError, SymbolError
from typedtorch.accounting.labels import Decoder, Labels, choose
from typedtorch.accounting.program import Call, record
from typedtorch.accounting.stage import Setup, World
from typedtorch.accounting.target import Target
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op, Storage, TensorMeta, Trace, metas
from typedtorch.shapes.size import Size, evaluate, product

Engine = Literal["primes", "symbols"]
_MOST_ATTEMPTS = 40
_MOST_OPERATORS, _MOST_WEIGHTS = 50_000, 5_000
_LAYER = "aten.mkldnn_rnn_layer"


@dataclass(frozen=True)
class Symbolic:
    """A trace of polynomials, and the axes that had to keep their size for it to be one."""

    trace: Trace
    pinned: Mapping[str, int]
    engine: Engine


@dataclass(frozen=True)
class Question:
    """What is asked: a target at sizes (None for an axis without one), run in some way."""

    target: Target
    sizes: Mapping[str, Any]
    free: tuple[str, ...]
    make_setup: Callable[[Call], Setup]
    numbers: Trace | None

    @property
    def limit(self) -> int:
        """More operators than this mean that an axis counts the turns of a loop."""
        return self._most[0]

    @property
    def most_weights(self) -> int:
        """More parameters than this mean that an axis counts layers."""
        return self._most[1]

    @functools.cached_property
    def _most(self) -> tuple[int, int]:
        if self.numbers is not None:
            return 3 * len(self.numbers.ops) + 500, 3 * len(self.numbers.weights) + 100
        for options in ({"tiny": True}, {"part": 2}, {}):
            open_axes = {n: self.sizes.get(n) for n in self.free}
            sizes = {**self.sizes, **choose(open_axes, **options).values}
            with contextlib.suppress(AccountingError):
                call = self.target.call(sizes, _MOST_WEIGHTS)
                trace = record(call, sizes, self.make_setup(call), World(limit=_MOST_OPERATORS))
                return 3 * len(trace.ops) + 500, 3 * len(trace.weights) + 100
        return _MOST_OPERATORS, _MOST_WEIGHTS


def by_primes(question: Question, *, compare: bool = True) -> Symbolic:
    """One trace for formulas, from prime labels, with as few axes at their size as can be.

    Raises:
        SymbolError: no choice of labels gives every size a polynomial, with the first reason.
    """
    free = movable(question)
    rigid = tuple(n for n in question.free if n not in free)
    reasons: list[str] = []
    for pinned in ((), *pin_sets(tuple(n for n in free if n in question.sizes), question.sizes)):
        try:
            return pinned_at(question, (*rigid, *pinned), compare=compare)
        except SymbolError as error:
            reasons.append(f"{', '.join(pinned) or 'no axis'} fixed: {error}")
    raise SymbolError(f"no formula from prime labels: {reasons[0]}")


def pinned_at(question: Question, pinned: tuple[str, ...], *, compare: bool = True) -> Symbolic:
    """One trace for formulas with exactly these axes at their size.

    ``compare`` asks that the trace of numbers be this one at its sizes; without it the formulas are those
    of larger sizes, where a size of 1 or a special case may run otherwise.

    Raises:
        SymbolError: no choice of labels works, with the first reason.
    """
    axes = tuple(n for n in question.free if n not in pinned)
    if not axes:
        kept = {n: int(question.sizes[n]) for n in pinned}
        return Symbolic(_run(question, question.sizes), kept, "primes")
    reasons: list[str] = []
    streams_differ = False
    special = any(question.sizes.get(n) == 1 for n in axes)
    for options in itertools.islice(label_options(axes, question.sizes), _MOST_ATTEMPTS):
        if streams_differ and not options.get("small"):
            continue  # it is not what labels divide by that matters
        try:
            return _once(question, pinned, options, compare=compare)
        except AccountingError as error:
            reasons.append(str(error))
            streams_differ = isinstance(error, StreamError)
            if isinstance(error, CounterError) or (streams_differ and special and compare):
                break  # no label will do
    raise SymbolError(reasons[0])


def movable(question: Question) -> tuple[str, ...]:
    """Axes a built module does not hold fast: at another size its forward still runs."""
    if question.target.fixed is None:
        return question.free
    call = question.target.call(question.sizes)
    forward = replace(question.make_setup(call), phase="inference", optimizer=None)
    unknown = dict.fromkeys((n for n in question.free if n not in question.sizes), None)
    for flags in ({"part": 1}, {"part": 8}, {}, {"tiny": True}) if unknown else ({},):
        base = {**question.sizes, **choose(unknown, turn=2, **flags).values}
        if not unknown or _runs(call, base, forward):
            break
    else:
        return question.free
    found = list(unknown)
    for name in question.free:
        if name in unknown:
            continue
        size = question.sizes[name]
        others = [
            choose({name: size}, small=frozenset({name} if small and size > 2 else ())) for small in (0, 1)
        ]
        if any(_runs(call, {**base, **labels.values}, forward) for labels in others):
            found.append(name)
    return tuple(n for n in question.free if n in found)


def _runs(call: Call, sizes: Mapping[str, Any], setup: Setup) -> bool:
    try:
        record(call, sizes, setup)
    except AccountingError:
        return False
    return True


def _once(question: Question, pinned: tuple[str, ...], options: Options, *, compare: bool) -> Symbolic:
    """One attempt: run at labels, compare with the numbers, check at a third choice of labels."""
    sizes = question.sizes
    fixed = {n: s for n, s in sizes.items() if n not in question.free or n in pinned}
    open_axes = {n: sizes.get(n) for n in question.free if n not in pinned}
    first = choose(open_axes, avoid=constants(question), **options)
    here = _run(question, {**fixed, **first.values})
    if question.numbers is not None and compare:
        check = {n: sizes[n] for n in open_axes}
        there = question.numbers
    else:
        check = dict(choose(open_axes, turn=1, **options).values)
        there = _run(question, {**fixed, **check})
    trace = _symbolic(here, there, Decoder(first, check))
    _verify(question, trace, fixed, choose(open_axes, turn=2, **options))
    kept = {n: int(s) for n, s in fixed.items() if n in pinned and isinstance(s, int)}
    return Symbolic(trace, kept, "primes")


def constants(question: Question) -> set[int]:
    """Sizes the module has anyway: no label shares a prime with them."""
    if question.numbers is None:
        return set()
    return {
        n for w in question.numbers.weights for n in w.shape if isinstance(n, int) and n > 1 and n < 10**5
    }


def _run(question: Question, sizes: Mapping[str, Any]) -> Trace:
    call = question.target.call(sizes, question.most_weights)
    return record(call, sizes, question.make_setup(call), World(limit=question.limit))


def _verify(question: Question, trace: Trace, fixed: Mapping[str, Any], third: Labels) -> None:
    """The formulas must give the numbers of a run neither of whose labels they were read from."""
    run = _run(question, {**fixed, **third.values})
    at = len(run.ops) // 2
    found, wanted = fg.figures(trace, at), fg.figures(run, at)
    padded = any(op.name.startswith(_LAYER) for op in trace.ops)  # its workspace is, by its own sizes
    for name, size in wanted.items():
        if padded and name.startswith(("memory.", "bytes.")):
            continue
        value = evaluate(found[name], {k: int(v) for k, v in third.values.items()})
        if value != size:
            raise SymbolError(f"{name} is {size} at {dict(third.values)}, and its formula says {value}")


def _symbolic(here: Trace, there: Trace, decoder: Decoder) -> Trace:
    """The trace both runs have in common, sizes decoded."""
    if [op.name for op in here.ops] != [op.name for op in there.ops]:
        raise StreamError("other operators run at other sizes")
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


def shape_of(a: tuple[Size, ...], b: tuple[Size, ...], decoder: Decoder) -> tuple[Size, ...]:
    if len(a) != len(b):
        raise SymbolError("a tensor has another number of axes at other sizes")
    return tuple(decoder.decode(number(x), number(y)) for x, y in zip(a, b, strict=True))


def _op(a: Op, b: Op, decoder: Decoder, workspaces: dict[int, Size]) -> Op:
    layer = a.name.startswith(_LAYER)

    def pair(x: Any, y: Any) -> Any:
        if isinstance(x, TensorMeta) and isinstance(y, TensorMeta):
            if x.storage != y.storage or x.dtype != y.dtype:
                raise SymbolError(f"{a.name} reads other storages at other sizes")
            if x.storage in workspaces:
                return replace(y, shape=(workspaces[x.storage],), touched=(workspaces[x.storage],))
            return TensorMeta(
                shape_of(x.shape, y.shape, decoder),
                y.dtype,
                y.storage,
                shape_of(x.touched, y.touched, decoder),
            )
        if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):
            return tuple(pair(p, q) for p, q in zip(x, y, strict=True))
        if layer and type(x) is int and type(y) is int:
            return decoder.decode(x, y)
        return y

    args = pair(a.args, b.args)
    if a.name.startswith(f"{_LAYER}.") and b.outs[3].storage >= 0:
        workspaces[b.outs[3].storage] = _workspace(args[0].shape, pair(a.outs[0], b.outs[0]), b)
    kwargs = {k: pair(v, b.kwargs.get(k)) for k, v in a.kwargs.items()}
    return Op(b.func, b.name, args, kwargs, pair(a.outs, b.outs), b.path, b.phase, b.step, b.times)


def _storages(
    here: Trace, there: Trace, ops: list[Op], decoder: Decoder, workspaces: dict[int, Size]
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
