import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.up = nn.Linear(784, args.hidden)
        self.mid = nn.Linear(2 * args.hidden, args.hidden)
        self.head = nn.Linear(args.hidden, args.classes)

    def forward(self, x):
        h = torch.relu(self.up(x))
        h = self.mid(torch.cat([h, -h], dim=1))  #! h = self.mid(torch.cat([h, -h], dim=0))
        return self.head(h)


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--batch-size", "-b", type=int, default=4)
    parser.add_argument("--sides", type=int, nargs="+", default=[28, 28])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--extra", action="count", default=0)
    return parser


def decode(args):
    args.width = args.width // 2
    return nn.Linear(args.width, 3)(torch.randn(2, 16))


def main():
    args = get_parser().parse_args([])
    torch.manual_seed(args.seed)
    net = Net(args)
    x = torch.randn(args.batch_size, 1, 28, 28)
    y = torch.randint(0, args.classes, (args.batch_size,))
    loss = nn.functional.cross_entropy(net(x.flatten(1)), y)  # E: shape
    loss.backward()
    return decode(args), torch.zeros(args.seed) + torch.ones(args.extra), torch.ones(*args.sides)


# run: main()
