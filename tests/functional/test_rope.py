"""Rotary embeddings: rotations, whose products depend on distances alone, in two layouts of one map."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from typedtorch.functional import RopeStretch, rope_half_split, rope_interleaved, rope_table

FORMS = [rope_interleaved, rope_half_split]
quick = settings(deadline=None, max_examples=30)


def table(seq: int, head_dim: int, start: int = 0) -> tuple[Tensor, Tensor]:
    cos, sin = rope_table(torch.arange(start, start + seq), head_dim)
    return cos.double(), sin.double()


def naive(x: Tensor, pairs: list[tuple[int, int]]) -> Tensor:
    """Complex numbers turned by ``position * 10000**(-2i/d)``, pair by pair."""
    y = torch.empty_like(x)
    seq, head_dim = x.shape[-2:]
    for i, (a, b) in enumerate(pairs):
        angle = torch.arange(seq, dtype=torch.float64) * 10_000.0 ** (-2 * i / head_dim)
        turned = torch.complex(x[..., a], x[..., b]) * torch.polar(
            torch.ones(seq, dtype=torch.float64), angle
        )
        y[..., a], y[..., b] = turned.real, turned.imag
    return y


@quick
@given(st.integers(1, 3), st.integers(1, 7), st.integers(1, 5))
def test_each_layout_turns_its_pairs_as_complex_numbers(batch: int, seq: int, half: int) -> None:
    x = torch.randn(batch, 2, seq, 2 * half, dtype=torch.float64)
    cos, sin = table(seq, 2 * half)
    neighbours = [(2 * i, 2 * i + 1) for i in range(half)]
    halves = [(i, i + half) for i in range(half)]
    for form, pairs in ((rope_interleaved, neighbours), (rope_half_split, halves)):
        torch.testing.assert_close(form(x, cos, sin), naive(x, pairs), rtol=1e-5, atol=1e-5)


def test_the_layouts_are_one_map_with_the_features_in_another_order() -> None:
    x = torch.randn(3, 6, 8)
    cos, sin = rope_table(torch.arange(6), 8)
    order = [0, 2, 4, 6, 1, 3, 5, 7]  # even features first
    torch.testing.assert_close(
        rope_interleaved(x, cos, sin)[..., order], rope_half_split(x[..., order], cos, sin)
    )
    assert not torch.allclose(rope_interleaved(x, cos, sin), rope_half_split(x, cos, sin))


@pytest.mark.parametrize("form", FORMS)
def test_products_depend_on_the_distance_alone(form: object) -> None:
    assert callable(form)
    q, k = torch.randn(1, 8, dtype=torch.float64), torch.randn(1, 8, dtype=torch.float64)
    products = [
        (form(q, *table(1, 8, start + 3)) * form(k, *table(1, 8, start))).sum().item()
        for start in (0, 5, 100)
    ]
    assert products == pytest.approx([products[0]] * 3, rel=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_lengths_and_the_dtype_stay(form: object) -> None:
    assert callable(form)
    x = torch.randn(2, 5, 8, dtype=torch.bfloat16)
    y = form(x, *rope_table(torch.arange(5), 8))
    assert y.dtype == torch.bfloat16
    torch.testing.assert_close(y.float().norm(dim=-1), x.float().norm(dim=-1), rtol=1e-2, atol=0)


def test_a_stretch_slows_what_turns_seldom_and_nothing_else() -> None:
    stretch = RopeStretch(4.0, low=1.0, high=4.0, original=100)
    turns = torch.tensor([8.0, 4.0, 2.5, 1.0, 0.1])  # in the original context
    frequencies = turns * 2 * math.pi / 100
    torch.testing.assert_close(
        stretch(frequencies) / frequencies, torch.tensor([1.0, 1.0, 0.5 + 0.5 / 4, 0.25, 0.25])
    )
    assert stretch(frequencies).diff().le(0).all()  # slower pairs stay slower
    with pytest.raises(ValueError, match="numbers are positive and low is below high, got RopeStretch"):
        RopeStretch(8.0, low=4.0, high=1.0)


def test_the_table_holds_positions_theta_and_nothing_else() -> None:
    cos, sin = rope_table(torch.tensor([0, 7]), 4, theta=100.0)
    torch.testing.assert_close(cos[0], torch.ones(2))
    torch.testing.assert_close(sin[1], torch.tensor([7.0, 0.7]).sin())
    with pytest.raises(ValueError, match="head_dim is rotated in pairs and must be even, got 3"):
        rope_table(torch.arange(2), 3)


@pytest.mark.parametrize("form", FORMS)
def test_each_sequence_may_have_positions_of_its_own(form: object) -> None:
    assert callable(form)
    x, positions = torch.randn(2, 3, 4, 8), torch.tensor([[0, 1, 2, 3], [5, 0, 1, 2]])
    cos, sin = rope_table(positions, 8)
    each = [form(one, *rope_table(where, 8)) for one, where in zip(x, positions, strict=True)]
    torch.testing.assert_close(form(x, cos[:, None], sin[:, None]), torch.stack(each))
