"""A dict or list that a module returns is given to what takes one of wider items, and returned as one."""

from typing import TypedDict

import torch
from torch import Tensor, nn


class Outputs(TypedDict):
    logits: Tensor


class Named(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {"x": x}


class Several(nn.Module):
    def forward(self, x: Tensor) -> list[Tensor]:
        return [x]


class Keys(nn.Module):
    def forward(self, x: Tensor) -> Outputs:
        return {"logits": x}


def log(values: dict[str, Tensor | float], *, step: int) -> None:
    values["step"] = step


def show(values: dict[str, object]) -> None:
    print(values)


def padded(features: list[Tensor | None]) -> None:
    features.append(None)


def norm(x: Tensor) -> Tensor:
    return torch.sum(x)


def given(x: Tensor) -> None:
    named, several = Named()(x), Several()(x)
    log(named, step=1)
    padded(several)
    padded(features=Several()(x))
    show(Named()(x))
    show(Keys()(x))
    norm(named)  # E: Argument 1 to "norm" has incompatible type "dict[Any, Any]"; expected "Tensor"  [arg-type]
    norm(Several()(x))  # E: Argument 1 to "norm" has incompatible type "list[Any]"; expected "Tensor"  [arg-type]


def returned(x: Tensor) -> dict[str, Tensor | float]:
    return Named()(x)


def returned_beside(x: Tensor) -> tuple[dict[str, Tensor | float], list[Tensor | None]]:
    out = Named()(x)
    out["mean"] = x.mean()
    return out, Several()(x)


def to_torch_and_builtins(x: Tensor) -> None:
    several = Several()(x)
    print(len(several), torch.cat(several))
    reveal_type(several)  # N: Revealed type is "list[torch._tensor.Tensor]"
