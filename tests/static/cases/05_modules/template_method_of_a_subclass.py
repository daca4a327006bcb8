from jaxtyping import Float
from torch import Tensor, nn


class Head(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, classes)

    def pool(self, tokens):
        raise NotImplementedError

    def forward(self, tokens: Float[Tensor, "batch seq width"]) -> Float[Tensor, "batch classes"]:
        return self.out(self.norm(self.pool(tokens)))


class AttentionHead(Head):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__(width, classes)
        self.score = nn.Linear(width, 1)

    def pool(self, tokens):
        weights = self.score(tokens).softmax(dim=1)
        return (weights * tokens).sum(dim=1)  #! return (weights * tokens).sum(dim=2)  # E: shape


class FirstHead(Head):
    def pool(self, tokens):
        return tokens[:, 0]


# run: AttentionHead(5, 3)(randn(2, 4, 5))
# run: FirstHead(5, 3)(randn(2, 4, 5))
