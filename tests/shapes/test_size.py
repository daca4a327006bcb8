"""Sizes are exact: whatever is said of them symbolically holds at every number."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typedtorch.shapes.differences import are_multiples
from typedtorch.shapes.equality import same
from typedtorch.shapes.size import (
    Size,
    atoms,
    axis,
    divides,
    either,
    evaluate,
    floor_div,
    integer,
    substitute,
    unknown,
)

NAMES = ("b", "s", "d", "h")
OPERATIONS: dict[str, Callable[[Size, Size], Size]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": floor_div,
}


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> tuple[Size, str]:
    """A size and the Python expression it was made from."""
    if depth == 0 or draw(st.booleans()):
        if draw(st.booleans()):
            name = draw(st.sampled_from(NAMES))
            return axis(name), name
        number = draw(st.integers(1, 7))
        return number, str(number)
    left, left_text = draw(expressions(depth - 1))
    sign = draw(st.sampled_from(list(OPERATIONS)))
    if sign == "//":
        # divisors are positive: names and numbers are
        right, right_text = draw(st.sampled_from([(axis(n), n) for n in NAMES] + [(2, "2"), (3, "3")]))
    else:
        right, right_text = draw(expressions(depth - 1))
    return OPERATIONS[sign](left, right), f"({left_text} {sign} {right_text})"


sizes = st.fixed_dictionaries({name: st.integers(1, 9) for name in NAMES})


@given(expressions(), sizes)
def test_value_is_that_of_the_expression(pair: tuple[Size, str], numbers: dict[str, int]) -> None:
    size, text = pair
    assert evaluate(size, numbers) == eval(text, {}, dict(numbers))


@given(expressions(), expressions(), sizes)
def test_equal_sizes_are_equal_at_every_number(
    a: tuple[Size, str], b: tuple[Size, str], numbers: dict[str, int]
) -> None:
    if same(a[0], b[0]) is True:
        assert evaluate(a[0], numbers) == evaluate(b[0], numbers)


@given(expressions(), expressions())
def test_different_sizes_differ_somewhere(a: tuple[Size, str], b: tuple[Size, str]) -> None:
    if same(a[0], b[0]) is False:
        # a floor is zero where its divisor is the larger, so each name is once the largest by far
        points = [
            dict(zip(NAMES, order, strict=True))
            for numbers in ((2, 3, 5, 10007), (11, 13, 17, 19))
            for order in itertools.permutations(numbers)
        ]
        assert any(evaluate(a[0], p) != evaluate(b[0], p) for p in points)


@given(expressions(), expressions())
def test_comparison_does_not_depend_on_the_order(a: tuple[Size, str], b: tuple[Size, str]) -> None:
    assert same(a[0], b[0]) == same(b[0], a[0])


@given(expressions(), sizes)
def test_substituting_everything_is_evaluating(pair: tuple[Size, str], numbers: dict[str, int]) -> None:
    size, _ = pair
    named = {atom: numbers[atom.name] for atom in atoms(size) if atom.kind == "axis"}
    assert substitute(size, named) == evaluate(size, numbers)


@given(expressions(depth=2), st.sampled_from(NAMES))
def test_a_multiple_divides_exactly(pair: tuple[Size, str], name: str) -> None:
    size, _ = pair
    divisor = axis(name)
    assert divides(divisor, size * divisor)
    assert (size * divisor) // divisor == size


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (axis("d"), axis("k"), False),
        (axis("d"), 512, None),
        (axis("d"), axis("h") * axis("k"), None),
        (axis("s") + 1, axis("s"), False),
        (axis("h") * (axis("d") // axis("h")), axis("d"), None),
        ((axis("s") + 1) // 2, axis("s") // 2, None),
        (axis("h") + 2 * (axis("k") // 2) - axis("k") + 1, axis("h"), None),
        ((axis("h") + 2 * (axis("k") // 2) - axis("k") + 1) * axis("w"), axis("h") * axis("w"), None),
        (axis("b", "batch"), axis("s", "batch"), False),
        (axis("b", "batch"), axis("s"), None),
        (integer("n"), axis("s"), None),
        (unknown(), axis("s"), None),
        (unknown(), unknown(), None),
        (either(axis("h"), 4 * axis("d")), axis("d"), False),
        (either(axis("h"), 4 * axis("d")), axis("h"), None),
        (either(axis("h"), 4 * axis("d")), either(axis("h"), 4 * axis("d")), True),
        (2 * either(axis("h"), axis("d")), either(axis("h"), axis("d")), False),
        (either(axis("h"), axis("d")), either(axis("h"), axis("k")), None),
    ],
)
def test_verdicts(a: Size, b: Size, verdict: bool | None) -> None:
    assert same(a, b) is verdict


@given(expressions(depth=2), expressions(depth=2), sizes)
def test_one_of_two_sizes_is_one_of_them(
    a: tuple[Size, str], b: tuple[Size, str], numbers: dict[str, int]
) -> None:
    named = {atom: numbers[atom.name] for size, _ in (a, b) for atom in atoms(size) if atom.kind == "axis"}
    chosen = substitute(either(a[0], b[0]), named)
    values = evaluate(a[0], numbers), evaluate(b[0], numbers)
    assert chosen == either(*values)
    assert isinstance(chosen, int) == (values[0] == values[1])


def test_sums_are_multiples_only_of_those_in_proportion() -> None:
    names = [axis(name) for name in "abcdef"]
    sums = [a + b for a, b in itertools.combinations(names, 2)]
    sums += [times * a + more for a in names for times in (1, 2, 3) for more in range(7)]
    for a, b in itertools.combinations(sums, 2):
        in_proportion = any(m * a == n * b for m in range(1, 7) for n in range(1, 7))
        assert in_proportion or not are_multiples(a, b), f"{a} and {b}"
