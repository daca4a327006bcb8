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
