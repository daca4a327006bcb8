import torch
from jaxtyping import Float
from torch import Tensor


def frame(axes: list[Float[Tensor, "3"]]) -> Float[Tensor, "3 3"]:
    return torch.stack(axes, dim=1)


def basis(vectors: list[Float[Tensor, "d"]], x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x @ torch.stack(vectors)


def weighted(outs: list[Float[Tensor, "b d"]], weights: Float[Tensor, "b n"]) -> Float[Tensor, "b d"]:
    return (torch.stack(outs, dim=-1) * weights[:, None]).sum(-1)


def difference(a: list[Float[Tensor, "d"]], b: list[Float[Tensor, "d"]]) -> Float[Tensor, "n d"]:
    return torch.stack(a) - torch.stack(b)


def stacked(rows: list[Float[Tensor, "d"]]) -> Float[Tensor, "n d"]:
    return torch.stack(rows)


def back(x: Float[Tensor, "q d"]) -> Float[Tensor, "q d"]:
    return stacked(list(x)) + x


# run: frame([torch.randn(3)] * 3)
# run: basis([torch.randn(4)] * 4, torch.randn(2, 4))
# run: weighted([torch.randn(2, 4)] * 3, torch.randn(2, 3))
# run: difference([torch.randn(4)] * 3, [torch.randn(4)] * 3)
# run: back(torch.randn(3, 4))
