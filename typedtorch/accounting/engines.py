"""Two ways from a program to its formulas, which check each other.

``primes`` runs the program at prime labels and reads the sizes back (:mod:`labels`); it needs nothing
private of torch.  ``symbols`` runs it with torch's symbolic integers (:mod:`symbols`).  Both give a trace
whose sizes are polynomials, operator by operator like the trace of numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from torch import nn

from typedtorch.accounting import figures as fg
from typedtorch.accounting.corrections import lstm_workspace
from typedtorch.accounting.errors import AccountingError, SymbolError
from typedtorch.accounting.labels import Decoder, Labels, choose
from typedtorch.accounting.program import Call, record
from typedtorch.accounting.stage import Setup, World
from typedtorch.accounting.symbols import Symbols, renamed, symbolic_copy
from typedtorch.accounting.target import Target
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op, Storage, TensorMeta, Trace, metas
from typedtorch.runtime import checking
from typedtorch.shapes.size import Size, evaluate, product

Engine = Literal["primes", "symbols"]
_MOST_ATTEMPTS = 40


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


def by_primes(question: Question) -> Symbolic:
    """Formulas from prime labels.

    Raises:
        SymbolError: no choice of labels gives every size a polynomial, with the first reason.
    """
    reasons: list[str] = []
    rigid = _rigid(question)
    for pinned, options in itertools.islice(_attempts(question, rigid), _MOST_ATTEMPTS):
        try:
            return _once(question, pinned, options)
        except AccountingError as error:
            reasons.append(f"{pinned or 'no axis'} fixed: {error}")
    if question.numbers is not None:  # a formula at these sizes only: the number itself
        return Symbolic(
            question.numbers, {n: s for n, s in question.sizes.items() if isinstance(s, int)}, "primes"
        )
    raise SymbolError(f"no formula from prime labels: {reasons[0] if reasons else 'nothing to label'}")


def _rigid(question: Question) -> tuple[str, ...]:
    """Axes a built module holds fast: at any other size its forward does not run."""
    if question.target.fixed is None or question.numbers is None:
        return ()
    call = question.target.call(question.sizes)
    forward = replace(question.make_setup(call), phase="inference", optimizer=None)
    found = []
    for name in question.free:
        size = question.sizes[name]
        others = [
            choose({name: size}, small=frozenset({name} if small and size > 2 else ())) for small in (0, 1)
        ]
        if not any(_runs(call, {**question.sizes, **labels.values}, forward) for labels in others):
            found.append(name)
    return tuple(found)


def _runs(call: Call, sizes: Mapping[str, Any], setup: Setup) -> bool:
    try:
        record(call, sizes, setup)
    except AccountingError:
        return False
    return True


def _attempts(
    question: Question, rigid: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Axes to keep fixed and ways to choose labels, the most general first."""
    free, sizes = tuple(n for n in question.free if n not in rigid), question.sizes
    for pinned, options in _ways(free, sizes):
        yield (*rigid, *pinned), options


