import random
from collections import deque

import torch
from torch import nn


class DQN(nn.Module):
    def __init__(self, observation, actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(observation, 64), nn.ReLU(), nn.Linear(64, actions))

    def forward(self, x):
        return self.net(x)


def td_loss(q, target, s, a, r, s2, done, gamma=0.99):
    value = q(s).gather(1, a.unsqueeze(1)).squeeze(1)  #! value = q(s).gather(1, a)
    with torch.no_grad():
        y = r + gamma * (1 - done) * target(s2).max(1).values
    return nn.functional.smooth_l1_loss(value, y)


def stacked_frames(frames=4):
    recent = deque(maxlen=frames)
    for _ in range(frames):
        recent.append(torch.zeros(1, 8, 8))
    for _ in range(3):
        recent.append(torch.rand(1, 8, 8))
    return nn.Conv2d(4, 2, 3)(torch.cat(list(recent)).view(1, 4, 8, 8))


def main():
    q, target = DQN(12, 3), DQN(12, 3)
    memory = deque(maxlen=1000)
    for _ in range(64):
        s = torch.randn(12)
        memory.append((s, random.randrange(3), random.random(), s + 1, 0.0))
    memory.appendleft((torch.zeros(12), 1, 0.5, torch.ones(12), 1.0))
    s, a, r, s2, done = zip(*random.sample(memory, 32))
    loss = td_loss(q, target, torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(s2), torch.tensor(done))  # E: shape
    loss.backward()
    return stacked_frames(), loss.item()


# run: main()
