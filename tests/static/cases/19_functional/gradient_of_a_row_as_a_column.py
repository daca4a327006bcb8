import copy

import torch
import torch.nn as nn
from torch.func import functional_call, grad, jacrev, stack_module_state, vmap


class Net(nn.Module):
    def __init__(self, d_in, d_out, hidden=32):
        super().__init__()
        self.a = nn.Linear(d_in, hidden)
        self.b = nn.Linear(hidden, d_out)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def ensemble_predict(models, x):
    params, buffers = stack_module_state(models)
    base = copy.deepcopy(models[0]).to("meta")

    def call(p, b, x):
        return functional_call(base, (p, b), (x,))

    return vmap(call, in_dims=(0, 0, None))(params, buffers, x)


def jacobian(model, x):
    return vmap(jacrev(model))(x)


def per_sample_grads(model, x, y):
    params = {k: v.detach() for k, v in model.named_parameters()}

    def loss(p, xi, yi):
        pred = functional_call(model, p, (xi.unsqueeze(0),))  #! pred = functional_call(model, p, (xi.unsqueeze(1),))
        return nn.functional.mse_loss(pred, yi.unsqueeze(0))

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)


def main():
    torch.manual_seed(0)
    models = [Net(6, 2) for _ in range(3)]
    x, y = torch.randn(10, 6), torch.randn(10, 2)
    preds = ensemble_predict(models, x)
    mean, var = preds.mean(0), preds.var(0)
    error = (mean - y).abs()
    z = error / var.sqrt()
    jac = jacobian(models[0], x)
    gram = jac @ jac.transpose(1, 2)
    trace = gram.diagonal(dim1=-2, dim2=-1).sum(-1)
    weighted = z.mean(1) * trace
    grads = per_sample_grads(models[0], x, y)  # E: shape
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
    return (weighted * norms).sum().item()


# run: main()
