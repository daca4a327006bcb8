import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def tables(dim: int, longest: int) -> tuple[Float[Tensor, "end half"], Float[Tensor, "end half"]]:
    angles = torch.outer(torch.arange(longest).float(), torch.arange(0, dim, 2).float())
    return angles.cos(), angles.sin()


def shift(x: Float[Tensor, "b t d"], cos: Float[Tensor, "t half"]) -> Float[Tensor, "b t d"]:
    return x * cos.mean(dim=1)[:, None]


class Decoder(nn.Module):
    def __init__(self, vocab: int, dim: int, longest: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cos, self.sin = tables(dim, longest)  #! self.cos, self.sin = tables(longest, dim)

    def forward(self, tokens: Int[Tensor, "b t"], start: int) -> Float[Tensor, "b t d"]:
        t = tokens.shape[1]
        return shift(self.embed(tokens), self.cos[start : start + t])


def main() -> None:
    model = Decoder(10, 4, 16)
    model(torch.randint(0, 10, (3, 7)), 0)  # E: shape
    model(torch.randint(0, 10, (3, 1)), 7)


# run: main()
