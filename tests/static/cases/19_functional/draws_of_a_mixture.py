import torch
import torch.distributions as td
from jaxtyping import Float, Int
from torch import Tensor


def draws(
    weights: Float[Tensor, "k"], means: Float[Tensor, "k d"], scales: Float[Tensor, "k d d"], n: int
) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n"]]:
    each = td.MultivariateNormal(means, scale_tril=scales)
    mixture = td.MixtureSameFamily(td.Categorical(weights), each)
    x = mixture.sample((n,))
    return x, mixture.log_prob(x)


def nearest(
    weights: Float[Tensor, "k"], means: Float[Tensor, "k d"], scales: Float[Tensor, "k d d"], n: int
) -> Int[Tensor, "n"]:
    x, _ = draws(weights, means, scales, n)
    each = td.MultivariateNormal(means, scale_tril=scales)
    return each.log_prob(x[:, None]).argmax(-1)  #! return each.log_prob(x).argmax(-1)  # E: shape


# run: nearest(torch.ones(4), randn(4, 2), torch.eye(2).repeat(4, 1, 1), 7)
