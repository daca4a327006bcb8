from jaxtyping import Int
from torch import Tensor


def next_token_pairs(
    tokens: Int[Tensor, "batch seq"],
) -> tuple[Int[Tensor, "batch seq-1"], Int[Tensor, "batch seq-1"]]:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]  #! inputs, targets = tokens[:-1], tokens[:, 1:]
    return inputs, targets  # E: shape


# run: next_token_pairs(randint(0, 9, (2, 5)))
