"""A run of axes may be none, and an axis that may be anything may be 1: one observation, one prompt."""

from jaxtyping import Float
from torch import Tensor


def act(logits: Float[Tensor, "*batch actions"]) -> int:
    return logits.argmax(-1).item()


def dot(a: Float[Tensor, "... d"], b: Float[Tensor, "... d"]) -> float:
    return float((a * b).sum(-1))


def positive(x: Float[Tensor, "... 1"]) -> bool:
    if x > 0:
        return True
    return bool(x == 0)


def best(x: Float[Tensor, "#n d"]) -> int:
    return x.argmax(-1).item()


def anonymous(x: Float[Tensor, "_ d"]) -> int:
    return int(x.argmax(-1))


def slope(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    x = x.clone().requires_grad_()
    loss = x.square().sum(-1)
    loss.backward()
    assert x.grad is not None
    return x.grad


# run: act(randn(4)), act(randn(1, 4)), dot(randn(3), randn(3)), dot(randn(1, 5), randn(1, 5))
# run: positive(randn(1)), positive(randn(1, 1)), best(randn(1, 3)), anonymous(randn(1, 3)), slope(randn(3))
