import torch
from jaxtyping import Float
from torch import Tensor, nn


class Siamese(nn.Module):
    def __init__(self, d: int, e: int) -> None:
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, e))
        self.score = nn.Linear(2 * e, 1)

    def forward(self, a: Float[Tensor, "b d"], c: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:
        za, zc = self.tower(a), self.tower(c)
        joint = torch.cat([za, zc], dim=-1)  #! joint = torch.cat([za, zc], dim=0)
        return self.score(joint).squeeze(-1)  # E: shape


# run: Siamese(5, 3)(randn(2, 5), randn(2, 5))
