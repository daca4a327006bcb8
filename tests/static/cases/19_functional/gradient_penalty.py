import torch
from jaxtyping import Float
from torch import Tensor, nn


def penalty(
    critic: nn.Module, real: Float[Tensor, "b c h w"], fake: Float[Tensor, "b c h w"]
) -> Float[Tensor, ""]:
    share = torch.rand(real.shape[0], 1, 1, 1)  #! share = torch.rand(real.shape[0], 1)
    mixed = (share * real + (1 - share) * fake).requires_grad_()  # E: shape
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return ((slope.flatten(1).norm(dim=1) - 1) ** 2).mean()


# run: penalty(nn.Sequential(nn.Flatten(), nn.Linear(60, 1)), randn(2, 3, 4, 5), randn(2, 3, 4, 5))
