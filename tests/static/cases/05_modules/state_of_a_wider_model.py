import copy

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.inp = nn.Linear(10, width)
        self.body = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.scale = torch.ones(width)  # no part of the state
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        x = self.inp(x)
        for layer in self.body:
            x = torch.relu(layer(x)) * self.scale
        return self.out(x)


class Resized(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(4, width)

    def _load_from_state_dict(self, state, prefix, *args):
        state[prefix + "weight"] = self.fc.weight.detach()
        super()._load_from_state_dict(state, prefix, *args)


class Wrapper(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = Resized(width)
        self.fc = nn.Linear(4, 2)


class Learner:
    def __init__(self, width):
        self.online = Encoder(width)
        self.target = Encoder(width)  #! self.target = Encoder(2 * width)
        self.frozen = copy.deepcopy(self.online)

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())
        self.frozen.load_state_dict(self.online.state_dict(), strict=False)


def main():
    teacher = Encoder(64)
    student = Encoder(64)  #! student = Encoder(32)
    student.load_state_dict(teacher.state_dict())  # E: shape
    Wrapper(3).load_state_dict(Wrapper(3).state_dict(), strict=False)
    a, b = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    a.load_state_dict(b.state_dict())
    return student(torch.randn(2, 10))


def learn():
    learner = Learner(64)
    learner.sync()  # E: shape
    return learner.target(torch.randn(2, 10))


# run: main()
# run: learn()
