import random
from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import nn

Step = namedtuple("Step", ("state", "action", "reward", "after"))


def collect(env_steps):
    return [Step(torch.randn(4), random.randrange(2), random.random(), torch.randn(4)) for _ in range(env_steps)]


def together(steps):
    columns = Step(*zip(*steps))
    return Step(
        torch.stack(columns.state),
        torch.tensor(columns.action),
        torch.tensor(columns.reward),
        torch.stack(columns.after),
    )


def loss(q, target, batch, gamma=0.9):
    now = q(batch.state).gather(1, batch.action[:, None]).squeeze(1)  #! now = q(batch.state).gather(1, batch.action).squeeze(1)
    with torch.no_grad():
        goal = batch.reward + gamma * target(batch.after).max(1).values
    return F.smooth_l1_loss(now, goal)


def main():
    return loss(nn.Linear(4, 2), nn.Linear(4, 2), together(collect(8)))  # E: shape


# run: main()
