"""What the rules say about memory is what torch does."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
import torch
from properties import NEEDS, draws
from real import covers, realise, resolve, run_rule
from sampling import Call, at, draw_sizes, letters

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.rule import RULES, apply
from typedtorch.shapes.rules.layout import contiguous_strides
from typedtorch.shapes.size import axis
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided


def _strides(tensor: torch.Tensor) -> tuple[int | None, ...]:
    """Strides, those of axes of size 1 left out: they say nothing."""
    return tuple(None if n == 1 else s for n, s in zip(tensor.shape, tensor.stride(), strict=True))


def _rows(value: object) -> object:
    """The same arguments, known to lie row by row."""
    if isinstance(value, Tensor):
        return replace(value, layout=contiguous_strides(value.shape))
    if isinstance(value, (list, tuple)):
        return type(value)(_rows(v) for v in value)
    return value


NAMES = sorted(n for n in RULES if n.startswith("torch.") and not n.endswith("_") and n not in NEEDS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_strides_are_torchs(name: str) -> None:
    row = RULES[name]
    target = resolve(name)
    for rng, template in draws(row, "function", 6, 3):
        call = at(template, draw_sizes(letters(template), rng, distinct=False))
        known = Call([_rows(a) for a in call.args], {k: _rows(v) for k, v in call.kwargs.items()})
        try:
            answer = run_rule(row, "function", known)
        except (ShapeError, Undecided):
            continue
        if not isinstance(answer, Tensor) or answer.layout is None:
            continue
        try:
            made = target(
                *realise(call.args, "cpu", 1), **{k: realise(v, "cpu", 1) for k, v in call.kwargs.items()}
            )
        except Exception:  # whether torch takes it is another test's business
            continue
        if tuple(made.shape) == answer.shape:
            claimed = tuple(None if n == 1 else s for n, s in zip(made.shape, answer.layout, strict=True))
            assert claimed == _strides(made), f"{name}: {call}"


@pytest.mark.parametrize("seed", range(300))
def test_a_view_that_is_refused_is_impossible(seed: int) -> None:
    rng = random.Random(seed)
    sizes = {letter: rng.choice((1, 2, 3, 4)) for letter in "abcd"}
    named = Tensor(tuple(axis(x) for x in sizes), layout=contiguous_strides(tuple(axis(x) for x in sizes)))
    real = torch.zeros(*sizes.values())
    tensor = Tensor(tuple(sizes.values()), layout=contiguous_strides(tuple(sizes.values())))
    for _ in range(rng.randint(1, 3)):
        i, j = rng.randrange(4), rng.randrange(4)
        real, tensor, named = (
            real.transpose(i, j),
            *(apply("torch.Tensor.transpose", t, i, j) for t in (tensor, named)),
        )
    cut = sorted(rng.sample(range(1, 4), rng.randint(1, 3)))
    bounds = list(zip([0, *cut], [*cut, 4], strict=True))

    def merged(shape: tuple[Any, ...]) -> list[Any]:
        out = []
        for start, end in bounds:
            size = shape[start]
            for n in shape[start + 1 : end]:
                size = size * n
            out.append(size)
        return out

    for subject in (tensor, named):
        try:
            answer = apply("torch.Tensor.view", subject, *merged(subject.shape))
        except ShapeError as error:
            assert error.code == "contiguity"  # noqa: PT017 - refusing is right only if torch does, below
            generic = all(n > 1 for n in sizes.values())
            if subject is tensor or generic:
                with pytest.raises(RuntimeError, match="view"):
                    real.view(*merged(tuple(real.shape)))
            continue
        if subject is tensor and isinstance(answer, Tensor) and answer.layout is not None:
            assert covers(answer.shape, tuple(real.view(*merged(tuple(real.shape))).shape))


def test_message_of_an_impossible_view() -> None:
    b, h, s, d = (axis(x) for x in ("b", "h", "s", "d"))
    out = apply("torch.matmul", Tensor((b, h, s, s)), Tensor((b, h, s, d)))
    turned = apply("torch.Tensor.transpose", out, 1, 2).named("out.transpose(1, 2)")
    with pytest.raises(ShapeError) as caught:
        apply("torch.Tensor.view", turned, b, s, -1)
    assert caught.value.code == "contiguity"
    assert caught.value.message == (
        "(b, s, d*h) merges axes 2 and 3 of out.transpose(1, 2) into d*h, "
        "but they are not adjacent in memory after the transpose"
    )
    assert caught.value.hint == "use reshape, or contiguous() before view"
