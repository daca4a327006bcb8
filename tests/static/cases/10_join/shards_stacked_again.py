import torch


class ShardedAdam:
    def __init__(self, params, world, rank, lr=1e-3):
        self.params = list(params)
        flat = torch.cat([p.data.flatten() for p in self.params])
        pad = (-len(flat)) % world
        flat = torch.nn.functional.pad(flat, (0, pad))
        self.shard = flat.chunk(world)[rank].clone()
        self.m = torch.zeros_like(self.shard)
        self.v = torch.zeros_like(self.shard)
        self.world, self.rank, self.lr, self.pad = world, rank, lr, pad
        self.t = 0

    def step(self):
        g = torch.cat([p.grad.flatten() for p in self.params])
        g = torch.nn.functional.pad(g, (0, self.pad)).chunk(self.world)[self.rank]
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g * g
        self.shard -= self.lr * self.m / (self.v.sqrt() + 1e-8)
        return self.shard


def main():
    net = torch.nn.Linear(7, 5)
    opts = [ShardedAdam(net.parameters(), 4, r) for r in range(4)]
    net(torch.randn(3, 7)).sum().backward()
    new = torch.cat([o.step() for o in opts])[: 7 * 5 + 5]  #! new = torch.stack([o.step() for o in opts])[: 7 * 5 + 5]
    w, b = new.split([35, 5])  # E: shape
    net.weight.data.copy_(w.view(5, 7))
    net.bias.data.copy_(b)


# run: main()
