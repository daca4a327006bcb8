import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Embed(nn.Module):
    def __init__(self, v: int, d: int):
        super().__init__()
        self.e = nn.Embedding(v, d)
        self.norm = nn.LayerNorm(self.width)

    @property
    def width(self) -> int:
        return self.e.embedding_dim

    def forward(self, i: Int[Tensor, "b s"]) -> Float[Tensor, "b s d"]:
        return self.norm(self.embed(i))

    def embed(self, i: Int[Tensor, "b s"]) -> Float[Tensor, "b s d"]:
        return self.e(i)


class EmbedCat(Embed):
    @property
    def width(self):
        return 2 * super().width

    def embed(self, i: Int[Tensor, "b s"]) -> Float[Tensor, "b s e"]:
        x = super().embed(i)
        return torch.cat([x, x.cumsum(1)], -1)


def main():
    assert EmbedCat(5, 3)(torch.zeros(2, 4, dtype=torch.long)).shape == (2, 4, 6)


# run: main()
