import torch
from torch import nn
from torch.autograd import Function


class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight, grad.t() @ x, grad.sum(0)


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x.abs() <= limit)
        return x.clamp(-limit, limit)

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None  #! return grad * inside


class Layer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(o, i)), nn.Parameter(torch.zeros(o))

    def forward(self, x):
        return Clamp.apply(Linear.apply(x, self.weight, self.bias), 2.0)


def main():
    torch.manual_seed(0)
    net = nn.Sequential(Layer(6, 10), nn.ReLU(), Layer(10, 4))
    loss = net(torch.randn(8, 6)).pow(2).mean()  # E: shape
    loss.backward()
    return loss.item()


# run: main()
