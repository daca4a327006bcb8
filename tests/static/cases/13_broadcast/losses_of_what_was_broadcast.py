import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def __init__(self, width: int = 17) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, states):
        return self.net(states)


def value_loss() -> torch.Tensor:
    critic, target = Critic(), Critic()
    states, after = torch.randn(256, 17), torch.randn(256, 17)
    rewards = torch.randn(256, 1)  #! rewards = torch.randn(256)
    done = torch.zeros(256, 1)
    with torch.no_grad():
        wanted = rewards + 0.99 * (1 - done) * target(after)
    return F.mse_loss(critic(states), wanted)  # E: broadcast


def td_loss() -> torch.Tensor:
    net = nn.Linear(8, 4)
    states, actions, rewards = torch.randn(128, 8), torch.zeros(128, dtype=torch.long), torch.randn(128)
    best, _ = net(states).max(dim=1)  #! best, _ = net(states).max(dim=1, keepdim=True)
    chosen = net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    return nn.MSELoss()(rewards + 0.99 * best, chosen)  # E: broadcast


def to_one_target() -> torch.Tensor:
    return F.mse_loss(nn.Linear(8, 8)(torch.randn(8, 8)), torch.randn(1, 8))


# quiet: torch only warns
# run: value_loss(), td_loss(), to_one_target()
