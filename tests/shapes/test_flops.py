"""FLOPs of the rules are those that torch counts, where both count."""

from __future__ import annotations

import pytest
from properties import draws
from real import realise, resolve, run_rule
from sampling import at, draw_sizes, letters
from torch.utils.flop_counter import FlopCounterMode

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.rule import RULES
from typedtorch.shapes.size import axis, evaluate
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided

COUNTED = sorted(n for n, row in RULES.items() if row.flops is not None)


@pytest.mark.parametrize("name", COUNTED)
def test_flops_are_torchs(name: str) -> None:
    row = RULES[name]
    compared = 0
    assert row.flops is not None
    for rng, template in draws(row, "function", 40, 7):
        call = at(template, draw_sizes(letters(template), rng, distinct=False))
        try:
            run_rule(row, "function", call)
            counted = row.flops(*call.args, **call.kwargs)
        except (ShapeError, Undecided):
            continue
        args, kwargs = realise(call.args, "cpu", 1), {k: realise(v, "cpu", 1) for k, v in call.kwargs.items()}
        try:
            with FlopCounterMode(display=False) as counter:
                resolve(name)(*args, **kwargs)
        except (RuntimeError, IndexError):
            continue
        if counter.get_total_flops():
            compared += 1
            assert counted == counter.get_total_flops(), f"{name}{call.args} {call.kwargs}"
    assert compared, "torch counts none of the draws"


def test_flops_in_letters() -> None:
    b, s, d, k = (axis(x) for x in ("b", "s", "d", "k"))
    flops = RULES["torch.nn.functional.linear"].flops
    assert flops is not None
    total = flops(Tensor((b, s, d)), Tensor((k, d)))
    assert total == 2 * b * s * d * k
    assert evaluate(total, {"b": 2, "s": 3, "d": 5, "k": 7}) == 420
