"""The denominator in one pass is the one of three, bit for bit, whatever is in it."""

import pytest
import torch

from typedtorch.optim.pure.scratch import Scratch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (1023,), (1025,), (33, 65), (2, 3, 700)])
def test_one_pass_rounds_as_three_do(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    scratch = Scratch()
    for divisor, added in ((0.3, 1e-8), (1.0, 0.0), (0.05, 0.1)):
        x = torch.randn(shape, generator=torch.Generator().manual_seed(1)).mul(1e-3).square().to(dtype)
        wanted = x.sqrt().div_(divisor).add_(added)
        assert torch.equal(scratch.scaled_root(x, divisor, added), wanted)


def test_what_is_not_finite_stays_so() -> None:
    x = torch.tensor([float("inf"), float("nan"), 0.0, -1.0])
    found = Scratch().scaled_root(x, 0.5, 0.0)
    assert found.isinf().tolist() == [True, False, False, False]
    assert found.isnan().tolist() == [False, True, False, True]


def test_other_strides_keep_their_places() -> None:
    x = torch.rand(3, 1100).T
    assert torch.equal(Scratch().scaled_root(x, 0.7, 0.1), x.sqrt().div(0.7).add(0.1))


def test_the_memory_is_used_again_and_inputs_are_left_alone() -> None:
    scratch, x = Scratch(), torch.full((5,), 4.0)
    first = scratch.scaled_root(x, 2.0, 0.0)
    second = scratch.scaled_root(torch.full((5,), 9.0), 3.0, 1.0)
    assert first.data_ptr() == second.data_ptr()
    assert second.tolist() == [2.0] * 5
    assert x.tolist() == [4.0] * 5
