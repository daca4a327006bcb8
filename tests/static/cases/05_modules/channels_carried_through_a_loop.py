import torch
from jaxtyping import Float
from torch import Tensor, nn


class TCN(nn.Module):
    def __init__(self, c_in: int, channels: list[int], k: int = 3):
        super().__init__()
        blocks: list[nn.Module] = []
        prev = c_in
        for i, c in enumerate(channels):
            blocks.append(nn.Conv1d(prev, c, k, dilation=2**i, padding=2**i * (k - 1) // 2))
            blocks.append(nn.ReLU())
            prev = c  #! prev = c_in
        self.net = nn.Sequential(*blocks)
        self.head = nn.Linear(channels[-1], 1)

    def forward(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "b"]:
        h = self.net(x.transpose(1, 2))  # E: shape
        return self.head(h[:, :, -1]).squeeze(-1)


tcn = TCN(4, [8, 16, 16])
y = tcn(torch.randn(2, 20, 4))


# run: pass
