import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def split(x: Float[Tensor, "n d"], y: Int[Tensor, "n"]) -> tuple[TensorDataset, TensorDataset]:
    data = TensorDataset(x, y)
    cut = int(0.8 * len(data))
    train = TensorDataset(*data[:cut])
    test = TensorDataset(*data[cut:])
    return train, test


def first(x: Float[Tensor, "n d"], y: Int[Tensor, "n"]) -> Float[Tensor, "k d"]:
    data = TensorDataset(x, y)
    xs, ys = data[:3]
    return xs * 2  #! return ys * 2  # E: dtype


# run: first(randn(5, 2), randint(0, 2, (5,)))
