import torch
from jaxtyping import Float
from torch import Tensor, nn


class Streamer(nn.Module):
    def __init__(self, dim: int, kernel: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.conv = nn.Conv1d(dim, dim, kernel)
        self.state: Tensor | None = None

    def step(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b dim"]:
        if self.state is None:
            self.state = x.new_zeros(x.shape[0], x.shape[1], self.kernel - 1)
        window = torch.cat([self.state, x.unsqueeze(-1)], dim=-1)
        self.state = window[..., 1:]  #! self.state = window
        return self.conv(window).squeeze(-1)


def main() -> None:
    stream = Streamer(5, 3)
    steps = [stream.step(torch.randn(2, 5)) for _ in range(4)]  # E: shape
    assert torch.stack(steps, dim=1).shape == (2, 4, 5)


# run: main()
