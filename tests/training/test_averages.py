"""The average of the weights: what it is in every precision, and that looking at it changes nothing."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from typedtorch.training.ema import Ema

from .parts import same

DTYPES = [torch.bfloat16, torch.float16, torch.float32, torch.float64]


def drifting(dtype: torch.dtype, decay: float, steps: int) -> tuple[nn.Module, Ema, list[Tensor]]:
    """A model whose weights move, its average, and the same average in double precision."""
    torch.manual_seed(0)
    model = nn.Linear(3, 2).to(dtype)
    params = [param.detach() for param in model.parameters()]
    average, exact = Ema(model, decay), [param.double().clone() for param in params]
    for _ in range(steps):
        for param, mean in zip(params, exact, strict=True):
            param.add_(0.25 * torch.rand_like(param))
            mean.lerp_(param.double(), 1 - decay)
        average.update()
    return model, average, exact


@pytest.mark.parametrize("decay", [0.5, 0.999, 0.9999])
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_average_is_that_of_double_precision(dtype: torch.dtype, decay: float) -> None:
    _, average, exact = drifting(dtype, decay, 100)
    for mine, mean in zip(average.averages, exact, strict=True):
        assert torch.allclose(mine.double(), mean, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_and_averages_are_the_same_bits_after_a_look(dtype: torch.dtype) -> None:
    model, average, _ = drifting(dtype, 0.9, 10)
    params = [param.detach() for param in model.parameters()]
    before = [value.clone() for value in (*params, *average.averages)]
    with average.swapped():
        assert same(params, [mine.to(dtype) for mine in average.averages])
        assert same(average.averages, before[2:])
    assert same([*params, *average.averages], before)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_saved_average_comes_back(dtype: torch.dtype) -> None:
    _, saved, _ = drifting(dtype, 0.9, 10)
    _, other, _ = drifting(dtype, 0.9, 1)
    assert not other.problems(saved.state_dict())
    other.load_state_dict(saved.state_dict())
    assert same(other.averages, saved.averages)
