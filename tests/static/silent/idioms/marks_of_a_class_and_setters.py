"""A Literal with a default that marks a class, read of an object of any subclass; and setattr through a
property, which keeps what it is given in a form of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Node:
    kind: Literal[""] = ""
    width: int = 3


@dataclass
class Input(Node):
    kind: Literal["input"] = "input"


class Drawing:
    def box(self, node: Node) -> Tensor:
        return torch.ones(node.width)

    def line(self, node: Node) -> Tensor:
        return torch.zeros(node.width)

    def draw(self, node: Node) -> Tensor:
        return {"op": self.box, "input": self.line}[node.kind](node)


class Dotted(dict):
    def __getitem__(self, key: str) -> Any:
        head, _, rest = key.partition(".")
        found = super().__getitem__(head)
        return found[rest] if rest else found


class Settings:
    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    @property
    def fixed_params(self) -> Any:
        return Dotted(self.kept)

    @fixed_params.setter
    def fixed_params(self, given: dict[str, Any]) -> None:
        self.kept = given


def of_settings() -> Float[Tensor, "3"]:
    settings = Settings()
    for mode in ["fixed"]:
        setattr(settings, "{}_params".format(mode), {"model": {"width": 3}})
        params = getattr(settings, "{}_params".format(mode))
    return torch.ones(params["model.width"])


# run: Drawing().draw(Input()), of_settings()
