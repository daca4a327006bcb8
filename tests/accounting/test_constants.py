"""Values of what a program makes from nothing: branches on them are taken as they are."""

from __future__ import annotations

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.accounting import DataDependentError, account

from .truth import inputs_of, measured_peak


class Branching(nn.Module):
    """Asks about values of masks it makes itself, as torch's own decoder does."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(d_model, 2, 2 * d_model, batch_first=True), num_layers=1
        )

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        found: Tensor = self.decoder(x, x, tgt_mask=mask)
        return found


class Chosen(Branching):
    """Takes every other position, where there are enough of them."""

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        used = torch.arange(x.shape[1]).remainder_(torch.tensor(2))
        x = x[:, used.nonzero()[:, 0]] if used.sum().item() > 2 else x
        return super().forward(x)


@pytest.mark.parametrize("seq", [3, 12])
def test_branches_on_constants_are_taken_as_they_are(seq: int) -> None:
    model = Chosen(8)
    found = account(model, batch=2, seq=seq, optimizer="adamw")
    assert found.trace.outputs[0].shape == model(torch.randn(2, seq, 8)).shape
    real = measured_peak(model, inputs_of(found), torch.sum, optimizer=torch.optim.AdamW)
    assert found.memory.peak == real


def test_a_constant_that_was_written_on_through_a_view_is_none_any_more() -> None:
    def every_other(x: Float[Tensor, "seq d"]) -> Float[Tensor, ""]:
        used = torch.zeros(x.shape[0])
        used[::2].add_(1)
        return x.sum() * used.sum().item()

    def noisy(x: Float[Tensor, "seq d"]) -> Float[Tensor, ""]:
        return x.sum() if torch.rand(3).sum() > 1 else x.mean()

    def its_values(x: Float[Tensor, "seq d"]) -> Float[Tensor, ""]:
        return x.sum() if x.sum() > 1 else x.mean()

    for function in (every_other, noisy, its_values):
        with pytest.raises(DataDependentError, match="_local_scalar_dense"):
            account(function, seq=6, d=2)


def test_a_tensor_of_the_program_keeps_its_values() -> None:
    given = torch.arange(4)

    def counted(x: Float[Tensor, "seq d"]) -> Float[Tensor, "more d"]:
        return x.repeat(int((given + 1).add_(1).max()), 1)

    assert account(counted, seq=6, d=2).trace.outputs[0].shape == (30, 2)
    assert given.tolist() == [0, 1, 2, 3]
    assert str(account(counted).formula("flops.backward")) == "0"
