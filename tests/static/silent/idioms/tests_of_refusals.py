"""Tests that a wrong call is refused: what stands under ``raises`` is wrong on purpose."""

import unittest

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor


@jaxtyped(typechecker=beartype)
def project(x: Float[Tensor, "batch d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "batch k"]:
    return x @ w


def test_inner_sizes_differ() -> None:
    with pytest.raises(Exception, match="w"):
        project(torch.ones(2, 3), torch.ones(4, 5))
    with torch.no_grad(), pytest.raises(RuntimeError) as caught:
        torch.ones(2, 3) @ torch.ones(4, 5)
    assert "mat1 and mat2" in str(caught.value)
    out = project(torch.ones(2, 3), torch.ones(3, 5))
    assert out.shape == (2, 5)


class TestProject(unittest.TestCase):
    def test_rank(self) -> None:
        x = torch.ones(2, 3)
        with self.assertRaisesRegex(RuntimeError, "Sizes of tensors"):  # noqa: PT027 - the idiom under test
            torch.cat([x, torch.ones(2, 4)])
        assert project(x, torch.ones(3, 5)).shape == (2, 5)


# run: test_inner_sizes_differ(); TestProject("test_rank").debug()
