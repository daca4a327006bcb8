"""Functions with a backward of their own: what they keep, leave out, sum, and give None for."""

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1)


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor=2.0, mode="sum"):
        ctx.save_for_backward(x)
        ctx.factor, ctx.shape = factor, x.shape
        return x * factor

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        assert grad.shape == ctx.shape
        return ctx.factor * grad, None, None


class Affine(Function):
    @staticmethod
    def forward(ctx, x, w, b=None):
        ctx.save_for_backward(x, w, b)
        out = x @ w.t()
        return out if b is None else out + b

    @staticmethod
    def backward(ctx, grad):
        x, w, b = ctx.saved_tensors
        gx = gw = gb = None
        if ctx.needs_input_grad[0]:
            gx = grad @ w
        if ctx.needs_input_grad[1]:
            gw = grad.t() @ x
        if b is not None and ctx.needs_input_grad[2]:
            gb = grad  # summed to the shape of b
        return gx, gw, gb


class Best(Function):
    @staticmethod
    def forward(ctx, x, k):
        values, index = x.topk(k, dim=-1)
        ctx.mark_non_differentiable(index)
        ctx.save_for_backward(index)
        ctx.width = x.shape[-1]
        return values, index

    @staticmethod
    def backward(ctx, grad, _):
        (index,) = ctx.saved_tensors
        full = grad.new_zeros(*grad.shape[:-1], ctx.width)
        return full.scatter(-1, index, grad), None


class Exp(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * out


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad, x)


class CubeBackward(Function):
    @staticmethod
    def forward(ctx, grad, x):
        ctx.save_for_backward(grad, x)
        return 3 * x**2 * grad

    @staticmethod
    def backward(ctx, twice):
        grad, x = ctx.saved_tensors
        return Cube.apply(x) / x.clamp(min=0.1) * twice, 6 * x * grad * twice


class Joined(Function):
    @staticmethod
    def forward(ctx, dim, *parts):
        ctx.dim, ctx.sizes = dim, [p.shape[dim] for p in parts]
        ctx.save_for_backward(*parts)
        return torch.cat(parts, dim)

    @staticmethod
    def backward(ctx, grad):
        return None, *grad.split(ctx.sizes, ctx.dim)


class Never(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x @ y

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError


class Turned(torch.autograd.Function):
    @staticmethod
    def forward(x, turn):
        return x @ turn

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, turn = inputs
        ctx.save_for_backward(turn)
        ctx.rows = output.shape[0]

    @staticmethod
    def backward(ctx, grad):
        if ctx.needs_input_grad[1]:
            raise NotImplementedError("a turn is given")
        (turn,) = ctx.saved_tensors
        return grad.view(ctx.rows, -1) @ turn.T, None


class Net(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.w = nn.Parameter(torch.ones(o, i))
        self.b = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        return Affine.apply(Sign.apply(x), self.w, self.b)


def main():
    x = torch.linspace(-2, 2, 12).view(3, 4).requires_grad_()
    y = Net(4, 5)(x)
    values, index = Best.apply(Scale.apply(y), 2)
    z = Joined.apply(1, values, Exp.apply(x), Scale.apply(x, 3.0))
    w = Affine.apply(z, torch.ones(2, 10)).sum() + Cube.apply(x).sum() + Never.apply(x, torch.ones(4, 1)).detach().sum()
    w = w + Turned.apply(x, torch.randn(4, 3)).sum()
    w.backward()
    return x.grad.sum().item() + index.sum().item()


# run: main()
