import torch
from jaxtyping import Float
from torch import Tensor


def scores(q: Float[Tensor, "n d"], k: Float[Tensor, "m d"], causal: bool = False) -> Float[Tensor, "n m"]:
    s = q @ k.T
    if causal:
        t = q.shape[0]
        assert k.shape[0] == t
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), -1e9)
    return s


def main() -> None:
    scores(torch.randn(4, 3), torch.randn(2, 3))
    scores(torch.randn(4, 3), torch.randn(4, 3), causal=True)


# run: main()
