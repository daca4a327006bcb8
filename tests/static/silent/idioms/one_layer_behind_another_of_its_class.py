"""Two objects of one class, of which one takes what the other gives: the widths of one are not those of the other."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Half(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_in, d_out)
        self.scale = nn.Parameter(torch.ones(d_in, d_out))

    def forward(self, x: Float[Tensor, "n d_in"]) -> Float[Tensor, "n d_out"]:
        return self.linear(x)


def virtual(first: Half, second: Half) -> Tensor:
    return second.linear.weight @ first.linear.weight


def scaled(first: Half, second: Half) -> Tensor:
    return torch.einsum("io,oj->ij", first.scale, second.scale) + first.scale @ second.scale


class Autoencoder(nn.Module):
    def __init__(self, encoder: Half, decoder: Half) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return self.decoder(self.encoder(x))

    def jacobian(self) -> Tensor:
        return self.decoder.linear.weight @ self.encoder.linear.weight

    def bias(self) -> Tensor:
        return self.decoder.linear.weight @ self.encoder.linear.bias + self.decoder.linear.bias


def collapsed(layers: list[Half]) -> Tensor:
    product = layers[0].linear.weight
    for layer in layers[1:]:
        product = layer.linear.weight @ product
    return product


def by_name(layers: dict[str, Half]) -> Tensor:
    return layers["up"].linear.weight @ layers["down"].linear.weight


def main() -> None:
    down, up = Half(6, 2), Half(2, 6)
    virtual(down, up), scaled(down, up)
    pair = Autoencoder(down, up)
    pair(torch.randn(3, 6)), pair.jacobian(), pair.bias()
    collapsed([down, up, Half(6, 4)])
    by_name({"up": up, "down": down})


# run: main()
