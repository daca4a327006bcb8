import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Rotary(nn.Module):
    def __init__(self, head_dim: int) -> None:
        super().__init__()
        steps = torch.arange(0, head_dim, 2)  #! steps = torch.arange(0, head_dim)
        self.register_buffer("inverse", 10_000.0 ** (-steps / head_dim))

    def forward(
        self, x: Float[Tensor, "b heads t head_dim"], at: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b heads t head_dim"]:
        angle = (at.unsqueeze(-1) * self.inverse).unsqueeze(1)
        even, odd = x[..., ::2], x[..., 1::2]
        turned = (even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos())
        return torch.stack(turned, dim=-1).flatten(-2)


class Modulated(nn.Module):
    def __init__(self, cond: int, channels: int) -> None:
        super().__init__()
        self.modulate = nn.Linear(cond, 2 * channels)  #! self.modulate = nn.Linear(cond, channels)

    def forward(
        self, x: Float[Tensor, "b channels t"], c: Float[Tensor, "b cond"]
    ) -> Float[Tensor, "b channels t"]:
        scale, shift = self.modulate(c).unsqueeze(-1).chunk(2, dim=1)
        return x * (1 + scale) + shift


class Attention(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads, self.query = heads, nn.Linear(d_model, d_model)
        self.rotary = Rotary(d_model // heads)

    def forward(self, x: Float[Tensor, "b t d_model"], at: Int[Tensor, "b t"]) -> Tensor:
        q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return self.rotary(q, at)  # E: shape


class Block(nn.Module):
    def __init__(self, width: int, cond: int) -> None:
        super().__init__()
        self.conv, self.film = nn.Conv1d(width, 3 * width, 1), Modulated(cond, 3 * width)

    def forward(self, x: Float[Tensor, "b width t"], c: Float[Tensor, "b cond"]) -> Tensor:
        return self.film(self.conv(x), c)  # E: shape


# run: Attention(24, 3)(randn(2, 5, 24), torch.arange(5).expand(2, 5))
# run: Block(4, 6)(randn(2, 4, 7), randn(2, 6))
