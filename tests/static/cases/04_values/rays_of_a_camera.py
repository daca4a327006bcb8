import torch
from jaxtyping import Float
from torch import Tensor


class Camera:
    def __init__(self, fx: float, fy: float, cx: float, cy: float):
        self.K = torch.tensor([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])

    @property
    def inverse(self) -> Float[Tensor, "3 3"]:
        return torch.linalg.inv(self.K)

    def rays(self, h: int, w: int) -> Float[Tensor, "{h} {w} 3"]:
        v, u = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        pix = torch.stack([u, v, torch.ones_like(u)], dim=-1).float()  #! pix = torch.stack([u, v], dim=-1).float()
        return pix @ self.inverse.T  # E: shape


# run: Camera(1., 1., 0., 0.).rays(4, 5)
