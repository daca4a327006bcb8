"""The rule table against torch's own database of operators and modules, which nobody here wrote.

What torch takes no rule refuses, and what a rule says of it is true: shape, dtype, fields, strides, in
numbers and with a name for each size, whatever the form of the call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from real import Refused, covers, describe, resolve
from torch_samples import (
    DTYPES,
    Foreign,
    Sample,
    as_known,
    by_keyword,
    call_layer,
    call_rule,
    call_torch,
    calls_of,
    database,
    disagreement,
    into,
    permuted,
    public_names,
    spread,
)

from typedtorch.shapes.rule import LAYERS
from typedtorch.shapes.tensor import UNKNOWN, ShapeError

pytest.importorskip("expecttest", reason="torch's database of operators is made with it")
try:
    OPERATORS = [op for op in database("common_methods_invocations", "op_db") if public_names(op)]
    _CLASSES = {resolve(name): row.function for name, row in LAYERS.items()}
    MODULES = [info for info in database("common_modules", "module_db") if info.module_cls in _CLASSES]
except ImportError as error:
    pytest.skip(f"torch's database of operators: {error}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")

# Where a rule says more than torch promises, on purpose.
EXCEPTIONS = {
    "torch.bincount": "who gives minlength means that there are no more classes",
    "torch.Tensor.bincount": "likewise",
}
_IDS = [f"{op.name}{f'-{op.variant_test_name}' if op.variant_test_name else ''}" for op in OPERATORS]


def _calls(op: Any) -> Iterator[Sample]:
    """Samples of every dtype, and other forms of the first."""
    names = [n for n in public_names(op) if n not in EXCEPTIONS]
    for dtype in DTYPES:
        if dtype not in op.supported_dtypes("cpu"):
            continue
        for i, given in enumerate(spread(op, dtype, 12 if dtype is DTYPES[0] else 5)):
            direct = [Sample(name, (given.input, *given.args), dict(given.kwargs)) for name in names]
            for sample in (*direct, *(call for call in calls_of(op, given) if call.name not in EXCEPTIONS)):
                yield sample
                if dtype is DTYPES[0] and i < 4 and not sample.attribute:
                    yield from _other_forms(sample)


def _other_forms(sample: Sample) -> Iterator[Sample]:
    yield permuted(sample)
    yield from by_keyword(sample)
    with contextlib.suppress(Refused):
        yield from into(sample, call_torch(sample))


@pytest.mark.parametrize("op", OPERATORS, ids=_IDS)
def test_what_a_rule_says_of_torchs_own_samples_is_true(op: Any) -> None:
    problems, accepted = [], 0
    for sample in _calls(op):
        with contextlib.suppress(Refused, Foreign):
            problem = disagreement(sample)
            accepted += 1
            if problem:
                problems.append(problem)
    assert not problems, "\n".join(dict.fromkeys(problems))
    if not accepted:
        pytest.skip("no sample is a call of the public name with plain tensors")


def test_most_of_the_database_has_rules() -> None:
    assert len({op.name for op in OPERATORS}) >= 480
    assert len(MODULES) >= 100


def test_errors_about_shapes_are_refused() -> None:
    """Of the calls that torch's database holds to be errors, those that speak of shapes, axes and dtypes."""
    refused = missed = 0
    for op in OPERATORS:
        if op.error_inputs_func is None:
            continue
        for error in op.error_inputs_func(op, "cpu"):
            given = error.sample_input
            for name in public_names(op):
                verdict = _refused(Sample(name, (given.input, *given.args), dict(given.kwargs)))
                refused += verdict is True
                missed += verdict is False
    assert refused > 300
    assert refused > 0.75 * (refused + missed), (refused, missed)


_ABOUT_SHAPES = (
    "shape", "size", "dimension", "dim ", "dtype", "broadcast", "must match", "same number", "expected input",
    "Long", "scalar type",
)  # fmt: skip


def _refused(sample: Sample) -> bool | None:
    """Whether the rule refuses what torch refuses for a shape or dtype; None where it has another reason."""
    try:
        args, kwargs = as_known(tuple(sample.args)), {k: as_known(v) for k, v in sample.kwargs.items()}
        call_torch(sample)
    except Foreign:
        return None
    except Refused as refusal:
        if str(refusal).startswith("TypeError") or not any(w in str(refusal) for w in _ABOUT_SHAPES):
            return None
    else:
        return None
    try:
        call_rule(sample.name, args, kwargs)
    except ShapeError:
        return True
    return False


# --- modules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("info", MODULES, ids=[info.name for info in MODULES])
def test_what_a_modules_rule_says_of_torchs_own_samples_is_true(info: Any) -> None:
    function = _CLASSES[info.module_cls]
    problems = []
    for dtype in (torch.float32, torch.bfloat16, torch.complex64):
        for training in (True, False) if dtype in info.dtypes else ():
            torch.manual_seed(0)
            made = info.module_inputs_func(
                info, device="cpu", dtype=dtype, requires_grad=False, training=training
            )
            problems += [
                p for one in made[:12] if (p := _module_problem(info, function, one, dtype, training))
            ]
    assert not problems, "\n".join(dict.fromkeys(problems))


def _module_problem(info: Any, function: Any, made: Any, dtype: torch.dtype, training: bool) -> str | None:
    constructor, forward = made.constructor_input, made.forward_input
    try:
        module = info.module_cls(*constructor.args, **constructor.kwargs).to(dtype).train(training)
        with torch.no_grad():
            real = describe(module(*forward.args, **forward.kwargs))
    except Exception:
        return None  # not for this dtype, or without data to call it with
    call = f"{Sample(info.name, tuple(constructor.args), dict(constructor.kwargs))}"
    try:
        answer = call_layer(function, constructor, forward)
    except Foreign:
        return None
    except ShapeError as error:
        return f"{call} on {dtype}: refused ({error.message}), torch gives {real}"
    return (
        None
        if answer is UNKNOWN or covers(answer, real)
        else f"{call} on {dtype}: {answer}, torch gives {real}"
    )
