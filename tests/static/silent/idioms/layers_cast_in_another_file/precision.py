import torch
from torch import nn


def precise(net: nn.Module) -> nn.Module:
    return net.to(dtype=torch.float64)


class Precise:
    def __init__(self, net: nn.Module) -> None:
        self.net = net
        for parameter in net.parameters():
            parameter.data = parameter.data.to(torch.float64)
