"""Python's garbage collector is held back, and let go again whatever happens."""

from __future__ import annotations

import gc

import pytest

from typedtorch.shapes.garbage import uncollected


def test_what_was_on_is_on_again_after_a_failure() -> None:
    def fail() -> None:
        with uncollected():
            raise ValueError(gc.isenabled())

    with pytest.raises(ValueError, match="False"):
        fail()
    assert gc.isenabled()


def test_what_was_off_stays_off() -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_made_meanwhile_is_not_gone_through_when_it_ends() -> None:
    collected: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        collected.append(f"{phase} {info['generation']}")

    gc.callbacks.append(note)
    try:
        with uncollected():
            made: list[list[int]] = [[i] for i in range(100_000)]
        more = [[i] for i in range(100)]  # too few for a collection of their own
        assert len(made) + len(more) == 100_100
        assert not collected
    finally:
        gc.callbacks.remove(note)
