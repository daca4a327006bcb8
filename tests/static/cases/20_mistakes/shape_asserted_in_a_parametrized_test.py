"""What a test is parametrized with tells two integers apart."""

import pytest
import torch
from torch import nn


class Bias(nn.Module):
    def __init__(self, heads: int, span: int) -> None:
        super().__init__()
        self.table = nn.Embedding(2 * span + 1, heads)
        self.span = span

    def forward(self, n: int) -> torch.Tensor:
        where = torch.arange(n)
        far = (where[:, None] - where[None, :]).clamp(-self.span, self.span) + self.span
        return self.table(far).permute(2, 0, 1)


@pytest.mark.parametrize("n", [6, 7])
@pytest.mark.parametrize("heads, span", [(2, 5), (4, 1)])
def test_bias(heads: int, span: int, n: int) -> None:
    bias = Bias(heads, span)(n)
    assert bias.shape == (heads, n, n)  #! assert bias.shape == (n, n, heads)  # E: shape


# run: test_bias(2, 5, 6)
