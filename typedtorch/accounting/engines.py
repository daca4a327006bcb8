"""Formulas from prime labels: run the program at labels and read the sizes back (:mod:`labels`).

This needs nothing private of torch.  The other engine (:mod:`witness`) runs the program on torch's symbolic
integers.  Both give a trace whose sizes are polynomials, operator by operator like the trace of numbers.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from torch import nn

from typedtorch.accounting import figures as fg
from typedtorch.accounting.attempts import guesses, pin_sets
from typedtorch.accounting.decode import LAYER, Recalled, decoded, third_run
from typedtorch.accounting.errors import (
    AccountingError,
    CounterError,
    SizeError,
    StreamError,
    SymbolError,
    TooLargeError,
    UnreadableError,
)
from typedtorch.accounting.labels import Labels, Layout, Place, choose
from typedtorch.accounting.program import Call, record
from typedtorch.accounting.reading import Decoder
from typedtorch.accounting.stage import Setup, World
from typedtorch.accounting.suited import Search, Suited, is_empty
from typedtorch.accounting.target import Target
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import evaluate

Engine = Literal["primes", "symbols"]
_MOST_OPERATORS, _MOST_WEIGHTS = 50_000, 5_000
_LONGER = 10  # times as many turns and layers as at the sizes, where several of their sizes are tried
_OFTEN, _LESS = 64, 4  # labels that divide by the one do by a part of it, where they are too large
_SPARE = 200  # operators more than twice as many that a program may run before it counts the turns of a loop


@dataclass(frozen=True)
class Symbolic:
    """A trace of polynomials, and the axes that had to keep their size for it to be one.

    ``decoder`` read it, where it was read off labels.
    """

    trace: Trace
    pinned: Mapping[str, int]
    engine: Engine
    decoder: Decoder | None = None


@dataclass(frozen=True)
class Question:
    """What is asked: a target at sizes (missing for an axis without one), run in some way.

    ``like`` is a question with other sizes of the same axes, whose labels suit this one.
    """

    target: Target
    sizes: Mapping[str, Any]
    free: tuple[str, ...]
    make_setup: Callable[[Call], Setup]
    numbers: Trace | None
    like: Question | None = None

    def at(self, sizes: Mapping[str, int]) -> Question:
        """The same question with other sizes of some axes."""
        return replace(self, sizes={**self.sizes, **sizes}, numbers=None, like=self.like or self)

    @property
    def limit(self) -> int:
        """More operators than this mean that an axis counts the turns of a loop."""
        return self._most[0]

    @property
    def limit_forward(self) -> int:
        """The same of the operators of a forward alone."""
        return self._most[2]

    @property
    def most_weights(self) -> int:
        """More parameters than this mean that an axis counts layers."""
        return self._most[1]

    @functools.cached_property
    def _most(self) -> tuple[int, int, int]:
        if self.like is not None:
            operators, weights, forward = self.like._most
            return _LONGER * operators, _LONGER * weights, _LONGER * forward
        trace = self.reference
        if trace is None:
            return _MOST_OPERATORS, _MOST_WEIGHTS, _MOST_OPERATORS
        forward = sum(op.step == 0 and op.phase == "forward" for op in trace.ops)
        return 2 * len(trace.ops) + _SPARE, 3 * len(trace.weights) + 100, 2 * forward + _SPARE

    @functools.cached_property
    def reference(self) -> Trace | None:
        """The trace of numbers, or one at sizes that were guessed."""
        if self.numbers is None:
            with contextlib.suppress(AccountingError):
                return self.recorded(self.base, _MOST_OPERATORS, _MOST_WEIGHTS)
        return self.numbers

    def recorded(self, sizes: Mapping[str, Any], operators: int, weights: int) -> Trace:
        """The trace at these sizes, of at most so many operators and weights."""
        call = self.target.call(sizes, weights)
        return record(call, sizes, self.make_setup(call), World(limit=operators))

    @functools.cached_property
    def base(self) -> dict[str, Any]:
        """Sizes the forward runs at: those given, and for the others the first of some guesses.

        Raises:
            SymbolError: it runs at none, with the first reason.
        """
        if self.like is not None:
            return {**self.like.base, **self.sizes}
        unknown = [n for n in self.free if n not in self.sizes]
        reasons: list[str] = []
        empty: dict[str, Any] | None = None  # at these some tensor has no elements: seldom what is meant
        for guess in guesses(unknown, self._likely_layers(unknown)) if unknown else ({},):
            sizes = {**self.sizes, **guess}
            try:
                trace = self._forward(sizes, _MOST_OPERATORS, _MOST_WEIGHTS)
            except AccountingError as error:
                reasons.append(str(error))
                continue
            if not is_empty(trace):
                return sizes
            empty = empty or sizes
        if empty is not None:
            return empty
        raise SymbolError(f"it runs at no sizes that were tried: {reasons[0]}")

    def _likely_layers(self, unknown: Iterable[str]) -> tuple[str, ...]:
        """Axes that decide how many parameters there are where all sizes are small powers of two."""
        for size in (8, 16):
            found = tuple(self._layers({**self.sizes, **dict.fromkeys(unknown, size)}, unknown))
            if found:
                return found
        return ()

    @functools.cached_property
    def suited(self) -> Suited:
        """Labels that suit the program, found by trying."""
        if self.like is not None:
            return self.like.suited
        rest = {n: s for n, s in self.base.items() if n not in self.free}

        def run(sizes: Mapping[str, int]) -> Trace:
            return self._forward({**rest, **sizes}, self.limit_forward, self.most_weights)

        base = {n: self.base[n] for n in self.free}
        unknown = frozenset(n for n in self.free if n not in self.sizes)
        settings = (run, decoded, base, self.free, constants(self), self.layers, unknown)
        search = Search(*settings)
        found = search.result()
        if search.too_large and len(found.layout) < len(self.free):
            smaller = Search(*settings, even=_OFTEN // _LESS**2).result()
            return max(found, smaller, key=lambda s: len(s.layout))
        return found

    @functools.cached_property
    def layers(self) -> tuple[str, ...]:
        """Axes of a constructor that decide how many parameters there are."""
        if self.like is not None:
            return self.like.layers
        return tuple(self._layers(self.base, self.free))

    def _layers(self, sizes: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
        mine = [n for n in names if n in self.target.arguments] if self.target.fixed is None else []
        one = self._weights(sizes) if mine else None
        for name in mine if one is not None else ():
            two = self._weights({**sizes, name: sizes[name] + 1})
            if two is not None and two != one and self._weights({**sizes, name: sizes[name] + 2}) not in (None, two):
                yield name

    def _weights(self, sizes: Mapping[str, Any]) -> int | None:
        """How many parameters what is built has, if it can be built."""
        try:
            made = self.target.build(sizes)
        except AccountingError:
            return None
        return sum(1 for _ in made.parameters()) if isinstance(made, nn.Module) else 0

    def _forward(self, sizes: Mapping[str, Any], operators: int, weights: int) -> Trace:
        call = self.target.call(sizes, weights)
        forward = replace(self.make_setup(call), phase="inference", optimizer=None)
        return record(call, sizes, forward, World(limit=operators))


def by_primes(question: Question, *, compare: bool = True) -> Symbolic:
    """One trace for formulas, from prime labels, with as few axes at their size as can be.

    Raises:
        SymbolError: no choice of labels gives every size a polynomial, with the first reason.
    """
    reasons: list[str] = []
    for pinned in pins(question):
        try:
            return pinned_at(question, pinned, compare=compare)
        except SymbolError as error:
            reasons.append(f"{', '.join(pinned) or 'no axis'} fixed: {error}")
    raise SymbolError(f"no formula from prime labels: {reasons[0]}")


def pins(question: Question) -> Iterator[tuple[str, ...]]:
    """Axes to keep at their size: what a module holds fast, what counts or never moves, one or two more."""
    rigid = held(question)
    yield rigid
    found = question.suited
    never = tuple(dict.fromkeys((*rigid, *found.counters, *found.stuck)))
    if not set(never) <= set(question.sizes):
        return
    if never != rigid:
        yield never
    for more in pin_sets(tuple(n for n in found.layout if n in question.sizes), question.sizes):
        yield (*never, *more)


def held(question: Question) -> tuple[str, ...]:
    """Axes a built module holds fast: at another size its forward does not run."""
    if question.target.fixed is None:
        return ()
    try:
        return tuple(n for n in question.suited.stuck if n in question.sizes)
    except AccountingError:
        return ()


def pinned_at(
    question: Question, pinned: tuple[str, ...], *, compare: bool = True, verify: bool = True
) -> Symbolic:
    """One trace for formulas with exactly these axes at their size.

    ``compare`` asks that the trace of numbers be this one at its sizes; without it the formulas are those
    of larger sizes, where a size of 1 or a special case may run otherwise.  ``verify`` runs the program at
    third labels, which nothing was read from.

    Raises:
        SymbolError: no choice of labels works, with the first reason.
    """
    axes = tuple(n for n in question.free if n not in pinned)
    if not axes:
        kept = {n: int(question.sizes[n]) for n in pinned}
        return Symbolic(_run(question, question.sizes), kept, "primes")
    counting = ", ".join(n for n in axes if n in question.layers)
    if counting:
        raise CounterError(f"{counting} decides how many layers there are")
    reasons: list[AccountingError] = []
    special = any(question.sizes.get(n) == 1 for n in axes)
    more: list[Layout] = []
    for layout in itertools.chain(layouts(question, axes), more):
        try:
            return _once(question, pinned, layout, compare=compare, verify=verify)
        except AccountingError as error:
            reasons.append(error)
            if isinstance(error, TooLargeError) and layout is not None:
                more += _smaller(layout)
            if isinstance(error, CounterError) or (isinstance(error, StreamError) and special and compare):
                break  # no label will do
    kind = UnreadableError if any(isinstance(r, UnreadableError) for r in reasons) else SymbolError
    raise kind(str(reasons[0]) if reasons else "no labels suit the program")


def _smaller(layout: Layout) -> list[Layout]:
    """The same with labels that divide less often, if there are any."""
    places = {
        n: replace(p, factor=p.factor // _LESS) if p.prime == "large" and p.factor % _OFTEN == 0 else p
        for n, p in layout.items()
    }
    return [places] if places != layout else []


def layouts(question: Question, axes: tuple[str, ...]) -> Iterator[Layout | None]:
    """Ways to choose labels for these axes, all others at their size: the plain one, and what was found."""
    found = question.suited.layout if question.like is not None else None
    if found is not None and set(axes) <= set(found):
        yield found
    yield None
    if question.like is None and set(axes) <= set(question.suited.layout):
        yield question.suited.layout


def labels_of(
    question: Question, layout: Layout | None, pinned: tuple[str, ...], turn: int, avoid: Iterable[int]
) -> Labels:
    """Labels for all axes but the pinned ones, whose sizes are part of what is a multiple of them."""
    base = question.base
    if layout is not None:
        fixed = {n: base[n] for n in pinned}
        layout = {n: _outside(place, fixed) for n, place in layout.items()}
    axes = {n: base[n] for n in question.free if n not in pinned}
    return choose(axes, layout=layout, turn=turn, avoid=avoid)


def _outside(place: Place, fixed: Mapping[str, Any]) -> Place:
    """A place among fewer labels: a size that is fixed is part of the factor."""
    kept = math.prod(fixed[n] for n in place.within if n in fixed)
    return replace(place, factor=place.factor * kept, within=tuple(n for n in place.within if n not in fixed))


def _once(
    question: Question, pinned: tuple[str, ...], layout: Layout | None, *, compare: bool, verify: bool
) -> Symbolic:
    """One attempt: run at labels, compare with the numbers, check at a third choice of labels."""
    sizes = question.sizes
    fixed = {n: s for n, s in sizes.items() if n not in question.free or n in pinned}
    avoid = constants(question)
    first = labels_of(question, layout, pinned, 0, avoid)
    here = _run(question, {**fixed, **first.values})
    if question.numbers is not None and compare:
        check = {n: sizes[n] for n in question.free if n not in pinned}
        there = question.numbers
    else:
        check = dict(labels_of(question, layout, pinned, 1, avoid).values)
        there = _run(question, {**fixed, **check})
    if not verify:
        decoder = Decoder(first, check)
        trace = decoded(here, there, decoder)
    else:
        third = labels_of(question, layout, pinned, 2, avoid).values
        run = _run(question, {**fixed, **third})
        if [op.name for op in run.ops] != [op.name for op in here.ops]:
            raise StreamError("other operators run at other sizes")
        decoder = Decoder(first, check, third_run(here, there, run, third))
        trace = _verified(decoded(here, there, decoder), run, third)
        if question.numbers is None:
            _agrees_at_base(question, trace)
    kept = {n: int(s) for n, s in fixed.items() if n in pinned and isinstance(s, int)}
    return Symbolic(trace, kept, "primes", decoder)


def read_again(question: Question, found: Symbolic) -> Symbolic:
    """The same at other sizes of the axes that were kept: one run more, read as the last one was.

    Raises:
        SymbolError: it has sizes the last one did not have.
    """
    assert found.decoder is not None
    fixed = {n: s for n, s in question.sizes.items() if n not in question.free or n in found.pinned}
    here = _run(question, {**fixed, **found.decoder.labels.values})
    kept = {n: int(question.sizes[n]) for n in found.pinned}
    return replace(found, trace=decoded(here, here, Recalled(found.decoder)), pinned=kept)


def constants(question: Question) -> set[int]:
    """Sizes the module has anyway: no label shares a prime with them."""
    trace = (question.like or question).reference
    weights = () if trace is None else trace.weights
    return {n for w in weights for n in w.shape if isinstance(n, int) and 1 < n < 10**5}


def _run(question: Question, sizes: Mapping[str, Any]) -> Trace:
    """The trace at labels, which must not leave a tensor empty that has elements at other sizes.

    Raises:
        SizeError: they do.
    """
    trace = question.recorded(sizes, question.limit, question.most_weights)
    reference = (question.like or question).reference
    if is_empty(trace) and reference is not None and not is_empty(reference):
        raise SizeError("a size is 0 at these labels")
    return trace


def _agrees_at_base(question: Question, trace: Trace) -> None:
    """Labels alone may all leave ``dim // heads`` 3: what is counted must be so at ordinary sizes, too.

    Raises:
        UnreadableError: it is not.
    """
    reference = question.reference
    if reference is None or [op.name for op in reference.ops] != [op.name for op in trace.ops]:
        return
    at = len(trace.ops) // 2
    found, wanted = fg.figures(trace, at), fg.figures(reference, at)
    sizes = {n: question.base[n] for n in question.free}
    for name in wanted:
        if name.startswith(("parameters.", "flops.")) and evaluate(found[name], sizes) != wanted[name]:
            raise UnreadableError(
                f"{name} is {wanted[name]} at {sizes}, and its formula says {evaluate(found[name], sizes)}"
            )


def _verified(trace: Trace, run: Trace, sizes: Mapping[str, int]) -> Trace:
    """The trace, whose formulas must give the numbers of a run at sizes they were not read from.

    Shapes of modules that do not are left out.

    Raises:
        UnreadableError: a figure is another one there.
    """
    at = len(run.ops) // 2
    found, wanted = fg.figures(trace, at), fg.figures(run, at)
    padded = any(op.name.startswith(LAYER) for op in trace.ops)  # its workspace is, by its own sizes
    for name, size in wanted.items():
        if padded and name.startswith(("memory.", "bytes.")):
            continue
        value = evaluate(found[name], sizes)
        if value != size:
            raise UnreadableError(f"{name} is {size} at {dict(sizes)}, and its formula says {value}")
    modules = {
        path: meta for path, meta in trace.modules.items()
        if path in run.modules and tuple(evaluate(n, sizes) for n in meta.shape) == run.modules[path].shape
    }  # fmt: skip
    return replace(trace, modules=modules)
