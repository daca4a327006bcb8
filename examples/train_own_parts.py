"""The trainer with a model, a loss, batches, an optimizer and a callback of your own.

python examples/train_own_parts.py
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch import Module, Trainer
from typedtorch.nn import Linear
from typedtorch.training import Callback, LoopSettings, LossSum


class Points(NamedTuple):
    """Noisy points of a parabola."""

    x: Float[Tensor, "batch 1"]
    y: Float[Tensor, "batch 1"]


class Curve(Module):
    """Two layers."""

    def __init__(self, d_ff: int) -> None:
        super().__init__()
        self.up, self.down = Linear(1, d_ff, bias=True), Linear(d_ff, 1, bias=True)

    def forward(self, x: Float[Tensor, "batch 1"]) -> Float[Tensor, "batch 1"]:
        return self.down(self.up(x).relu())


def points(seed: int = 0) -> Iterator[Points]:
    """An endless stream."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        x = 2 * torch.rand(64, 1, generator=generator) - 1
        yield Points(x, x.square() + 0.01 * torch.randn(64, 1, generator=generator))


def squared_error(model: torch.nn.Module, batch: Points) -> LossSum:
    """A sum and a count, so that micro-batches of any size join exactly."""
    return LossSum((model(batch.x) - batch.y).square().sum(), len(batch.y))


class StopWhenGood(Callback):
    """Ends the run when the weights do what they should."""

    def on_step(self, trainer: Trainer, /) -> None:
        batch = next(points(seed=1))
        if trainer.step % 50 == 0 and squared_error(trainer.model, batch).total.item() / 64 < 5e-4:
            trainer.should_stop = "good enough"


torch.manual_seed(0)
model = Curve(d_ff=32)
trainer = Trainer(
    model,
    squared_error,
    points(),
    torch.optim.Adam(model.parameters(), lr=0.01),
    LoopSettings(steps=2000, accumulate=2, clip=1.0),
    callbacks=[StopWhenGood()],
)
result = trainer.fit()
print(
    f"{result.stopped} after {result.step} steps: loss {result.losses[0]:.4f}, then {result.losses[-1]:.6f}"
)
