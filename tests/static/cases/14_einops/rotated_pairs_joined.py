import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn


class Rotary(nn.Module):
    cos: Float[Tensor, "max_len half"]
    sin: Float[Tensor, "max_len half"]

    def __init__(self, theta: float, d_k: int, max_len: int) -> None:
        super().__init__()
        freqs = theta ** (-torch.arange(0, d_k, 2).float() / d_k)
        angles = torch.outer(torch.arange(max_len).float(), freqs)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: Float[Tensor, "... seq d_k"], positions: Int[Tensor, "seq"]) -> Float[Tensor, "... seq d_k"]:
        cos, sin = self.cos[positions], self.sin[positions]
        a, b = rearrange(x, "... (half two) -> two ... half", two=2)
        turned = torch.stack((a * cos - b * sin, a * sin + b * cos))
        return rearrange(turned, "two ... half -> ... (half two)")  #! return rearrange(turned, "two ... half -> ... half two")  # E: shape


# run: Rotary(1e4, 6, 16)(randn(2, 3, 5, 6), torch.arange(5))
