from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Output:
    hidden: Float[Tensor, "a b"]
    mask: Tensor


def read(path: str) -> Tensor:
    return torch.zeros(2)


def change() -> Tensor:
    output = Output(torch.zeros(2, 3), read("mask"))
    alias: Output = output
    alias.mask = torch.zeros(4, 5)
    alias.hidden = torch.zeros(6, 7)
    return output.hidden @ torch.zeros(7, 1) + output.mask.sum()


# run: change()
