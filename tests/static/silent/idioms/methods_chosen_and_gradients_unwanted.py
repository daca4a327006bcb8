"""Methods that a condition in a class chooses, and gradients that nobody wants."""

import torch
from torch import Tensor, nn


class Plain(nn.Linear):
    pass


class Recurrent(nn.LSTM):
    pass


def twice(layer_class):
    class Twice(layer_class):
        if layer_class not in [Recurrent]:

            def forward(self, x):
                return super().forward(x).clone() * 2
        else:

            def forward(self, x, states=None):
                out, states = super().forward(x, states)
                return out.clone() * 2, states

    return Twice


def wrapped() -> None:
    out, _ = twice(Recurrent)(3, 5)(torch.zeros(2, 7, 3))
    assert out.shape == (2, 7, 5)
    assert twice(Plain)(3, 5)(torch.zeros(2, 3)).shape == (2, 5)


class Weighted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return gradient @ weight.T, x.t().mm(gradient)  # of rows, not of one


def step(x, weight):
    y = Weighted.apply(x, weight)
    return y * 2


def of_one_row() -> Tensor:
    return step(torch.ones(3), torch.ones(3, 5))


# run: wrapped()
# run: of_one_row()
