"""An exponential moving average of the weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from typedtorch.training.restore import named_plainly


class Ema:
    """``average = decay * average + (1 - decay) * weights`` after every step, at least in float32.

    In half precision an average moves by less than it can hold, and soon no more.

    >>> model = nn.Linear(1, 1, bias=False); model.weight.data.fill_(0.0)
    tensor([[0.]])
    >>> ema = Ema(model, 0.5); model.weight.data.fill_(1.0)
    tensor([[1.]])
    >>> ema.update()
    >>> with ema.swapped(): print(model.weight.item())
    0.5

    Raises:
        ValueError: ``decay`` is not between 0 and 1.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        if not 0 < decay < 1:
            raise ValueError(f"ema: expected a decay between 0 and 1, got {decay}")
        self.decay, self._model = decay, model
        self._names = [name for name, _ in named_plainly(model)]
        self.averages: list[Tensor] = [_wide_copy(param.detach()) for param in model.parameters()]
        # where a model is divided between processes, each moves what it holds
        self._params = [_held(param.detach()) for param in model.parameters()]
        self._held = [_held(average) for average in self.averages]
        pairs = zip(self._held, self._params, strict=True)
        self._widens = any(average.dtype is not param.dtype for average, param in pairs)

    def update(self) -> None:
        """Move towards the present weights."""
        weights = self._params
        if self._widens:
            weights = [param.to(mine.dtype) for mine, param in zip(self._held, weights, strict=True)]
        torch._foreach_lerp_(self._held, weights, 1 - self.decay)

    @contextlib.contextmanager
    def swapped(self) -> Iterator[None]:
        """Inside, the model has the averages as its weights, in its own precision."""
        weights = [param.clone() for param in self._params]
        self._put(self._held)
        try:
            yield
        finally:
            self._put(weights)

    def _put(self, values: list[Tensor]) -> None:
        torch._foreach_copy_(self._params, values)
        for module in self._model.modules():
            reshard = getattr(
                module, "reshard", None
            )  # FSDP's: whole weights it still holds are the old ones
            if callable(reshard):
                reshard()

    def state_dict(self) -> dict[str, Any]:
        """The averages by name."""
        return dict(zip(self._names, self.averages, strict=True))

    def problems(self, state: object) -> list[str]:
        """What keeps ``state`` from being this model's averages."""
        if not isinstance(state, Mapping):
            return [f"ema: expected names and tensors, found a {type(state).__name__}"]
        found = [f"ema missing: {name}" for name in self._names if name not in state]
        for name, mine in zip(self._names, self.averages, strict=True):
            found += _problems(name, mine, state.get(name, mine))
        return found

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Put saved averages back."""
        for name, mine in zip(self._names, self.averages, strict=True):
            mine.copy_(_divided_as(mine, state[name]))


def _problems(name: str, mine: Shaped[Tensor, "*shape"], value: object) -> list[str]:
    if not isinstance(value, Tensor):
        return [f"ema {name}: expected a tensor, found {type(value).__name__}"]
    if value.shape != mine.shape:
        return [f"ema {name}: expected shape {tuple(mine.shape)}, found {tuple(value.shape)}"]
    return []


def _wide_copy(tensor: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    half = tensor.dtype in (torch.float16, torch.bfloat16)
    return tensor.to(torch.float32) if half else tensor.clone()


def _held(tensor: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*held"]:
    """The part of a tensor that this process holds, in the same memory."""
    part: Any = tensor
    held: Shaped[Tensor, "*held"] = part.to_local() if hasattr(part, "to_local") else tensor
    return held


def _divided_as(mine: Shaped[Tensor, "*shape"], value: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    """A whole tensor as the part of it that this process holds of ``mine``."""
    if not hasattr(mine, "device_mesh"):
        return value
    from torch.distributed.tensor import distribute_tensor  # noqa: PLC0415 - slow to import

    parts: Any = mine
    return distribute_tensor(value.to(parts.device_mesh.device_type), parts.device_mesh, parts.placements)
