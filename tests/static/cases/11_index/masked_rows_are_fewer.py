from jaxtyping import Bool, Float
from torch import Tensor


def valid_sums(x: Float[Tensor, "n d"], weight: Float[Tensor, "n"], valid: Bool[Tensor, "n"]) -> Float[Tensor, "m"]:
    rows = x[valid]
    return rows.sum(1) * weight[valid]  #! return rows.sum(1) * weight  # E: shape


def centred(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    inside = x[x.norm(dim=1) < 1]
    return x - inside.mean(0)


# run: valid_sums(randn(3, 4), randn(3), torch.tensor([True, False, True]))
