import numpy as np
import torch
from precision import Precise, precise
from torch import Tensor, nn

numbers = torch.from_numpy(np.linspace(0.0, 1.0, 6).reshape(3, 2))


def given_back() -> Tensor:
    return precise(nn.Linear(2, 4))(numbers)


def in_place() -> Tensor:
    net = nn.Linear(2, 4)
    precise(net)
    return net(numbers)


def parameter_by_parameter() -> Tensor:
    net = nn.Linear(2, 4)
    Precise(net)
    return net(numbers)


def of_a_stack() -> Tensor:
    net = nn.Sequential(nn.Linear(2, 4), nn.ReLU())
    precise(net)
    return net(numbers)


# run: given_back(), in_place(), parameter_by_parameter(), of_a_stack()
