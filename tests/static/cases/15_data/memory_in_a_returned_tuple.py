from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Memory:
    states: Float[Tensor, "b s wide"]


class Encoder(nn.Module):
    def __init__(self, d: int, hidden: int) -> None:
        super().__init__()
        self.rnn = nn.GRU(d, hidden, batch_first=True, bidirectional=True)

    def forward(self, x: Float[Tensor, "b s d"]) -> tuple[Memory, Float[Tensor, "b hidden"]]:
        states, last = self.rnn(x)
        return Memory(states), last.sum(dim=0)


def attend(query: Float[Tensor, "b hidden"], memory: Memory, key: nn.Linear) -> Float[Tensor, "b wide"]:
    weights = torch.einsum("bsk,bk->bs", key(memory.states), query).softmax(dim=-1)
    return torch.einsum("bs,bsw->bw", weights, memory.states)


def step(x: Float[Tensor, "b s d"]) -> Float[Tensor, "b 12"]:
    encoder = Encoder(x.shape[-1], 12)
    memory, h = encoder(x)
    context = attend(h, memory, nn.Linear(24, 12))
    cell = nn.GRUCell(24, 12)  #! cell = nn.GRUCell(12, 12)
    return cell(context, h)  # E: shape


# run: step(randn(2, 5, 3))
