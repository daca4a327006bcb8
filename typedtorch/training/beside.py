"""Parameters that the optimizer trains and the model does not hold, a temperature of the loss say.

They are as much of a run as the model's: a state has them, in the optimizer's order.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

KEY = "beside"
"""The item of a state that holds them, where there are any."""


def trained_beside(model: nn.Module, optimizer: Optimizer) -> list[Tensor]:
    """The optimizer's parameters that are not the model's.

    >>> layer, temperature = nn.Linear(2, 1, bias=False), nn.Parameter(torch.ones(()))
    >>> found = trained_beside(layer, torch.optim.SGD([layer.weight, temperature], lr=0.1))
    >>> [value is temperature for value in found]
    [True]
    """
    own = {id(param) for param in model.parameters()}
    return [p for group in optimizer.param_groups for p in group["params"] if id(p) not in own]


def problems(saved: object, here: Sequence[Tensor]) -> list[str]:
    """What keeps saved values from being those of the parameters here, one line each."""
    if not isinstance(saved, list | tuple) or not all(isinstance(value, Tensor) for value in saved):
        return [f"{KEY}: expected tensors, found {saved!r:.80}"]
    wanted, found = (
        [f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}" for value in values]
        for values in (here, saved)
    )
    if wanted == found:
        return []
    return [f"{KEY} the model: expected {', '.join(wanted) or 'none'}, found {', '.join(found) or 'none'}"]


@torch.no_grad()
def restore(saved: Sequence[Tensor], here: Sequence[Tensor]) -> None:
    """Copy saved values without :func:`problems` into the parameters here."""
    for value, param in zip(saved, here, strict=True):
        param.copy_(value)
