"""The second engine: the program on torch's symbolic integers, to check the first one's formulas.

Modules are built at prime labels (initialisers want numbers), then every size an axis explains becomes its
symbol (:mod:`symbols`).  Some of torch's kernels want numbers: such axes keep their size.  Others run in
pieces on symbols: what the pieces keep and move is not what runs at the sizes, which is noticed by
comparing with the numbers.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import nn

from typedtorch.accounting import fake
from typedtorch.accounting.decode import shape_of
from typedtorch.accounting.engines import Symbolic, labels_of, layouts, pins
from typedtorch.accounting.errors import AccountingError, CounterError, SymbolError
from typedtorch.accounting.labels import Layout
from typedtorch.accounting.program import record
from typedtorch.accounting.question import Question, constants
from typedtorch.accounting.reading import Decoder
from typedtorch.accounting.stage import World
from typedtorch.accounting.symbols import Symbols, renamed, symbolic_copy
from typedtorch.runtime import checking

_MOST_ATTEMPTS = 24


def witnesses(question: Question) -> list[Symbolic]:
    """The trace on symbolic integers and, where that leaves axes at their size, the one in pieces.

    Raises:
        SymbolError: neither is to be had, with the first reason.
    """
    found: list[Symbolic] = []
    reason: SymbolError | None = None
    for pieces in (False, True):
        if not found or found[0].pinned:
            try:
                found.append(by_symbols(question, pieces=pieces))
            except SymbolError as error:
                reason = reason or error
    if reason is not None and not found:
        raise reason
    return sorted(found, key=lambda s: len(s.pinned))


def by_symbols(question: Question, *, pieces: bool = False) -> Symbolic:
    """Formulas from torch's symbolic integers.

    ``pieces`` runs recurrent layers as torch's own decompositions, which follow symbols further.

    Raises:
        SymbolError: torch's shape functions want a number for every axis, with the first reason.
    """
    reasons: list[str] = []
    asked: tuple[str, ...] = ()
    for pinned, layout in itertools.islice(_ways(question), _MOST_ATTEMPTS):
        chosen = tuple(dict.fromkeys((*pinned, *asked)))
        if set(asked) >= set(question.free):
            break
        try:
            return _once(question, chosen, layout, pieces=pieces)
        except _SpecialisedError as error:
            asked = tuple(dict.fromkeys((*asked, *error.axes)))
            reasons.append(str(error))
        except AccountingError as error:
            reasons.append(f"{', '.join(chosen) or 'no axis'} fixed: {_first_line(error)}")
    raise SymbolError(f"no formula from symbolic integers: {reasons[0] if reasons else 'no axis is free'}")


def _ways(question: Question) -> Iterator[tuple[tuple[str, ...], Layout | None]]:
    for pinned in pins(question):
        for layout in layouts(question, tuple(n for n in question.free if n not in pinned)):
            yield pinned, layout


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


class _SpecialisedError(SymbolError):
    def __init__(self, axes: tuple[str, ...]) -> None:
        super().__init__(f"torch asked for the number of {', '.join(axes)}")
        self.axes = axes


def _once(question: Question, pinned: tuple[str, ...], layout: Layout | None, *, pieces: bool) -> Symbolic:
    """One attempt, with some axes as symbols."""
    sizes = question.sizes
    fixed = {n: s for n, s in sizes.items() if n not in question.free or n in pinned}
    if set(pinned) >= set(question.free):
        raise SymbolError("every axis is fixed")
    first, second = (labels_of(question, layout, pinned, turn, constants(question)) for turn in (0, 1))
    call = question.target.call({**fixed, **first.values})
    twin = question.target.call({**fixed, **second.values})
    decoder, symbols = Decoder(first, second.values), Symbols(first.values)
    others = _twins(call.module, twin.module)
    world = World(
        symbols.size,
        symbols.env,
        question.limit,
        lambda t, device: symbolic_copy(t, others.get(id(t), t), decoder.decode, symbols, device),
        lambda: renamed(call.module, others, decoder.decode, symbols),
    )
    with checking(False), fake.in_pieces() if pieces else contextlib.nullcontext():
        trace = record(call, {**fixed, **symbols.integers}, question.make_setup(call), world)
    stuck = symbols.specialised()
    if stuck:
        raise _SpecialisedError(stuck)
    trace.weights = tuple(
        replace(a, shape=shape_of(a.shape, tuple(b.shape), decoder))
        for a, b in zip(trace.weights, twin.module.parameters() if twin.module else (), strict=True)
    )
    kept = {n: int(s) for n, s in fixed.items() if n in pinned and isinstance(s, int)}
    return Symbolic(trace, kept, "symbols")


def _twins(module: nn.Module | None, twin: nn.Module | None) -> dict[int, Any]:
    """Modules, parameters and buffers of the one, by identity, with what stands there in the other.

    Raises:
        CounterError: they are not made of the same parts.
    """
    pairs: dict[int, Any] = {}
    if module is None or twin is None:
        return pairs
    if _parts(module) != _parts(twin):
        raise CounterError("other parts are built at other sizes: an axis counts layers")
    for ours, other in zip(module.modules(), twin.modules(), strict=True):
        pairs[id(ours)] = other
        for mine, theirs in ((ours._parameters, other._parameters), (ours._buffers, other._buffers)):
            pairs.update({id(t): theirs[name] for name, t in mine.items() if t is not None})
    return pairs


def _parts(module: nn.Module) -> list[str]:
    """The paths of all modules, parameters and buffers."""
    named = (module.named_modules(), module.named_parameters(), module.named_buffers())
    return [path for found in named for path, _ in found]
