from collections.abc import Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float
from torch import Tensor, nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[nn.Module]:
    before = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield model
    finally:
        model.train(before)


def predictive(
    model: nn.Module, x: Float[Tensor, "batch features"], samples: int
) -> tuple[Float[Tensor, "batch classes"], Float[Tensor, " batch"]]:
    with evaluating(model) as net:
        probs = torch.stack([net(x).softmax(-1) for _ in range(samples)])
    mean = probs.mean(0)
    entropy = -(mean * mean.log()).sum(-1)  #! entropy = -(mean * mean.log()).sum(0)
    return mean, entropy


def main():
    net = nn.Sequential(nn.Linear(10, 32), nn.Dropout(), nn.ReLU(), nn.Linear(32, 4))
    mean, entropy = predictive(net, torch.randn(6, 10), samples=8)  # E: shape
    return mean[entropy < entropy.median()]


# run: main()
