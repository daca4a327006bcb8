import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.data import TensorDataset


def split(x: Float[Tensor, "n d"], share: float) -> tuple[TensorDataset, TensorDataset]:
    cut = int(share * len(x))
    targets = torch.cat([x[1:], x[:1]])
    train = TensorDataset(x[:cut], targets[:cut])
    return train, TensorDataset(x[cut:], targets[cut:])


def pairs(x: Float[Tensor, "n d"], y: Float[Tensor, "m"]) -> TensorDataset:
    first = torch.zeros(90, 3)
    whole = TensorDataset(first, torch.zeros(90))  #! whole = TensorDataset(first, torch.zeros(100))  # E: shape
    return TensorDataset(x, y[: len(x)]) if len(x) <= len(y) else whole


# run: split(randn(10, 3), 0.5), pairs(randn(4, 3), randn(6))
