from collections import deque, namedtuple
import random

import torch
import torch.nn.functional as F
from torch import nn

Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "done"))


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        batch = Transition(*zip(*random.sample(self.memory, n)))
        states = torch.stack(batch.state)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        return states, actions, rewards, torch.stack(batch.next_state), torch.tensor(batch.done).float()


class QNet(nn.Module):
    def __init__(self, obs, actions, hidden=32):
        super().__init__()
        self.fc1 = nn.Linear(obs, hidden)
        self.value = nn.Linear(hidden, 1)
        self.adv = nn.Linear(hidden, actions)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        adv = self.adv(h)
        return self.value(h) + adv - adv.mean(dim=-1, keepdim=True)  #! return self.value(h) + adv - adv.mean(dim=-1)


def td_loss(online, target, batch, gamma=0.99):
    states, actions, rewards, nxt, done = batch
    q = online(states).gather(1, actions).squeeze(1)
    with torch.no_grad():
        best = online(nxt).argmax(1, keepdim=True)
        q_next = target(nxt).gather(1, best).squeeze(1)
    return F.smooth_l1_loss(q, rewards + gamma * (1 - done) * q_next)


def main():
    online, target = QNet(4, 2), QNet(4, 2)
    target.load_state_dict(online.state_dict())
    buffer = ReplayBuffer(100)
    for _ in range(20):
        buffer.push(torch.randn(4), random.randrange(2), random.random(), torch.randn(4), False)
    online(torch.randn(7, 4))  # E: shape
    return td_loss(online, target, buffer.sample(8)).item()  # e: shape


# run: main()
