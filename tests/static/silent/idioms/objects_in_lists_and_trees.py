"""Objects in lists and dicts changed through loops, helpers and aliases."""

from dataclasses import dataclass, field

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor


@dataclass
class Track:
    box: Tensor
    feats: list[Tensor] = field(default_factory=list)
    age: int = 0

    def update(self, f: Tensor) -> "Track":
        self.feats.append(f)
        self.age += 1
        return self


class Tracker:
    def __init__(self):
        self.tracks: list[Track] = []
        self.by_id: dict[int, Track] = {}

    def spawn(self, n):
        for i in range(n):
            t = Track(torch.zeros(4))
            self.tracks.append(t)
            self.by_id[i] = t

    def step(self, x):
        for t in self.tracks:
            t.update(x)
        self.tracks = [t for t in self.tracks if t.age < 5]


def objs(n: int):
    ts = [Track(torch.zeros(4)) for _ in range(n)]
    for t in ts:
        t.box = torch.zeros(2, 2)
    a = ts[0].box @ torch.zeros(2, 3)
    for t in ts:
        t.box = t.box.reshape(1, 4)
    b = torch.cat([t.box for t in ts]) @ torch.zeros(4, 2)
    d = {i: Track(torch.zeros(3)) for i in range(n)}
    for k in d:
        d[k].box = torch.zeros(6)
    c = d[0].box + torch.zeros(6)
    for v in d.values():
        v.box = torch.zeros(7)
    e = d[1].box + torch.zeros(7)
    list(map(lambda t: setattr(t, "box", torch.zeros(9)), ts))
    f = ts[1].box + torch.zeros(9)
    return a, b, c, e, f


def fixed():
    x, y = Track(torch.zeros(2)), Track(torch.zeros(3))
    for t in (x, y):
        t.box = t.box[None]
        t.update(t.box)
    a = x.box + torch.zeros(1, 2)
    b = y.feats[0] + torch.zeros(1, 3)
    pair = {"x": x, "y": y}
    pair["x"].box = torch.zeros(5)
    c = x.box + torch.zeros(5)
    x.age = 7
    d = torch.zeros(pair["x"].age) + torch.zeros(7)
    z = x
    z.box = torch.zeros(8)
    e = pair["x"].box + torch.zeros(8)
    pair["x"] = y
    pair["x"].box = torch.zeros(1, 9)
    f = y.box + torch.zeros(1, 9)
    g = x.box + torch.zeros(8)
    tr = Tracker()
    tr.spawn(2)
    tr.step(torch.zeros(3))
    tr.step(torch.zeros(3))
    h = torch.stack(tr.by_id[0].feats) + torch.zeros(2, 3)
    tr.by_id[1].feats.clear()
    i = torch.zeros(len(tr.tracks[1].feats)) + torch.zeros(0)
    first, *others = tr.tracks
    first.box = torch.zeros(6)
    j = tr.by_id[0].box + torch.zeros(6)
    others[0].age = 9
    k = torch.zeros(tr.by_id[1].age) + torch.zeros(9)
    return a, b, c, d, e, f, g, h, i, j, k


def filtered():
    ts, by_id = [], {}
    for i in range(2):
        t = Track(torch.zeros(4))
        ts.append(t)
        by_id[i] = t
    for t in ts:
        t.box = t.box + torch.zeros(4)
    ts = [t for t in ts if t.box.sum() < 5]
    for t in ts:
        t.box = t.box + torch.zeros(4)
    ts = [t for t in ts if t.box.sum() < 5]
    first, *others = ts
    first.box = torch.zeros(6)
    return by_id[0].box + torch.zeros(6), others[0].box + torch.zeros(4)


class Node:
    def __init__(self, v, parent=None):
        self.v, self.parent, self.kids = v, parent, []
        if parent is not None:
            parent.kids.append(self)

    def root(self):
        n = self
        while n.parent:
            n = n.parent
        return n

    def all(self):
        return torch.cat([self.v] + [k.all() for k in self.kids])


def tree():
    r = Node(torch.zeros(1))
    a = Node(torch.zeros(2), r)
    b = Node(torch.zeros(3), a)
    x = r.all() + torch.zeros(6)
    a.v = torch.zeros(5)
    y = b.root().all() + torch.zeros(9)
    b.parent.v = torch.zeros(1)
    z = a.v + torch.zeros(1)
    w = b.v + torch.zeros(3)
    return x, y, z, w


# run: filtered()
# run: objs(3)
# run: fixed()
# run: tree()
