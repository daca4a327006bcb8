"""What torch leaves without annotations is no error of the program that uses it."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


@torch.no_grad
def bare(x: Tensor) -> Tensor:
    return x


@torch.inference_mode
def inference(x: Tensor) -> Tensor:
    return x


@torch.inference_mode(False)
def with_argument(x: Tensor) -> Tensor:
    return x


@torch.enable_grad()
def called(x: Tensor) -> Tensor:
    return x


def train(model: Net, x: Tensor, y: Tensor) -> Tensor:
    optimizer = torch.optim.AdamW(model.parameters())
    loss = nn.MSELoss()(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad(), torch.inference_mode():
        first, *_ = x.split(2)
    reveal_type(bare)  # N: Revealed type is "def (x: torch._tensor.Tensor) -> torch._tensor.Tensor"
    reveal_type(inference)  # N: Revealed type is "def (x: torch._tensor.Tensor) -> torch._tensor.Tensor"
    reveal_type(with_argument)  # N: Revealed type is "def (x: torch._tensor.Tensor) -> torch._tensor.Tensor"
    reveal_type(called)  # N: Revealed type is "def (x: torch._tensor.Tensor) -> torch._tensor.Tensor"
    return x.split(2)[0].norm()


def own_untyped(x):  # type: ignore[no-untyped-def]
    return x


def uses_own_untyped(x: Tensor) -> None:
    own_untyped(x)  # E: Call to untyped function "own_untyped" in typed context  [no-untyped-call]
