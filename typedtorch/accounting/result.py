"""The figures of an account: computed from its trace when they are asked for, as numbers or as formulas."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from typedtorch.accounting import annotations as an
from typedtorch.accounting import figures as fg
from typedtorch.accounting import timeline as tl
from typedtorch.accounting.attempts import guesses
from typedtorch.accounting.candidate import figures_of
from typedtorch.accounting.checks import meant, one_of, shown
from typedtorch.accounting.derive import Derivation
from typedtorch.accounting.devices import Dtype
from typedtorch.accounting.engines import Engine, Symbolic, by_primes
from typedtorch.accounting.errors import AccountingError, SizeError, SymbolError
from typedtorch.accounting.flops import Uncounted, require_counted, uncounted
from typedtorch.accounting.formula import Formula, cancelled
from typedtorch.accounting.optimizers import OptimizerSpec, resolve
from typedtorch.accounting.program import Call, record, weights_of
from typedtorch.accounting.question import Question
from typedtorch.accounting.records import Flops, Memory, ModuleCost, OperatorCost, Parameters
from typedtorch.accounting.sizes import of_module
from typedtorch.accounting.stage import Setup, World
from typedtorch.accounting.target import Target
from typedtorch.accounting.trace import Trace, Weight
from typedtorch.accounting.witness import witnesses
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
        several: tuple[str, ...] = (),
    ) -> None:
        self.target, self.sizes, self.unbound = target, dict(sizes), unbound
        self._several = several  # names that may stand for several axes, or for none
        self.setup, self._optimizer, self.strict = setup, optimizer, strict
        self._symbolic: dict[Engine, list[Symbolic]] = {}
        self._formulas: dict[tuple[Engine, int, bool], dict[str, Size]] = {}
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
        """The stream of operators at these sizes.

        Raises:
            SizeError: an axis has no size.
        """
        if self.unbound:
            raise SizeError(f"no numbers {self._missing()}, or ask for .formula(...)")
        trace = record(self.call, self.sizes, self.setup_for(self.call), World(checked=True))
        if self.strict:
            require_counted(uncounted(trace.ops))
        return trace

    def _missing(self) -> str:
        """Which axes have no size, and how to give them one."""
        wanted = ", ".join(f"{name}=..." for name in self.unbound)
        return f"without a size for {', '.join(self.unbound)}: pass {wanted}"

    @functools.cached_property
    def _question(self) -> Question:
        own = () if self.target.constructor is not None else of_module(self.call.module, self.sizes)
        sizes = an.parts(self.sizes)
        free = tuple(n for n in (*sizes, *self.unbound, *self._loose) if n not in own)
        numbers = None if self.unbound else self.trace
        return Question(self.target, sizes, free, self.setup_for, numbers)

    @property
    def _loose(self) -> tuple[str, ...]:
        """Names that may stand for several axes and have no size: in a formula without sizes, for one."""
        return tuple(n for n in self._several if self.unbound and n not in self.sizes)

    @functools.cached_property
    def _counts(self) -> dict[str, int]:
        """How many axes each name stands for that may stand for several."""
        given = {n: self.sizes.get(n, ()) for n in self._several if n not in self._loose}
        return {n: len(size) if isinstance(size, tuple) else 1 for n, size in given.items()}

    def symbolic(self, engine: Engine = "primes") -> Symbolic:
        """The trace with polynomials for sizes, by one of the two engines.

        Raises:
            SymbolError: the engine finds no formula.
        """
        return self._traces(engine)[0]

    def _traces(self, engine: Engine) -> list[Symbolic]:
        """What an engine finds: the second one has two ways, where the first of them leaves axes fixed."""
        if engine not in self._symbolic:
            if engine == "primes":
                self._symbolic[engine] = [by_primes(self._question)]
            else:
                self._symbolic[engine] = witnesses(self._question)
        return self._symbolic[engine]

    def formula(
        self, name: str, *, module: str | None = None, operator: str | None = None,
        engine: Engine | None = None,
    ) -> Formula:  # fmt: skip
        """A figure as an exact polynomial in the names of the axes.

        Names are those of the records: ``"flops.forward"``, ``"memory.saved"``, ``"parameters.total"``,
        ``"bytes.step"``; with ``module=`` a path those of :class:`ModuleCost`, with ``operator=`` those of
        :class:`OperatorCost`.  The peak is the polynomial active at the account's sizes.  Where a figure is
        no polynomial in some axis, the formula keeps that axis at its size and says so (``pinned``, ``why``).
        ``engine`` asks one of the two ways to formulas alone.

        Raises:
            AccountingError: no figure of that name, or a peak without sizes.
            SymbolError: no formula can be derived.

        >>> from torch import nn, Tensor
        >>> from jaxtyping import Float
        >>> class Wide(nn.Module):
        ...     def __init__(self, d_model: int, d_ff: int) -> None:
        ...         super().__init__()
        ...         self.up = nn.Linear(d_model, d_ff)
        ...     def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_ff"]:
        ...         return self.up(x)
        >>> from typedtorch.accounting import account
        >>> a = account(Wide)
        >>> print(a.formula("flops.forward"), "|", a.formula("forward", module="up"))
        2*batch*d_ff*d_model | 2*batch*d_ff*d_model
        >>> account(Wide, d_model=4, d_ff=8).formula("flops.forward").subs(batch=2, d_model=4, d_ff=8)
        128
        """
        full = _full_name(name, module, operator)
        self._check_name(full)
        if engine is not None:
            one_of("formula: engine", engine, get_args(Engine))
        found = self._derivation.formula(full) if engine is None else self._by(engine, full)
        return replace(found, several=self._counts)

    def _by(self, engine: Engine, name: str) -> Formula:
        """The formula one engine finds, which must be the number at the sizes."""
        sizes = an.parts(self.sizes)
        wrong = ""
        for at, symbolic in enumerate(self._traces(engine)):
            key = engine, at, "[" in name
            if key not in self._formulas:
                trace = symbolic.trace
                self._formulas[key] = (
                    fg.parts(trace) if "[" in name else figures_of(trace, None if self.unbound else sizes)
                )
            found = self._formulas[key]
            size = cancelled(found[name]) if name in found else 0
            if self.unbound or evaluate(size, sizes) == self._number_of(name):
                return Formula(name, size, dict(symbolic.pinned))
            wrong = wrong or f"{size} at these sizes is {evaluate(size, sizes)}, not {self._number_of(name)}"
        raise SymbolError(
            f"{name}: other operators run on symbolic integers than on numbers ({wrong}); "
            "the formula without engine= is the one of the numbers"
        )

    def _check_name(self, name: str) -> None:
        if self.unbound and name in ("memory.peak", "memory.peak_activations", "memory.first_peak"):
            raise AccountingError(
                f"formula({name!r}): which moment is the peak depends on the sizes; there is no peak "
                + self._missing()
            )
        known: Iterable[str] = fg.FIGURES
        if "[" in name:
            known = self._parts
        if name not in known:
            raise AccountingError(_unknown(name, known))

    @functools.cached_property
    def _parts(self) -> dict[str, Size]:
        return fg.parts(self.symbolic().trace if self.unbound else self.trace)

    @functools.cached_property
    def _derivation(self) -> Derivation:
        return Derivation(self._question, None if self.unbound else self._number_of)

    def _number_of(self, name: str) -> int:
        return self.numbers[name] if name in self.numbers else tl.number(self._parts[name])

    @property
    def uncounted(self) -> tuple[Uncounted, ...]:
        """Operators that ran and have no FLOP formula: nothing is silently zero."""
        last = self.trace.ops[-1].step if self.trace.ops else 0
        return uncounted(op for op in self.trace.ops if op.step == last)

    @functools.cached_property
    def numbers(self) -> dict[str, int]:
        """Every figure by its dotted name."""
        found = fg.figures(self.trace, self.peak.at, self._first_peak.at)
        return {name: tl.number(size) for name, size in found.items()}

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
    def _first_peak(self) -> tl.Peak:
        return tl.peak(self.trace, 0, self.trace.marks.get((0, "optimizer"), len(self.trace.ops)))

    @functools.cached_property
    def parameters(self) -> Parameters:
        """Counts of learned numbers; they need only the sizes the module is built from.

        Raises:
            SizeError: an axis that builds the module has no size.
        """
        if any(name in self.target.arguments for name in self.unbound):
            raise SizeError(f'no numbers {self._missing()}, or ask for .formula("parameters.total")')
        bare = Trace(weights=self._weights)
        counts = {k: tl.number(v) for k, v in fg.parameters(bare).items()}
        modules = {p: tl.number(row["parameters"]) for p, row in fg.by_module(bare, []).items()}
        return Parameters(**counts, by_module=modules)

    @property
    def _weights(self) -> tuple[Weight, ...]:
        """The learned tensors; which are looked up is seen at any sizes the forward runs with."""
        if not self.unbound:
            return self.trace.weights
        forward = replace(self.setup, phase="inference")
        for guess in itertools.islice(guesses(self.unbound), 12):
            sizes = {**self.sizes, **guess}
            with contextlib.suppress(AccountingError):
                return record(self.call, sizes, forward).weights
        return () if self.call.module is None else weights_of(self.call.module, set())

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
        return Memory(
            **numbers,
            peak_operator=op.name if op else "",
            peak_module=op.path if op else "",
            peak_phase=op.phase if op else "",
            peak_parts=peak.parts,
            first_peak=self._first_peak.bytes,
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
        rows = fg.by_module(self.trace, self.costs)
        return {p: ModuleCost(**{k: tl.number(v) for k, v in row.items()}) for p, row in rows.items()}

    @functools.cached_property
    def operators(self) -> dict[str, OperatorCost]:
        """Calls, FLOPs and bytes of a step by operator, the most expensive first."""
        rows = fg.by_operator(self.costs)
        found = {n: OperatorCost(**{k: tl.number(v) for k, v in row.items()}) for n, row in rows.items()}
        return dict(sorted(found.items(), key=lambda item: (-item[1].flops, -item[1].bytes)))


def _unknown(name: str, known: Iterable[str]) -> str:
    """Which figures there are: of a module or an operator, which of those and of what."""
    if "[" not in name:
        return f"formula({name!r}): {meant(name, known)}the figures are {', '.join(sorted(known))}"
    kind, _, rest = name.partition("s[")
    owner, _, field = rest.rpartition("].")
    of = f"{kind}s[{owner}]."
    fields = sorted(n.removeprefix(of) for n in known if n.startswith(of))
    if fields:
        return (
            f"formula({field!r}, {kind}={owner!r}): {meant(field, fields)}wanted one of {', '.join(fields)}"
        )
    owners = sorted({n.partition("[")[2].rpartition("].")[0] for n in known if n.startswith(f"{kind}s[")})
    return f"formula: no {kind} is {owner!r}: {meant(owner, owners)}there are {', '.join(map(repr, owners))}"


def _full_name(name: str, module: str | None, operator: str | None) -> str:
    for value, what in (
        (name, "the name of a figure"),
        (module, "a module's path"),
        (operator, "an operator"),
    ):
        if not isinstance(value, str) and (value is not None or what.startswith("the")):
            raise AccountingError(f"formula: wanted {what} as text, got {shown(value)}")
    if module is not None and operator is not None:
        raise AccountingError("formula: module= or operator=, not both")
    if module is not None:
        return f"modules[{module}].{name}"
    return name if operator is None else f"operators[{operator}].{name}"
