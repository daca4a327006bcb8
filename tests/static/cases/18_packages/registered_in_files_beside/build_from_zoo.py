import torch
from zoo_of_models import MODELS


def main():
    net = MODELS.build("small", dim=8)  #! net = MODELS.build("small", dim=6)
    return net(torch.randn(2, 8))  # E: shape


# main: build_from_zoo.py
# run: main()
