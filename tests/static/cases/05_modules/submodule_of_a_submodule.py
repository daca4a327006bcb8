from jaxtyping import Float
from torch import Tensor, nn


class Tokenizer(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(16, dim)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok = Tokenizer(48)
        self.out = nn.Linear(48, 10)

    def forward(self, x: Float[Tensor, "b n 16"]) -> Float[Tensor, "b n 10"]:
        h = self.tok.proj(x)
        return self.out(h)  #! return self.out(x)  # E: shape


# run: Model()(randn(2, 3, 16))
