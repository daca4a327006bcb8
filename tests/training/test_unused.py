"""Parameters that a step leaves out where gradients are joined: named, in the step itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from typedtorch.training import Callback, ConfigError, LoopSettings, Trainer, join
from typedtorch.training.distributed import Parallel


class Turns(nn.Module):
    """Uses its layers in turns."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.calls = nn.Linear(4, 4), nn.Linear(4, 4), 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        found: Tensor = self.a(x) if self.calls % 2 else self.b(x)
        return found


@pytest.fixture(params=["ddp", "zero1"])
def parallel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parallel]:
    alone = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
    for name, value in alone.items():
        monkeypatch.setenv(name, value)
    found, _ = join(request.param, torch.device("cpu"))
    yield found
    found.close()


def mean_square(model: nn.Module, batch: Tensor) -> Tensor:
    found: Tensor = model(batch).pow(2).mean()
    return found


class Changes(Callback):
    """Makes one layer trainable, or not, after the first step."""

    def __init__(self, layer: nn.Module, trained: bool) -> None:
        self.layer, self.trained = layer, trained

    def on_step(self, trainer: Trainer) -> None:
        self.layer.requires_grad_(self.trained)


@pytest.mark.parametrize("accumulate", [1, 3])
@pytest.mark.parametrize(
    ("later", "said"),
    [
        (True, r"expected the parameters that were trainable .* got also 0\.weight, 0\.bias \(make them"),
        (False, r"expected every parameter to be used .* not used: 0\.weight, 0\.bias \("),
    ],
)
def test_what_becomes_trainable_or_frozen_during_the_run_is_named(
    parallel: Parallel, accumulate: int, later: bool, said: str
) -> None:
    plain = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    plain[0].requires_grad_(not later)
    model = parallel.wrap(plain)
    optimizer = parallel.optimizer(torch.optim.SGD(model.parameters(), lr=0.1))
    settings, callbacks = LoopSettings(steps=4, accumulate=accumulate), [Changes(plain[0], later)]
    trainer = Trainer(
        model, mean_square, [torch.ones(2, 4)], optimizer, settings, parallel=parallel, callbacks=callbacks
    )
    with pytest.raises(ConfigError, match=said):
        trainer.fit()
    assert trainer.step == 1


@pytest.mark.parametrize(("accumulate", "step"), [(1, 0), (2, 1)])
def test_what_a_step_does_not_use_is_named(parallel: Parallel, accumulate: int, step: int) -> None:
    model = parallel.wrap(Turns())
    optimizer = parallel.optimizer(torch.optim.SGD(model.parameters(), lr=0.1))

    settings = LoopSettings(steps=4, accumulate=accumulate)
    trainer = Trainer(model, mean_square, [torch.ones(2, 4)], optimizer, settings, parallel=parallel)
    names = "a.weight, a.bias" if accumulate == 2 else "b.weight, b.bias"
    with pytest.raises(ConfigError, match=f"parallel: expected every parameter .* not used: {names} "):
        trainer.fit()
    assert trainer.step == step
