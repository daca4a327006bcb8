"""A gradient that is computed only where it is needed, and what setup_context keeps for it."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd import Function


class Product(Function):
    @staticmethod
    def forward(ctx, x: Float[Tensor, "*b i"], w: Float[Tensor, "o i"]) -> Float[Tensor, "*b o"]:
        ctx.save_for_backward(x, w)
        return x @ w.T

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = gw = None
        if ctx.needs_input_grad[0]:
            gx = g @ w  #! gx = g @ w.T
        if ctx.needs_input_grad[1]:
            gw = g.flatten(0, -2).T @ x.flatten(0, -2)
        return gx, gw


class LogSum(Function):
    @staticmethod
    def forward(x):
        m = x.amax(-1, keepdim=True)
        return (x - m).exp().sum(-1).log() + m.squeeze(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x, output)

    @staticmethod
    def backward(ctx, g):
        x, out = ctx.saved_tensors
        return g[..., None] * (x - out[..., None]).exp()  #! return g * (x - out[..., None]).exp()


def product(x: Float[Tensor, "*b i"], w: Float[Tensor, "o i"]) -> Float[Tensor, "*b o"]:
    return Product.apply(x, w)  # E: shape


def log_sum(x: Float[Tensor, "b k"]) -> Float[Tensor, "b"]:
    return LogSum.apply(x)  # E: shape


# run: a = randn(5, 3, 4).requires_grad_(); (product(a, randn(2, 4)).sum() + log_sum(a[0]).sum()).backward()
