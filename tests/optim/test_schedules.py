"""Schedules: the same formula for numbers and tensors, continuous, and inside their limits."""

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from typedtorch.optim import constant, inverse_sqrt, warmup_cosine, warmup_linear, warmup_stable_decay

ALL: dict[str, Callable[..., Any]] = {
    "constant": partial(constant, peak=0.3, warmup=5),
    "linear": partial(warmup_linear, peak=0.3, total=40, warmup=5, floor=0.03),
    "cosine": partial(warmup_cosine, peak=0.3, total=40, warmup=5, floor=0.03),
    "wsd": partial(warmup_stable_decay, peak=0.3, total=40, warmup=5, decay=10, floor=0.03),
    "inverse_sqrt": partial(inverse_sqrt, peak=0.3, warmup=5),
}


@pytest.mark.parametrize("name", ALL)
def test_a_tensor_step_gives_the_same_numbers(name: str) -> None:
    steps = torch.arange(60)
    expected = torch.tensor([ALL[name](int(step)) for step in steps])
    torch.testing.assert_close(ALL[name](steps), expected)
    torch.testing.assert_close(torch.stack([ALL[name](step) for step in steps]), expected)


@pytest.mark.parametrize("name", ALL)
def test_the_warm_up_ends_at_the_peak_and_the_peak_is_the_most(name: str) -> None:
    rates = [ALL[name](step) for step in range(60)]
    assert rates[:5] == pytest.approx([0.06, 0.12, 0.18, 0.24, 0.3])
    assert max(rates) == pytest.approx(0.3)
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(rates[4:]))


@pytest.mark.parametrize("name", ["linear", "cosine", "wsd"])
def test_the_floor_is_reached_at_the_last_step_and_kept(name: str) -> None:
    assert ALL[name](39) == pytest.approx(0.03)
    assert ALL[name](38) > 0.03
    assert ALL[name](1000) == pytest.approx(0.03)


def test_cosine_is_half_way_in_the_middle() -> None:
    assert warmup_cosine(10, peak=1.0, total=21) == pytest.approx(0.5)
    assert warmup_cosine(5, peak=1.0, total=21) == pytest.approx(0.5 * (1 + math.cos(math.pi / 4)))


@given(st.integers(0, 300), st.integers(0, 50), st.integers(0, 50), st.integers(0, 100))
def test_rates_stay_between_0_and_the_peak(step: int, warmup: int, decay: int, more: int) -> None:
    total = warmup + decay + more + 1
    for rate in (
        warmup_cosine(step, peak=0.1, total=total, warmup=warmup),
        warmup_linear(step, peak=0.1, total=total, warmup=warmup),
        warmup_stable_decay(step, peak=0.1, total=total, warmup=warmup, decay=decay),
    ):
        assert 0.0 <= rate <= 0.1 + 1e-12


def test_a_schedule_compiles_without_reading_the_step() -> None:
    compiled = torch.compile(ALL["cosine"], backend="eager", fullgraph=True)
    assert compiled(torch.tensor(7)).item() == pytest.approx(ALL["cosine"](7))


def test_lengths_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match=r"warmup 5 \+ decay 0 do not fit in 4 steps"):
        warmup_cosine(0, peak=1.0, total=4, warmup=5)
    with pytest.raises(ValueError, match="lengths are at least 0 steps, got warmup -1 and decay 0"):
        constant(0, peak=1.0, warmup=-1)
    with pytest.raises(ValueError, match="inverse_sqrt: warmup must be at least 1, got 0"):
        inverse_sqrt(0, peak=1.0, warmup=0)
    with pytest.raises(ValueError, match="do not fit in 10 steps"):
        warmup_stable_decay(0, peak=1.0, total=10, warmup=5, decay=6)


@pytest.mark.parametrize("name", ALL)
def test_there_is_no_step_before_the_first(name: str) -> None:
    with pytest.raises(ValueError, match="schedule: the first step is 0, got -1"):
        ALL[name](-1)
