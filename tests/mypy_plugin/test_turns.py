"""Modules are handed out so that mypy seldom waits, and seldom has to do what another could have done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from typedtorch.mypy_plugin.turns import Turns

SIZES = {"a": 100, "b": 100, "c": 100, "d": 100, "e": 100}
MYPY = 0.5  # of what the engine needs for as many bytes


def test_where_mypy_only_waits_the_order_is_its_own() -> None:
    turns = Turns(SIZES, shared=False)
    assert [turns.choose(0) for _ in range(6)] == ["a", "b", "c", "d", "e", None]


def test_what_mypy_would_come_to_too_soon_is_left_to_its_own_process() -> None:
    turns = Turns(SIZES, shared=True)
    assert turns.choose(0) == "b"  # mypy has "a" to do meanwhile
    assert turns.choose(100) == "c"  # "a", and all that mypy itself does until it comes to "c"
    turns.come_to("c")
    assert turns.choose(0) == "e"  # mypy has "d" to do meanwhile
    assert turns.choose(0) == "a"  # mypy has passed it by: it comes last
    assert turns.choose(0) == "d"  # rather late than not at all
    assert turns.choose(0) is None


def test_what_is_taken_is_not_handed_out() -> None:
    turns = Turns(SIZES, shared=True)
    assert turns.take("b")
    assert not turns.take("b")
    assert not turns.take("unheard of")
    assert "b" not in [turns.choose(0) for _ in range(5)]
    assert not turns


def _clock(sizes: list[int]) -> tuple[float, float]:
    """How long mypy's process takes where another works ahead, and where it does all itself."""
    turns = Turns({str(i): size for i, size in enumerate(sizes)}, shared=True)
    done: dict[str, float] = {}
    now, free = 0.0, 0.0
    for i, size in enumerate(sizes):
        while free <= now and (chosen := turns.choose(0)) is not None:
            free = max(free, 0.0) + sizes[int(chosen)]
            done[chosen] = free
        now += size * MYPY
        turns.come_to(str(i))
        now = now + size if turns.take(str(i)) else max(now, done[str(i)])
    return now, sum(sizes) * (1 + MYPY)


@given(st.lists(st.integers(1, 1000), min_size=30, max_size=60))
def test_mypy_takes_far_less_time_than_alone_wherever_the_large_modules_are(sizes: list[int]) -> None:
    together, alone = _clock(sizes)
    assert together <= 0.6 * alone + max(sizes)
