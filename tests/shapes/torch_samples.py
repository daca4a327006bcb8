"""torch's own database of operators: what a rule and torch make of the arguments that it holds valid."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import itertools
import os
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.overrides
from real import MASK, Refused, covers, describe, resolve
from sampling import at

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.rule import ATTRIBUTES, RULES, Layer, Record, lints, spelled
from typedtorch.shapes.size import axis
from typedtorch.shapes.tensor import UNKNOWN, Dtype, Scalar, ShapeError, Tensor, Undecided

SPACES = (
    "torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special",
    "torch.signal.windows",
)  # fmt: skip
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.bfloat16)
NOT_MODELLED = (TypeError, AttributeError, ValueError, IndexError, KeyError, ArithmeticError)
NUMPY = {"dim": "axis", "keepdim": "keepdims"}


class Foreign(Exception):
    """A sparse or nested tensor, which no annotation speaks of."""


def database(module: str, name: str) -> list[Any]:
    """A table of ``torch.testing._internal``; what importing it changes for everybody is put back.

    Raises:
        ImportError: the installed release, or what it needs for its own tests, is not there.
    """
    environment, arguments = dict(os.environ), sys.argv
    sys.argv = arguments[:1]
    try:
        with warnings.catch_warnings():
            return list(getattr(importlib.import_module(f"torch.testing._internal.{module}"), name))
    finally:
        sys.argv = arguments
        os.environ.clear()
        os.environ.update(environment)
        setattr(torch.backends, "__allow_nonbracketed_mutation_flag", True)  # a mangled name


# --- calls ------------------------------------------------------------------------------------------


@dataclass
class Sample:
    """One call of a public name with real arguments."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def attribute(self) -> bool:
        return self.name in ATTRIBUTES and self.name not in RULES

    def __str__(self) -> str:
        parts = [_text(a) for a in self.args] + [f"{k}={_text(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"


def _text(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(_text, value))})"
    return str(value)


def public_names(op: Any) -> list[str]:
    """Where a user finds the operator: as a function, a method, in place, under its other names."""
    bases = [n.rpartition(".")[2] for n in (op.name, *(a.name for a in op.aliases))]
    names = [f"{space}.{form}" for base in bases for space in SPACES for form in (base, f"{base}_")]
    known = [n for n in dict.fromkeys(names) if n in RULES or n in ATTRIBUTES]
    return [n for n in known if resolve(n) is not None]


