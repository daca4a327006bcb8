import torch
from jaxtyping import Float, Int
from torch import Tensor

Item = tuple[Float[Tensor, "t d"], Int[Tensor, ""]]


def collate(items: list[Item]) -> tuple[Float[Tensor, "b t d"], Int[Tensor, "b"]]:
    xs, ys = zip(*items)
    return torch.stack(list(xs)), torch.stack(list(ys))  #! return torch.cat(list(xs)), torch.stack(list(ys))  # E: shape


# run: collate([(randn(3,4), torch.tensor(1)), (randn(3,4), torch.tensor(0))])
