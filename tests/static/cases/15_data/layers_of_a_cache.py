import torch
from jaxtyping import Float
from torch import Tensor


def in_order(cache: dict[int, Float[Tensor, "batch pos d"]]) -> Float[Tensor, "layer batch pos d"]:
    return torch.stack([cache[i] for i in sorted(cache)])  #! return torch.stack([cache[i] for i in sorted(cache)], dim=1)  # E: shape


def together(cache: dict[str, Float[Tensor, "batch d"]]) -> Float[Tensor, "batch layer d"]:
    return torch.stack(list(cache.values()), dim=1)  #! return torch.stack(list(cache.values()))  # E: shape


def weighted(cache: dict[str, Float[Tensor, "batch d"]]) -> Float[Tensor, "batch d"]:
    weights = torch.arange(1.0, len(cache) + 1)
    rows = torch.stack([row for _, row in cache.items()], dim=-1)
    return (rows * weights).sum(-1)  #! return (rows.mT @ weights).sum(-1)  # E: shape


# run: in_order({i: randn(2, 3, 5) for i in range(4)}), together({"a": randn(2, 3), "b": randn(2, 3), "c": randn(2, 3)})
# run: weighted({"a": randn(2, 3), "b": randn(2, 3), "c": randn(2, 3), "d": randn(2, 3)})
