"""Slices with bounds that are expressions in the size of an axis, against Python's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from typedtorch.shapes.rules.slices import slice_size
from typedtorch.shapes.size import Size, atoms, axis, is_unknown, substitute

N = axis("n")
(ATOM,) = atoms(N)
FROM = 10  # a named bound is taken at its word: n - 2 is no less than 0

forward = st.builds(
    lambda squares, times, more: squares * N * N + times * N + more,
    st.integers(0, 1), st.integers(0, 3), st.integers(-3, 3),
)  # fmt: skip
backward = st.builds(lambda times, more: -times * N - more, st.integers(0, 2), st.integers(0, 3))
sizes = st.builds(lambda times, more: times * N + more, st.integers(1, 3), st.integers(-1, 2))
bounds = st.none() | forward | backward
steps = st.sampled_from([None, 1, 2, 3])


def at(size: Size | None, n: int) -> int | None:
    if size is None or isinstance(size, int):
        return size
    value = substitute(size, {ATOM: n})
    assert isinstance(value, int)
    return value


@given(sizes, bounds, bounds, steps, st.integers(FROM, 20))
def test_a_known_length_is_that_of_python(
    size: Size, start: Size | None, stop: Size | None, step: int | None, n: int
) -> None:
    length = slice_size(size, slice(start, stop, step))
    if not is_unknown(length):
        assert at(length, n) == len(range(at(size, n) or 0)[slice(at(start, n), at(stop, n), step)])


def test_what_is_known() -> None:
    k = axis("k")
    assert slice_size(N, slice(None, N + 1)) == slice_size(N, slice(-N - 1, None)) == N
    assert (
        slice_size(2 * N + 1, slice(N, -N - 2))
        == slice_size(N, slice(N + 1, None))
        == slice_size(N, slice(N, N + k))
        == 0
    )
    assert slice_size(N, slice(1, N + 2)) == N - 1
    assert slice_size(N, slice(None, k)) == k
    assert slice_size(N, slice(None, N * k)) == N
    assert slice_size(1, slice(None, k)) == 1
    assert slice_size(1, slice(k, None)) == 0
    assert slice_size(2 * N, slice(N, None)) == N
    assert is_unknown(slice_size(N, slice(None, N + k)))


@given(sizes, st.integers(1, 4), st.integers(FROM, 20))
def test_a_bound_may_be_rounded_up(size: Size, parts: int, n: int) -> None:
    up = -(-size // parts)
    for index in (slice(None, up), slice(up, None), slice(-up, None), slice(None, -up)):
        length = slice_size(size, index)
        if not is_unknown(length):
            assert at(length, n) == len(range(at(size, n) or 0)[slice(at(index.start, n), at(index.stop, n))])
    assert at(up, n) == -(-(at(size, n) or 0) // parts)
