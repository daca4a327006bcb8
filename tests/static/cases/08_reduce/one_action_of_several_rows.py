from jaxtyping import Float
from torch import Tensor


def act(logits: Float[Tensor, "b actions"]) -> list[int]:
    return logits.argmax(-1).tolist()  #! return [logits.argmax(-1).item()]  # E: shape


def score(rows: Float[Tensor, "*batch n d"], w: Float[Tensor, "d"]) -> float:
    return float((rows @ w).mean())  #! return float(rows @ w)  # E: shape


# run: act(randn(3, 4))
# run: score(randn(3, 4), randn(4))
