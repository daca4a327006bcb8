"""What is asked of the engines: formulas of a target at sizes, run in some way, and what one of them needs
to know of it: sizes it runs at, labels that suit it, how many operators are too many.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from typedtorch.accounting.attempts import guesses
from typedtorch.accounting.decode import decoded
from typedtorch.accounting.errors import AccountingError, SymbolError
from typedtorch.accounting.program import Call, record
from typedtorch.accounting.stage import Setup, World
from typedtorch.accounting.suited import Search, Suited, is_empty
from typedtorch.accounting.target import Target
from typedtorch.accounting.trace import Trace

EVEN, LESS = 64, 4  # labels that divide by the one do by a part of it, where they are too large
_MOST_OPERATORS, _MOST_WEIGHTS = 50_000, 5_000
_LONGER = 10  # times as many turns and layers as at the sizes, where several of their sizes are tried
_SPARE = 200  # operators more than twice as many that a program may run before it counts the turns of a loop


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
        known: dict[tuple[int, ...], Trace] = {}  # a search comes back to where it has been

        def run(sizes: Mapping[str, int]) -> Trace:
            at = tuple(sizes[n] for n in self.free)
            if at not in known:
                known[at] = self._forward({**rest, **sizes}, self.limit_forward, self.most_weights)
            return known[at]

        base = {n: self.base[n] for n in self.free}
        unknown = frozenset(n for n in self.free if n not in self.sizes)
        settings = (run, decoded, base, self.free, constants(self), self.layers, unknown)
        search = Search(*settings)
        found = search.result()
        if search.too_large and len(found.layout) < len(self.free):
            smaller = Search(*settings, even=EVEN // LESS**2).result()
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
            if (
                two is not None
                and two != one
                and self._weights({**sizes, name: sizes[name] + 2}) not in (None, two)
            ):
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


def constants(question: Question) -> set[int]:
    """Sizes the module has anyway: no label shares a prime with them."""
    trace = (question.like or question).reference
    weights = () if trace is None else trace.weights
    return {n for w in weights for n in w.shape if isinstance(n, int) and 1 < n < 10**5}
