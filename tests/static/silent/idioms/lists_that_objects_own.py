"""Lists and dicts that a constructor makes are the object's own, until a method or somebody else fills them."""

import torch


def fill(xs, x):
    xs.append(x)


class Sorted:
    def __init__(self):
        self.low, self.high = [torch.zeros(2)], [torch.zeros(2)]
        self.kept = [torch.zeros(2)]
        self.weights = {"w": torch.zeros(2, 3)}
        self.named = {"a": [torch.zeros(2)]}

    def put(self, x) -> None:
        side = self.low if x.sum() < 1 else self.high
        side.append(x)

    def put_everywhere(self, x) -> None:
        for side in (self.low, self.high):
            side.append(x)

    def keep(self, x) -> None:
        fill(self.kept, x)

    def swap(self) -> None:
        weights = self.weights
        weights["w"] = weights["w"].T


def main():
    s = Sorted()
    a = torch.zeros(len(s.low)) + torch.zeros(1)
    s.put(torch.zeros(2))
    s.put(torch.ones(2))
    b = torch.stack(s.low) + torch.zeros(2, 2)
    s.put_everywhere(torch.zeros(2))
    c = torch.stack(s.high) + torch.zeros(3, 2)
    s.keep(torch.zeros(2))
    d = torch.stack(s.kept) + torch.zeros(2, 2)
    s.swap()
    e = s.weights["w"] + torch.zeros(3, 2)
    s.weights["w"] = torch.zeros(7)
    f = s.weights["w"] + torch.zeros(7)
    weights = s.weights
    weights["w"] = torch.zeros(8)
    g = s.weights["w"] + torch.zeros(8)
    fill(s.kept, torch.zeros(2))
    h = torch.stack(s.kept) + torch.zeros(3, 2)
    s.named["a"].append(torch.zeros(2))
    i = torch.stack(s.named["a"]) + torch.zeros(2, 2)
    return a, b, c, d, e, f, g, h, i


# run: main()
