"""Formulas from prime labels: run the program at labels and read the sizes back (:mod:`labels`).

This needs nothing private of torch.  The other engine (:mod:`witness`) runs the program on torch's symbolic
integers.  Both give a trace whose sizes are polynomials, operator by operator like the trace of numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from typedtorch.accounting import figures as fg
from typedtorch.accounting.attempts import pin_sets
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
from typedtorch.accounting.question import EVEN, LESS, Question, constants
from typedtorch.accounting.reading import Decoder
from typedtorch.accounting.suited import is_empty
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import evaluate

Engine = Literal["primes", "symbols"]


@dataclass(frozen=True)
class Symbolic:
    """A trace of polynomials, and the axes that had to keep their size for it to be one.

    ``decoder`` read it, where it was read off labels.
    """

    trace: Trace
    pinned: Mapping[str, int]
    engine: Engine
    decoder: Decoder | None = None

    @property
    def read_at(self) -> Mapping[str, int]:
        """Sizes of a run it was read from."""
        return {**self.pinned, **(self.decoder.labels.values if self.decoder is not None else {})}


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
        CounterError: an axis is seen to count layers or turns at the first labels.
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
            if isinstance(error, CounterError) and not reasons:
                raise  # nor would it run there with something else to compare with
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
        n: replace(p, factor=p.factor // LESS) if p.prime == "large" and p.factor % EVEN == 0 else p
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
