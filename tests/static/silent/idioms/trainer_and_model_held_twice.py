"""A trainer that changes a model its caller holds; views over shared parts; param groups; freezing; swapped heads."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class Body(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.fc = nn.Linear(3, d)
        self.out_dim = d

    def forward(self, x):
        return torch.relu(self.fc(x))


class Model(nn.Module):
    def __init__(self, body, classes=2):
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.out_dim, classes)

    def forward(self, x):
        return self.head(self.body(x))

    def reset_head(self, classes):
        self.head = nn.Linear(self.body.out_dim, classes)


class Trainer:
    def __init__(self, model, tasks):
        self.model, self.tasks = model, tasks
        self.params = list(model.parameters())
        self.log = []

    def fit(self):
        for t in self.tasks:
            self.model.reset_head(t)
            y = self.model(torch.zeros(2, 3))
            self.log.append(y)
        return self

    def surgery(self, d):
        widen(self.model.body, d)
        self.model.reset_head(self.model.head.out_features)


def widen(body, d):
    old = body.fc
    body.fc = nn.Linear(old.in_features, d)
    body.out_dim = d
    return old


def main():
    body = Body()
    model = Model(body)
    tr = Trainer(model, [5, 6])
    a = model(torch.zeros(1, 3)) + torch.zeros(1, 2)
    tr.fit()
    b = model(torch.zeros(1, 3)) + torch.zeros(1, 6)
    c = tr.log[0] + torch.zeros(2, 5)
    tr.surgery(9)
    d = body(torch.zeros(1, 3)) + torch.zeros(1, 9)
    e = model.head.weight + torch.zeros(6, 9)
    f = torch.zeros(body.out_dim) + torch.zeros(9)
    model.body = Body(7)
    model.reset_head(1)
    g = tr.model(torch.zeros(1, 3)) + torch.zeros(1, 1)
    h = body.fc.weight + torch.zeros(9, 3)
    head = model.head
    model.reset_head(8)
    i = head(torch.zeros(1, 7)) + torch.zeros(1, 1)
    two = Model(body)
    body.fc = nn.Linear(3, 9, bias=False)
    j = two.body.fc.weight + torch.zeros(9, 3)
    widen(two.body, 5)
    k = body(torch.zeros(1, 3)) + torch.zeros(1, 5)
    models = {"a": model, "b": two}
    for m in models.values():
        m.reset_head(4)
    l = two.head.bias + torch.zeros(4)
    m2 = model.head.bias + torch.zeros(4)
    for n, m in models.items():
        m.head = nn.Linear(2, 3)
    n2 = two.head.weight + torch.zeros(3, 2)
    return a, b, c, d, e, f, g, h, i, j, k, l, m2, n2


# run: main()
