import numpy as np
import torch


def fit_power_law(compute, loss):
    x = torch.log(torch.tensor(compute, dtype=torch.float64))
    y = torch.log(torch.tensor(loss, dtype=torch.float64))
    A = torch.stack([torch.ones_like(x), x], dim=1)  #! A = torch.stack([torch.ones_like(x), x], dim=0)
    sol = torch.linalg.lstsq(A, y[:, None]).solution
    a, b = sol[0, 0], sol[1, 0]
    return a.exp().item(), b.item()


def predict(c, a, b):
    return a * np.power(c, b)


def main():
    compute = [1e16, 1e17, 1e18, 1e19, 1e20]
    loss = [4.1, 3.6, 3.2, 2.9, 2.7]
    a, b = fit_power_law(compute, loss)  # E: shape
    return predict(1e21, a, b)


# run: main()
