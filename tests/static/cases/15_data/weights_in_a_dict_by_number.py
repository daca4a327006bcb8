import torch
import torch.nn.functional as F


class Net:
    def __init__(self, sizes=(1, 20, 20, 1)):
        self.params = {}
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            self.params[f"w{i}"] = (torch.randn(b, a) / a**0.5).requires_grad_()  #! self.params[f"w{i}"] = (torch.randn(a, b) / a**0.5).requires_grad_()
            self.params[f"b{i}"] = torch.zeros(b, requires_grad=True)

    def forward(self, x, params=None):
        p = params or self.params
        for i in range(len(p) // 2):
            x = F.linear(x if i == 0 else torch.tanh(x), p[f"w{i}"], p[f"b{i}"])
        return x


def adapt(net, x, y, lr=0.01, steps=2):
    params = dict(net.params)
    for _ in range(steps):
        loss = F.mse_loss(net.forward(x, params), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params


def main():
    net, x, y = Net(), torch.rand(10, 1), torch.rand(10, 1)
    params = adapt(net, x[:5], y[:5])  # E: shape
    return (net.forward(x[5:], params) - y[5:]).pow(2).mean()  # e: shape


# run: main()
