"""Every function against torch's own or the formula in its docstring, on random shapes."""

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from typedtorch import functional as TF

SHAPES = st.lists(st.integers(1, 5), min_size=0, max_size=3)
SIZES = st.integers(1, 9)
SEEDS = st.integers(0, 2**16)
quick = settings(deadline=None, max_examples=40)


def draw(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@quick
@given(SHAPES, SIZES, SIZES, SEEDS, st.booleans())
def test_linear_is_a_product_with_the_transpose(
    batch: list[int], d_in: int, d_out: int, seed: int, bias: bool
) -> None:
    x, weight = draw(seed, *batch, d_in), draw(seed + 1, d_out, d_in)
    offset = draw(seed + 2, d_out) if bias else None
    expected = torch.einsum("...i,oi->...o", x, weight) + (0 if offset is None else offset)
    torch.testing.assert_close(TF.linear(x, weight, offset), expected)


@quick
@given(SHAPES, SIZES, SIZES, SEEDS)
def test_embedding_is_a_one_hot_product(batch: list[int], vocab: int, d_model: int, seed: int) -> None:
    tokens = torch.randint(vocab, batch, generator=torch.Generator().manual_seed(seed))
    table = draw(seed, vocab, d_model)
    expected = F.one_hot(tokens, vocab).double() @ table
    torch.testing.assert_close(TF.embedding(tokens, table), expected)
    assert torch.equal(TF.embedding(tokens.int(), table), TF.embedding(tokens, table))


@quick
@given(SHAPES, SIZES, SEEDS, st.floats(0, 1))
def test_rms_norm_is_its_formula(batch: list[int], d_model: int, seed: int, eps: float) -> None:
    x, weight = draw(seed, *batch, d_model), draw(seed + 1, d_model)
    expected = x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
    torch.testing.assert_close(TF.rms_norm(x, eps=eps), expected)
    torch.testing.assert_close(TF.rms_norm(x, weight, eps=eps), expected * weight)


@quick
@given(SHAPES, st.integers(2, 9), SEEDS)
def test_layer_norm_is_its_formula(batch: list[int], d_model: int, seed: int) -> None:
    x, weight, bias = draw(seed, *batch, d_model), draw(seed + 1, d_model), draw(seed + 2, d_model)
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    expected = (x - mean) / (variance + 1e-5).sqrt()
    torch.testing.assert_close(TF.layer_norm(x), expected)
    torch.testing.assert_close(TF.layer_norm(x, weight, bias), expected * weight + bias)


def test_norms_of_large_half_precision_numbers_do_not_overflow() -> None:
    x = torch.full((4,), 60000.0, dtype=torch.float16)
    assert TF.rms_norm(x).tolist() == [1.0] * 4
    assert TF.layer_norm(torch.tensor([60000.0, -60000.0], dtype=torch.float16)).tolist() == [1.0, -1.0]


@quick
@given(st.lists(SIZES, min_size=1, max_size=3), SEEDS, st.floats(1, 1e4))
def test_softmax_is_stable_and_sums_to_one(shape: list[int], seed: int, scale: float) -> None:
    x = draw(seed, *shape) * scale
    for dim in range(-len(shape), len(shape)):
        y = TF.softmax(x, dim=dim)
        shifted = (x - x.amax(dim, keepdim=True)).exp()
        torch.testing.assert_close(y, shifted / shifted.sum(dim, keepdim=True))
        torch.testing.assert_close(y.sum(dim), torch.ones_like(y.sum(dim)))


FORMULAS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "silu": (TF.silu, lambda x: x / (1 + (-x).exp())),
    "gelu": (TF.gelu, lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))),
    "gelu_tanh": (
        TF.gelu_tanh,
        lambda x: x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_activations_are_their_formulas(name: str) -> None:
    function, formula = FORMULAS[name]
    x = torch.linspace(-6, 6, 200, dtype=torch.float64)
    torch.testing.assert_close(function(x), formula(x))


@quick
@given(SHAPES, SIZES, SIZES, SEEDS)
def test_swiglu_is_its_formula(batch: list[int], d_model: int, d_ff: int, seed: int) -> None:
    x = draw(seed, *batch, d_model)
    gate, up, down = (
        draw(seed + 1, d_ff, d_model),
        draw(seed + 2, d_ff, d_model),
        draw(seed + 3, d_model, d_ff),
    )
    gated = x @ gate.T
    expected = (gated * torch.sigmoid(gated) * (x @ up.T)) @ down.T
    torch.testing.assert_close(TF.swiglu(x, gate, up, down), expected)


def test_dropout_keeps_the_expectation_and_drops_its_share() -> None:
    x = torch.ones(100_000)
    y = TF.dropout(x, p=0.25, generator=torch.Generator().manual_seed(0))
    assert sorted(set(y.tolist())) == pytest.approx([0.0, 4 / 3])
    assert (y == 0).double().mean().item() == pytest.approx(0.25, abs=0.01)
    assert y.mean().item() == pytest.approx(1.0, abs=0.01)


def test_dropout_is_repeatable_and_passes_its_gradient() -> None:
    x = torch.ones(1000, requires_grad=True)
    one, other = (TF.dropout(x, p=0.5, generator=torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(one, other)
    (grad,) = torch.autograd.grad(one.sum(), x)
    assert torch.equal(grad, one)
    torch.manual_seed(1)
    free = TF.dropout(x, p=0.5)
    torch.manual_seed(1)
    assert torch.equal(free, TF.dropout(x, p=0.5))


def test_dropout_at_its_ends() -> None:
    x = torch.randn(5)
    assert TF.dropout(x, p=0.0) is x
    assert torch.equal(TF.dropout(x, p=1.0, generator=torch.Generator()), torch.zeros(5))
    with pytest.raises(ValueError, match=r"dropout: p is a probability in \[0, 1\], got 1.5"):
        TF.dropout(x, p=1.5)
