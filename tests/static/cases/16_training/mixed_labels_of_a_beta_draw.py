import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.distributions import Beta

Batch = tuple[Float[Tensor, "b c h w"], Float[Tensor, "b classes"]]


def mixup(x: Float[Tensor, "b c h w"], y: Int[Tensor, "b"], classes: int, alpha: float) -> Batch:
    lam = Beta(alpha, alpha).sample((len(x),))
    other = torch.randperm(len(x))
    onehot = F.one_hot(y, classes).float()
    images = torch.lerp(x[other], x, lam[:, None, None, None])
    return images, lam[:, None] * onehot + (1 - lam[:, None]) * onehot[other]  #! return images, lam * onehot + (1 - lam) * onehot[other]  # E: shape


# run: mixup(randn(5, 3, 4, 4), randint(0, 7, (5,)), 7, 0.4)
