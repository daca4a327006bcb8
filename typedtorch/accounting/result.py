"""The figures of an account: computed from its trace when they are asked for, as numbers or as formulas."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from typedtorch.accounting import figures as fg
from typedtorch.accounting import timeline as tl
from typedtorch.accounting.devices import Dtype
from typedtorch.accounting.engines import Engine, Question, Symbolic, by_primes, by_symbols
from typedtorch.accounting.errors import AccountingError, SizeError, SymbolError
from typedtorch.accounting.flops import Uncounted, require_counted, uncounted
from typedtorch.accounting.formula import Formula, cancelled
from typedtorch.accounting.optimizers import OptimizerSpec, resolve
from typedtorch.accounting.program import Call, record
from typedtorch.accounting.records import Flops, Memory, ModuleCost, OperatorCost, Parameters
from typedtorch.accounting.sizes import of_module
from typedtorch.accounting.stage import Setup
from typedtorch.accounting.target import Target
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import Size, evaluate


class Figures:
    """What a target costs at given sizes; figures are computed when they are asked for."""

    def __init__(
        self,
        target: Target,
        sizes: Mapping[str, Any],
        unbound: tuple[str, ...],
        *,
        setup: Setup,
        optimizer: OptimizerSpec,
        strict: bool,
    ) -> None:
        self.target, self.sizes, self.unbound = target, dict(sizes), unbound
        self.setup, self._optimizer, self.strict = setup, optimizer, strict
        self._symbolic: dict[Engine, Symbolic] = {}
        self._formulas: dict[Engine, dict[str, Size]] = {}
        if not unbound:
            self.trace  # noqa: B018 - errors belong to the call that asked, not to the first figure

    @functools.cached_property
    def call(self) -> Call:
        return self.target.call(self.sizes)

    def setup_for(self, call: Call) -> Setup:
        """The setup with the optimizer made ready for a module."""
        return replace(self.setup, optimizer=resolve(self._optimizer, call.module))

    @functools.cached_property
    def trace(self) -> Trace:
        """The stream of operators at these sizes."""
        if self.unbound:
            raise SizeError(
                f"no number without a size for {', '.join(self.unbound)}: pass {self.unbound[0]}=..., "
                "or ask for .formula(...)"
            )
        trace = record(self.call, self.sizes, self.setup_for(self.call))
        if self.strict:
            require_counted(uncounted(trace.ops))
        return trace

    @functools.cached_property
    def _question(self) -> Question:
        own = () if self.target.constructor is not None else of_module(self.call.module, self.sizes)
        free = [n for n in (*self.sizes, *self.unbound) if n not in own]
        plain = tuple(n for n in free if not isinstance(self.sizes.get(n), tuple))
        numbers = None if self.unbound else self.trace
        return Question(self.target, self.sizes, plain, self.setup_for, numbers)

    def symbolic(self, engine: Engine = "primes") -> Symbolic:
        """The trace with polynomials for sizes, by one of the two engines.

        Raises:
            SymbolError: the engine finds no formula.
        """
        if engine not in self._symbolic:
            derive = by_primes if engine == "primes" else by_symbols
            self._symbolic[engine] = derive(self._question)
        return self._symbolic[engine]

    def formula(self, name: str, *, engine: Engine | None = None) -> Formula:
        """A figure as an exact polynomial in the names of the axes.

        Names are those of the records: ``"flops.forward"``, ``"memory.saved"``, ``"parameters.total"``,
        ``"bytes.step"``.  The peak is the polynomial active at the account's sizes.  Where a figure is no
        polynomial in some axis (a loop over it, a size of 1 that changes what is copied), the formula
        keeps that axis at its size and says so in ``pinned``.

        Raises:
            AccountingError: no figure of that name.
            SymbolError: no formula can be derived.
        """
        found = self._figures(engine or "primes")
        if name not in found:
            raise AccountingError(f"formula({name!r}): the figures are {', '.join(sorted(found))}")
        symbolic = self.symbolic(engine or "primes")
        size = cancelled(found[name]) if symbolic.engine == "primes" else found[name]
        return Formula(name, size, dict(symbolic.pinned))

    def _figures(self, engine: Engine) -> dict[str, Size]:
        if engine not in self._formulas:
            trace = self.symbolic(engine).trace
            found = fg.figures(trace, self._peak_of(trace, engine))
            if self.unbound:  # which moment is the peak depends on the sizes
                found = {k: v for k, v in found.items() if not k.startswith("memory.peak")}
            self._formulas[engine] = found
        return self._formulas[engine]

    def _peak_of(self, trace: Trace, engine: Engine) -> int:
        """The operator at the peak; the second engine's stream may hold other operators."""
        if self.unbound:
            return 0
        if engine == "primes":
            return self.peak.at
        sizes = {n: s for n, s in self.sizes.items() if isinstance(s, int)}
        storages = [replace(s, nbytes=evaluate(s.nbytes, sizes)) for s in trace.storages]
        return tl.peak(replace(trace, storages=storages)).at

    @property
    def uncounted(self) -> tuple[Uncounted, ...]:
        """Operators that ran and have no FLOP formula: nothing is silently zero."""
        last = self.trace.ops[-1].step if self.trace.ops else 0
        return uncounted(op for op in self.trace.ops if op.step == last)

    @functools.cached_property
    def numbers(self) -> dict[str, int]:
        """Every figure by its dotted name."""
        return {name: tl.number(size) for name, size in fg.figures(self.trace, self.peak.at).items()}

    @property
    def name(self) -> str:
        """What was accounted for."""
        target = self.call.function
        return str(getattr(target, "__name__", None) or type(target).__name__)

    def named_shape(self, path: str) -> str | None:
        """The output of a module in the names of the axes; None where no formula is known."""
        try:
            meta = self.symbolic().trace.modules.get(path)
        except SymbolError:
            return None
        return None if meta is None else " ".join(str(n).replace(" ", "") for n in meta.shape)

    @functools.cached_property
    def costs(self) -> list[fg.Cost]:
        """The calls of one step with their FLOPs and bytes."""
        return fg.costs(self.trace)

    @functools.cached_property
    def peak(self) -> tl.Peak:
        return tl.peak(self.trace)

    @functools.cached_property
    def parameters(self) -> Parameters:
        counts = {k: tl.number(v) for k, v in fg.parameters(self.trace).items()}
        modules: dict[str, int] = {}
        for weight in self.trace.weights:
            for path in _ancestors(weight.path.rpartition(".")[0]):
                modules[path] = modules.get(path, 0) + tl.number(weight.numel)
        return Parameters(**counts, by_module=modules)

    @functools.cached_property
    def flops(self) -> Flops:
        counts = {k: tl.number(v) for k, v in fg.flops(self.costs).items()}
        return Flops(**counts)

    @functools.cached_property
    def memory(self) -> Memory:
        peak = self.peak
        numbers = {k: tl.number(v) for k, v in fg.memory(self.trace, peak.at).items()}
        numbers.pop("peak_activations")
        op = self.trace.ops[peak.at] if self.trace.ops else None
        first_end = self.trace.marks.get((0, "optimizer"), len(self.trace.ops))
        return Memory(
            **numbers,
            peak_operator=op.name if op else "",
            peak_module=op.path if op else "",
            peak_phase=op.phase if op else "",
            peak_parts=peak.parts,
            first_peak=tl.peak(self.trace, 0, first_end).bytes,
        )

    @property
    def bytes_moved(self) -> int:
        """Bytes read and written by the operators of a step, each operand once."""
        return sum(tl.number(c.bytes) * c.op.times * n for c, n in fg.repeated(self.costs))

    @property
    def intensity(self) -> float:
        """FLOPs per byte moved, over a step."""
        return self.flops.step / self.bytes_moved if self.bytes_moved else 0.0

    @property
    def compute_dtype(self) -> Dtype:
        """The dtype most multiply-adds are done in."""
        weight: dict[Any, int] = {}
        for cost, calls in fg.repeated(self.costs):
            if cost.count.matmul and cost.op.ins:
                kind = cost.op.ins[0].dtype
                weight[kind] = weight.get(kind, 0) + tl.number(cost.count.matmul) * calls
        return max(weight, key=lambda d: weight[d]) if weight else "fp32"

    @functools.cached_property
    def modules(self) -> dict[str, ModuleCost]:
        """Parameters, FLOPs and bytes by module path, children included; the root is ``""``."""
        sums: dict[str, list[int]] = {path: [0, 0, 0, 0] for path in self.parameters.by_module}
        for cost, where in fg.placed(self.costs, self.trace.copies):
            if cost.op.phase == "optimizer":
                continue
            work = tl.number(cost.count.matmul) * cost.op.times
            for path in _ancestors(where):
                row = sums.setdefault(path, [0, 0, 0, 0])
                row[0 if cost.op.phase == "forward" else 1] += work if cost.op.phase != "recompute" else 0
                row[2] += tl.number(cost.bytes) * cost.op.times
                row[3] += cost.op.times
        owned = self.parameters.by_module
        return {path: ModuleCost(owned.get(path, 0), *row) for path, row in sums.items()}

    @functools.cached_property
    def operators(self) -> dict[str, OperatorCost]:
        """Calls, FLOPs and bytes of a step by operator, the most expensive first."""
        sums: dict[str, list[int]] = {}
        for cost, calls in fg.repeated(self.costs):
            times = cost.op.times * calls
            row = sums.setdefault(cost.op.name, [0, 0, 0])
            row[0] += times
            row[1] += tl.number(cost.count.matmul + cost.count.recompute) * times
            row[2] += tl.number(cost.bytes) * times
        ordered = sorted(sums.items(), key=lambda item: (-item[1][1], -item[1][2]))
        return {name: OperatorCost(*row) for name, row in ordered}


def _ancestors(path: str) -> list[str]:
    """``a.b.c`` -> ``"", "a", "a.b", "a.b.c"``."""
    parts = path.split(".") if path else []
    return ["", *(".".join(parts[: i + 1]) for i in range(len(parts)))]
