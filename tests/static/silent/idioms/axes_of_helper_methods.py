"""Methods that take an axis named like an integer of their object, and work for every size of it."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

    def norm(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b dim"]:
        return x / x.norm(dim=-1, keepdim=True)

    def forward(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b dim"]:
        return self.down(self.norm(self.up(x)))


class Attention(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.w = nn.Linear(d, d)

    def attend(self, q: Float[Tensor, "b h s d"]) -> Float[Tensor, "b h s d"]:
        return (q @ q.mT).softmax(-1) @ q

    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b s d"]:
        heads = self.w(x).unflatten(-1, (2, -1)).transpose(1, 2)
        return self.attend(heads).transpose(1, 2).flatten(2)


class Tagger(nn.Module):
    def __init__(self, hidden: int, labels: int) -> None:
        super().__init__()
        self.out = nn.Linear(hidden, labels)

    def mean(self, x: Float[Tensor, "b s hidden"], mask: Float[Tensor, "b s"]) -> Float[Tensor, "b hidden"]:
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)

    def forward(self, x: Float[Tensor, "b s hidden"], mask: Float[Tensor, "b s"]) -> Float[Tensor, "b labels"]:
        return self.mean(self.out(x), mask)


class Memory:
    """No module, and built of a number."""

    def __init__(self, d: int) -> None:
        self.x = torch.ones(9, d)

    def norm(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return x / x.norm(dim=-1, keepdim=True)

    def scores(self, q: Float[Tensor, "n d"]) -> Float[Tensor, "n 9"]:
        return self.norm(q @ self.x.T)


class Routing(NamedTuple):
    experts: Int[Tensor, "tokens k"]
    probs: Float[Tensor, "tokens n_experts"]

    def load(self) -> Float[Tensor, " n_experts"]:
        return F.one_hot(self.experts, self.probs.shape[-1]).sum(1).float().mean(0)


class Router(nn.Module):
    def __init__(self, d: int, n: int, k: int) -> None:
        super().__init__()
        self.k = k
        self.gate = nn.Linear(d, n)

    def forward(self, x: Float[Tensor, "tokens d"]) -> Routing:
        probs = self.gate(x).softmax(-1)
        return Routing(probs.topk(self.k, dim=-1).indices, probs)


class Experts(nn.Module):
    def __init__(self, d: int, m: int = 4, k: int = 2) -> None:
        super().__init__()
        self.router = Router(d, m, k)

    def forward(self, x: Float[Tensor, "tokens d"]) -> Float[Tensor, " experts"]:
        return self.router(x).load()


class Prediction(TypedDict):
    logits: Float[Tensor, "b c"]


class Classifier(nn.Module):
    """Whose ``forward`` has a number of its own by the name of an axis."""

    def __init__(self, d: int, n: int) -> None:
        super().__init__()
        self.out = nn.Linear(d, n)

    def forward(self, x: Float[Tensor, "b d"], d: int = 3) -> Prediction:
        found = {"logits": self.out(x)}
        if self.out.in_features > 100:
            found["logits"] = d * found["logits"]
        return found


def check() -> None:
    for b, d, c in [(3, 6, 4), (5, 8, 7)]:
        out = Classifier(d, c)(torch.randn(b, d))
        assert out["logits"].shape == (b, c)
    assert FeedForward(4, 7)(torch.randn(3, 4)).shape == (3, 4)
    assert Attention(4)(torch.randn(3, 5, 4)).shape == (3, 5, 4)
    assert Tagger(4, 3)(torch.randn(2, 5, 4), torch.ones(2, 5)).shape == (2, 3)
    assert Memory(4).scores(torch.randn(3, 4)).shape == (3, 9)
    assert Experts(3, 6)(torch.randn(5, 3)).shape == (6,)


# run: check()
