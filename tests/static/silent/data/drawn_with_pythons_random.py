"""Python's ``random`` draws numbers and items of lists, and puts lists in another order."""

import random

import torch


def sizes():
    n = random.choice([2, 3])
    m = random.randint(2, 3)
    x = torch.zeros(n, m)
    y = torch.zeros(random.choice([2, 3]), random.randrange(2, 4))
    return x.T @ torch.zeros(n, 1), y.sum() * random.uniform(0, 1)


def orders():
    xs = [torch.zeros(2), torch.zeros(3), torch.zeros(2)]
    random.shuffle(xs)
    first = xs[0] if len(xs[0]) == 2 else torch.zeros(2)
    some = random.sample(xs, 2)
    many = random.choices([torch.zeros(4)], k=5)
    weighted = random.choices([torch.zeros(4), torch.ones(4)], [1, 2], k=3)
    a, b = some
    return first + torch.zeros(2), torch.stack(many) + torch.zeros(5, 4), torch.stack(weighted), len(a) + len(b)


def crops(images):
    views = [images[random.randrange(len(images))] for _ in range(4)]
    if random.random() < 0.5:
        views = [v.flip(-1) for v in views]
    random.shuffle(views)
    return torch.stack(views) + torch.zeros(4, 3, 8, 8)


def main():
    return sizes(), orders(), crops(torch.randn(6, 3, 8, 8))


# run: main()
