import torch
from jaxtyping import Float
from torch import Tensor, nn


class Dynamics(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.cell = nn.GRU(width, width, batch_first=True)

    def rollout(self, start: Float[Tensor, "batch width"], steps: int) -> Float[Tensor, "batch time width"]:
        states = [start]
        for _ in range(steps):
            out, _ = self.cell(states[-1][:, None])
            states.append(out[:, 0])  #! states.append(out[0])
        return torch.stack(states, dim=1)  # E: shape


# run: Dynamics(3).rollout(randn(2, 3), 4)
