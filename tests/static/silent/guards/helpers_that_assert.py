"""A helper asserts, or else raises: whoever has called it knows what it asked for."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Recurrent(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(
        self, u: Float[Tensor, "batch seqlen dim"], step: bool = False
    ) -> Float[Tensor, "batch seqlen dim"]:
        if step:
            return self.step(u)
        return self.proj(u)

    def refusing(
        self, u: Float[Tensor, "batch seqlen dim"], step: bool = False
    ) -> Float[Tensor, "batch seqlen dim"]:
        return self.step_or_raise(u) if step else self.proj(u)

    def step(self, u):
        assert u.shape[1] == 1
        return self.proj(u.squeeze(1)).unsqueeze(1)

    def step_or_raise(self, u):
        if u.shape[1] != 1:
            raise ValueError(f"one at a time, not {u.shape[1]}")
        return self.proj(u.squeeze(1)).unsqueeze(1)


def _paired(x, y):
    assert x.shape == y.shape
    return torch.stack([x, y])


def differences(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    both = _paired(x, y)
    return both[0] - both[1] + x - y


def twice(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"], z: Float[Tensor, "k d"]) -> Float[Tensor, "n d"]:
    both = _paired(x, y)
    again = _paired(x, z)
    return both[0] - again[1] + y - z


def step_twice(net: Recurrent, u: Float[Tensor, "batch seqlen dim"]) -> Float[Tensor, "batch 1 dim"]:
    return net.step(u) + u


def less(x, y) -> Float[Tensor, "n d"]:
    assert x.shape == y.shape
    return x - y


def less_or_raise(x: Float[Tensor, "n d"], y) -> Float[Tensor, "n d"]:
    if x.shape != y.shape:
        raise ValueError("of one shape")
    return x - y


def less_annotated(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    assert len(x) == len(y)
    return x - y


def promised(x: Float[Tensor, "a d"], y: Float[Tensor, "b d"]) -> Float[Tensor, "a d"]:
    return less(x, y)


def promised_the_other(x: Float[Tensor, "a d"], y: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return less_or_raise(x, y) + x


def promised_by_annotations(x: Float[Tensor, "a d"], y: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return less_annotated(x, y) * x


# run: Recurrent(4)(randn(2, 3, 4))
# run: Recurrent(4)(randn(2, 1, 4), step=True)
# run: Recurrent(4).refusing(randn(2, 1, 4), step=True)
# run: differences(randn(3, 4), randn(3, 4))
# run: twice(randn(3, 4), randn(3, 4), randn(3, 4))
# run: step_twice(Recurrent(4), randn(2, 1, 4))
# run: promised(randn(3, 4), randn(3, 4))
# run: promised_the_other(randn(3, 4), randn(3, 4))
# run: promised_by_annotations(randn(3, 4), randn(3, 4))
