import torch
from jaxtyping import Float
from torch import Tensor


def load(path: str) -> Tensor:
    rows = [[float(len(path))] * 7 for _ in range(5)]
    return torch.tensor(eval(repr(rows)))


def features(path: str, weight: Float[Tensor, "k d"]) -> Float[Tensor, "n k"]:
    x = load(path)
    n, d = len(x), weight.shape[1]
    assert x.shape == (n, d)
    return x @ weight.T  #! return x @ weight  # E: shape


# run: features("x", randn(3, 7))
