import torch
from jaxtyping import Float
from torch import Tensor


def mean_of_each(xs: list[Float[Tensor, "dim"]], keys: list[str]) -> Float[Tensor, "keys dim"]:
    buckets: dict[str, list[Tensor]] = {}
    for key, x in zip(keys, xs):
        buckets.setdefault(key, []).append(x)
    means = [torch.stack(bucket).mean(dim=0) for bucket in buckets.values()]  #! means = [torch.stack(bucket) for bucket in buckets.values()]
    return torch.stack(means)  # E: shape


# run: mean_of_each([torch.randn(3) for _ in range(5)], ["a", "b", "a", "b", "a"])
