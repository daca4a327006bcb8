import torch
from jaxtyping import Float
from torch import Tensor
from einops.layers.torch import Reduce, Rearrange
from torch import nn
head = nn.Sequential(nn.Conv2d(3, 8, 3), Reduce("b c h w -> b c", "mean"), nn.Linear(8, 10))
def classify(img: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 10"]:
    return head(img)  #! return head(img.permute(0, 2, 3, 1))  # E: shape


# run: classify(randn(2,3,8,8))