def spread(op: Any, dtype: torch.dtype, count: int) -> list[Any]:
    """Some of the database's samples, the same in every run, from its first to its last."""
    torch.manual_seed(0)
    random.seed(0)
    made = list(itertools.islice(op.sample_inputs_func(op, "cpu", dtype, False), 200))
    if len(made) <= count:
        return made
    return [made[i * (len(made) - 1) // max(count - 1, 1)] for i in range(count)]


class _Recorder(torch.overrides.TorchFunctionMode):
    """Notes the public functions that are called, not those that they call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Sample] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = torch.overrides.resolve_name(func) or ""
        self.calls.append(Sample(name, tuple(map(_copied, args)), dict(kwargs or {})))
        return func(*args, **(kwargs or {}))


def calls_of(op: Any, given: Any) -> list[Sample]:
    """What the database's own wrapper of an operator really calls: ``einsum`` with the equation first."""
    with warnings.catch_warnings(), contextlib.suppress(Exception), torch.no_grad(), _Recorder() as recorder:
        warnings.simplefilter("ignore")
        op.op(_copied(given.input), *map(_copied, given.args), **given.kwargs)
    return [call for call in recorder.calls if call.name in RULES]


def call_torch(sample: Sample) -> Any:
    """What torch gives, for copies of the arguments.

    Raises:
        Refused: it raised.
    """
    args, kwargs = _copied(sample.args), {k: _copied(v) for k, v in sample.kwargs.items()}
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            if sample.attribute:
                return getattr(args[0], sample.name.rpartition(".")[2])
            return resolve(sample.name)(*args, **kwargs)
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return type(value)(map(_copied, value)) if type(value) in (list, tuple) else value


def as_known(value: Any, *, layout: bool = False) -> Any:
    """A real argument as the checker knows it.

    Raises:
        Foreign: it is no plain tensor.
    """
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_nested or value.dtype not in MASK:
            raise Foreign
        return Tensor(tuple(value.shape), MASK[value.dtype], layout=tuple(value.stride()) if layout else None)
    if isinstance(value, torch.dtype):
        return Dtype(MASK[value])
    if isinstance(value, complex):
        return Scalar("complex")
    if isinstance(value, (bool, int, float, str, slice)) or value is None or value is ...:
        return value
    if isinstance(value, (list, tuple)):
        made = [as_known(v, layout=layout) for v in value]
        return made if isinstance(value, list) else tuple(made)
    return UNKNOWN


def call_rule(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What the rule gives; UNKNOWN where it does not say, as in the checker."""
    function = (RULES.get(name) or ATTRIBUTES[name]).function
    try:
        with lints():
            positional, named = spelled(function, tuple(args), kwargs)
            return function(*positional, **named)
    except (Undecided, *NOT_MODELLED):
        return UNKNOWN


def call_layer(function: Any, sample: Any, forward: Any) -> Any:
    """What a module's rule gives, for the database's arguments of its constructor and its call."""
    args, kwargs = as_known(tuple(sample.args)), {k: as_known(v) for k, v in sample.kwargs.items()}
    try:
        with lints():
            made = function(*args, **kwargs)
            assert isinstance(made, Layer)
            given = {k: as_known(v) for k, v in forward.kwargs.items()}
            return made.forward(*as_known(tuple(forward.args)), **given)
    except (Undecided, *NOT_MODELLED):
        return UNKNOWN


# --- comparing --------------------------------------------------------------------------------------


def disagreement(sample: Sample) -> str | None:
    """What is false in a rule's answer to a call that torch takes; None where nothing is.

    Raises:
        Refused: torch does not take it.
        Foreign: it is about tensors that are not modelled.
    """
    args, kwargs = as_known(tuple(sample.args)), {k: as_known(v) for k, v in sample.kwargs.items()}
    result = call_torch(sample)
    if _foreign(result) or result is NotImplemented:
        raise Foreign
    real = describe(result)
    try:
        answer = call_rule(sample.name, args, kwargs)
        laid_out = call_rule(
            sample.name,
            as_known(tuple(sample.args), layout=True),
            {k: as_known(v, layout=True) for k, v in sample.kwargs.items()},
        )
    except ShapeError as error:
        return f"{sample}: refused ({error.message}), torch gives {_text(result)}"
    if answer is UNKNOWN:
        return None
    if not covers(answer, real):
        return f"{sample}: {_known_text(answer)}, torch gives {_text(result)}"
    problem = _names(answer, result) or ("out" not in sample.kwargs and _strides(laid_out, result)) or None
    problem = problem or _in_letters(sample.name, args, kwargs, real)
    return f"{sample}: {problem}" if problem else None


def _foreign(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.layout is not torch.strided
    return isinstance(value, (list, tuple)) and any(map(_foreign, value))


def _known_text(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{Dtype(value.dtype)}{list(value.shape)}"
    return f"({', '.join(map(_known_text, value))})" if isinstance(value, (list, tuple)) else str(value)


def _names(answer: Any, result: Any) -> str | None:
    """The fields of a record are the items of the real one."""
    names = answer.names if isinstance(answer, Record) else ()
    wrong = [n for i, n in enumerate(names) if getattr(result, n, None) is not result[i]]
    return f"no field {wrong[0]} in {type(result).__name__}" if wrong else None


def _strides(answer: Any, result: Any) -> str | None:
    """A layout that is said is that of the real tensor; along an axis of size 1 any step will do."""
    if isinstance(answer, (list, tuple)) and isinstance(result, (list, tuple)):
        return next((p for p in itertools.starmap(_strides, zip(answer, result, strict=False)) if p), None)
    if not isinstance(answer, Tensor) or answer.layout is None or not isinstance(result, torch.Tensor):
        return None
    steps = zip(answer.layout, result.stride(), result.shape, strict=True)
    if result.numel() and any(isinstance(a, int) and a != r for a, r, size in steps if size != 1):
        return f"strides {answer.layout}, torch has {result.stride()}"
    return None


def _in_letters(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], real: Any) -> str | None:
    """With a name for each size the answer is the same; names may claim more sizes than torch takes."""
    names: dict[int, str] = {}
    lifted = [_lifted(a, names) for a in args]
    try:
        answer = call_rule(name, lifted, {k: _lifted(v, names) for k, v in kwargs.items()})
    except ShapeError:
        return None
    made = at(answer, {letter: size for size, letter in names.items()})
    return None if covers(made, real) or _negative(made) else f"in letters {_known_text(answer)}"


def _lifted(value: Any, names: dict[int, str]) -> Any:
    if isinstance(value, Tensor):
        sizes = (
            axis(names.setdefault(e, f"s{e}")) if isinstance(e, int) and e > 1 else e for e in value.shape
        )
        return Tensor(tuple(sizes), value.dtype)
    if isinstance(value, (list, tuple)):
        made = [_lifted(v, names) for v in value]
        return made if isinstance(value, list) else tuple(made)
    return value


def _negative(value: Any) -> bool:
    """A named axis is taken to be as large as the call asks of it."""
    if isinstance(value, Tensor):
        return any(isinstance(e, int) and e < 0 for e in value.shape)
    return isinstance(value, (list, tuple)) and any(map(_negative, value))


# --- other forms of a call --------------------------------------------------------------------------


def permuted(sample: Sample) -> Sample:
    """The same tensors with their axes in another order in memory."""

    def turned(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.ndim > 1 and value.layout is torch.strided:
            return value.detach().transpose(0, -1).contiguous().transpose(0, -1)
        return type(value)(map(turned, value)) if type(value) in (list, tuple) else value

    return Sample(sample.name, turned(sample.args), {k: turned(v) for k, v in sample.kwargs.items()})


def by_keyword(sample: Sample) -> Iterator[Sample]:
    """All arguments, or all but the first, under their names, and under numpy's."""
    for order in _parameter_names(sample.name):
        for start in (0, 1) if not sample.name.startswith("torch.Tensor.") else (1,):
            named = dict(zip(order[start:], sample.args[start:], strict=False))
            if len(order) < len(sample.args) or not named or set(named) & set(sample.kwargs):
                continue
            if isinstance(named.get("dim"), torch.Tensor):
                continue
            kwargs = {**sample.kwargs, **named}
            yield Sample(sample.name, sample.args[:start], kwargs)
            if not NUMPY.keys().isdisjoint(kwargs):
                yield Sample(
                    sample.name, sample.args[:start], {NUMPY.get(k, k): v for k, v in kwargs.items()}
                )


def into(sample: Sample, result: Any) -> Iterator[Sample]:
    """With ``out=``, of what came out without it."""
    made = result if isinstance(result, tuple) else (result,)
    if all(isinstance(r, torch.Tensor) for r in made) and "out" not in sample.kwargs:
        places = tuple(map(torch.empty_like, made))
        out = places if isinstance(result, tuple) else places[0]
        yield Sample(sample.name, sample.args, {**sample.kwargs, "out": out})


@functools.cache
def _schemas() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for schema in torch._C._jit_get_all_schemas():
        names = [{"self": "input"}.get(a.name, a.name) for a in schema.arguments if not a.kwarg_only]
        found.setdefault(schema.name, []).append(names)
    return found


def _parameter_names(name: str) -> list[list[str]]:
    """The names of the positional parameters of each overload."""
    try:
        return [list(inspect.signature(resolve(name)).parameters)]
    except (ValueError, TypeError):
        space, _, base = name.rpartition(".")
        prefix = {"torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_"}.get(space, "")
        orders = _schemas().get(f"aten::{prefix}{base}", [])
        return [order for i, order in enumerate(orders) if order not in orders[:i]]