def _ways(
    free: tuple[str, ...], sizes: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    ones = tuple(n for n in free if sizes.get(n) == 1)
    known = [n for n in free if isinstance(sizes.get(n), int)]
    ties = [
        (a, b) for a, b in itertools.permutations(known, 2)
        if sizes[b] > 1 and sizes[a] > sizes[b] and sizes[a] % sizes[b] == 0
    ]  # fmt: skip
    everything = frozenset(known)
    for pinned in dict.fromkeys(((), ones)):
        yield pinned, {}
        yield pinned, {"small": everything}
        for name in known:
            yield pinned, {"small": frozenset({name})}
        for a, b in ties[:8]:
            yield pinned, {"within": {a: b}}
        yield pinned, {"rough": True}
    order = sorted(free, key=lambda n: not any(w in n for w in ("layer", "depth", "block", "step", "seq")))
    for count in (1, 2):
        for chosen in itertools.combinations([n for n in order if n in known], count):
            for pinned in dict.fromkeys((chosen, tuple(dict.fromkeys((*ones, *chosen))))):
                if len(pinned) < len(free):
                    yield pinned, {}
                    yield pinned, {"small": everything - set(pinned)}


def _once(question: Question, pinned: tuple[str, ...], options: dict[str, Any]) -> Symbolic:
    """One attempt: run at labels, compare with the numbers, check at a third choice of labels."""
    sizes = question.sizes
    fixed = {n: s for n, s in sizes.items() if n not in question.free or n in pinned}
    open_axes = {n: sizes.get(n) for n in question.free if n not in pinned}
    if not open_axes:
        raise SymbolError("every axis is fixed")
    options = {**options, "small": options.get("small", frozenset()) & set(open_axes)}
    first = choose(open_axes, avoid=_constants(question), **options)
    here = _run(question, {**fixed, **first.values})
    if question.numbers is not None:
        check = {n: sizes[n] for n in open_axes}
        there = question.numbers
    else:
        check = dict(choose(open_axes, skip=len(open_axes), **options).values)
        there = _run(question, {**fixed, **check})
    trace = _symbolic(here, there, Decoder(first, check))
    _verify(question, trace, fixed, choose(open_axes, skip=2 * len(open_axes) + 1, **options))
    kept = {n: int(s) for n, s in fixed.items() if n in pinned and isinstance(s, int)}
    return Symbolic(trace, kept, "primes")


def by_symbols(question: Question) -> Symbolic:
    """Formulas from torch's symbolic integers.

    Raises:
        SymbolError: torch's shape functions want a number for every axis, with the first reason.
    """
    reasons: list[str] = []
    pins: list[tuple[str, ...]] = [()]
    for pinned, options in itertools.islice(_attempts(question), _MOST_ATTEMPTS):
        chosen = tuple(dict.fromkeys((*pinned, *pins[-1])))
        if set(pins[-1]) >= set(question.free):
            break
        try:
            return _with_symbols(question, chosen, options)
        except _SpecialisedError as error:
            pins.append(tuple(dict.fromkeys((*pins[-1], *error.axes))))
            reasons.append(str(error))
        except AccountingError as error:
            reasons.append(f"{chosen or 'no axis'} fixed: {error}")
    raise SymbolError(f"no formula from symbolic integers: {reasons[0] if reasons else 'no axis is free'}")


class _SpecialisedError(SymbolError):
    def __init__(self, axes: tuple[str, ...]) -> None:
        super().__init__(f"torch asked for the number of {', '.join(axes)}")
        self.axes = axes


def _with_symbols(question: Question, pinned: tuple[str, ...], options: dict[str, Any]) -> Symbolic:
    """One attempt, with some axes as symbols."""
    sizes = question.sizes
    fixed = {n: s for n, s in sizes.items() if n not in question.free or n in pinned}
    open_axes = {n: sizes.get(n) for n in question.free if n not in pinned}
    if not open_axes:
        raise SymbolError("every axis is fixed")
    options = {**options, "small": options.get("small", frozenset()) & set(open_axes)}
    first = choose(open_axes, avoid=_constants(question), **options)
    second = choose(open_axes, skip=len(open_axes), **options)
    call = question.target.call({**fixed, **first.values})
    twin = question.target.call({**fixed, **second.values})
    decoder, symbols = Decoder(first, second.values), Symbols(first.values)
    others = _twins(call.module, twin.module)
    world = World(
        symbols.size,
        symbols.env,
        None if question.numbers is None else 3 * len(question.numbers.ops) + 500,
        lambda t, device: symbolic_copy(t, others.get(id(t), t), decoder.decode, symbols, device),
        lambda: renamed(call.module, others, decoder.decode, symbols),
    )
    with checking(False):
        trace = record(call, {**fixed, **symbols.integers}, question.make_setup(call), world)
    stuck = symbols.specialised()
    if stuck:
        raise _SpecialisedError(stuck)
    trace.weights = tuple(
        replace(a, shape=_shape(a.shape, tuple(b.shape), decoder))
        for a, b in zip(trace.weights, twin.module.parameters() if twin.module else (), strict=True)
    )
    kept = {n: int(s) for n, s in fixed.items() if n in pinned and isinstance(s, int)}
    return Symbolic(trace, kept, "symbols")


def _twins(module: nn.Module | None, twin: nn.Module | None) -> dict[int, Any]:
    """Modules, parameters and buffers of the one, by identity, with what stands there in the other."""
    pairs: dict[int, Any] = {}
    if module is None or twin is None:
        return pairs
    for ours, other in zip(module.modules(), twin.modules(), strict=True):
        pairs[id(ours)] = other
        for mine, theirs in ((ours._parameters, other._parameters), (ours._buffers, other._buffers)):
            pairs.update({id(t): theirs[name] for name, t in mine.items() if t is not None})
    return pairs


def _constants(question: Question) -> set[int]:
    """Sizes the module has anyway: no label shares a prime with them."""
    if question.numbers is None:
        return set()
    return {
        n for w in question.numbers.weights for n in w.shape if isinstance(n, int) and n > 1 and n < 10**5
    }


def _run(question: Question, sizes: Mapping[str, Any]) -> Trace:
    call = question.target.call(sizes)
    limit = None if question.numbers is None else 3 * len(question.numbers.ops) + 500
    return record(call, sizes, question.make_setup(call), World(limit=limit))


def _verify(question: Question, trace: Trace, fixed: Mapping[str, Any], third: Labels) -> None:
    """The formulas must give the numbers of a run neither of whose labels they were read from."""
    if any(op.name.startswith("aten.mkldnn_rnn_layer") for op in trace.ops):
        return  # its workspace is padded differently at other sizes
    run = _run(question, {**fixed, **third.values})
    at = len(run.ops) // 2
    found, wanted = fg.figures(trace, at), fg.figures(run, at)
    for name, size in wanted.items():
        value = evaluate(found[name], {k: int(v) for k, v in third.values.items()})
        if value != size:
            raise SymbolError(f"{name} is {size} at {dict(third.values)}, and its formula says {value}")


def _symbolic(here: Trace, there: Trace, decoder: Decoder) -> Trace:
    """The trace both runs have in common, sizes decoded."""
    if [op.name for op in here.ops] != [op.name for op in there.ops]:
        raise SymbolError("other operators run at other sizes")
    if len(here.storages) != len(there.storages):
        raise SymbolError("other storages are allocated at other sizes")
    ops = [_op(a, b, decoder) for a, b in zip(here.ops, there.ops, strict=True)]
    weights = tuple(
        replace(a, shape=_shape(a.shape, b.shape, decoder))
        for a, b in zip(here.weights, there.weights, strict=True)
    )
    modules = {
        path: replace(meta, shape=_shape(here.modules[path].shape, meta.shape, decoder))
        for path, meta in there.modules.items()
        if path in here.modules
    }
    storages = _storages(here, there, ops, decoder)
    return replace(there, ops=ops, storages=storages, weights=weights, modules=modules)


def _shape(a: tuple[Size, ...], b: tuple[Size, ...], decoder: Decoder) -> tuple[Size, ...]:
    if len(a) != len(b):
        raise SymbolError("a tensor has another number of axes at other sizes")
    return tuple(decoder.decode(number(x), number(y)) for x, y in zip(a, b, strict=True))


def _op(a: Op, b: Op, decoder: Decoder) -> Op:
    layer = "rnn" in a.name

    def pair(x: Any, y: Any) -> Any:
        if isinstance(x, TensorMeta) and isinstance(y, TensorMeta):
            if x.storage != y.storage or x.dtype != y.dtype:
                raise SymbolError(f"{a.name} reads other storages at other sizes")
            return TensorMeta(
                _shape(x.shape, y.shape, decoder), y.dtype, y.storage, _shape(x.touched, y.touched, decoder)
            )
        if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):
            return tuple(pair(p, q) for p, q in zip(x, y, strict=True))
        if layer and type(x) is int and type(y) is int:
            return decoder.decode(x, y)
        return y

    kwargs = {k: pair(v, b.kwargs.get(k)) for k, v in a.kwargs.items()}
    outs = pair(a.outs, b.outs)
    return Op(b.func, b.name, pair(a.args, b.args), kwargs, outs, b.path, b.phase, b.step, b.times)


def _storages(here: Trace, there: Trace, ops: list[Op], decoder: Decoder) -> list[Storage]:
    """Bytes of every storage: of a tensor that fills it, or read on their own."""
    filled: dict[int, Size] = {}
    for op, at in zip(ops, there.ops, strict=True):
        if op.name.startswith("aten.mkldnn_rnn_layer.") and len(op.outs) == 4:
            filled[op.outs[3].storage] = _workspace(op, at)
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


def _workspace(op: Op, at: Op) -> Size:
    """The LSTM's workspace, padded as it is at the given sizes."""
    steps, batch, d_in = op.ins[0].shape
    hidden = op.outs[0].shape[-1]
    now = (number(at.ins[0].shape[2]), number(at.outs[0].shape[-1]))
    size: Size = lstm_workspace(steps, batch, d_in, hidden, op.ins[0].dtype, at=now)
    return size
