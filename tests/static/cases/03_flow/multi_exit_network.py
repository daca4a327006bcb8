import torch
from jaxtyping import Float
from torch import Tensor, nn


class EarlyExit(nn.Module):
    def __init__(self, d: int, classes: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(d, d) for _ in range(depth)])
        self.exits = nn.ModuleList([nn.Linear(d, classes) for _ in range(depth)])

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b exits classes"]:
        outputs = []
        for block, head in zip(self.blocks, self.exits):
            x = torch.relu(block(x)) + x
            outputs.append(head(x))
        return torch.stack(outputs, dim=1)  #! return torch.cat(outputs, dim=1)  # E: shape


# run: EarlyExit(5, 7, 3)(randn(2, 5))
