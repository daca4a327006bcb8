import torch
from jaxtyping import Float
from torch import Tensor


def add_position_bias(
    scores: Float[Tensor, "batch heads query key"],
    bias: Float[Tensor, "#batch heads query key"],
) -> Float[Tensor, "batch heads query key"]:
    return scores + bias


def run(scores: Float[Tensor, "b h q k"], table: Float[Tensor, "h q k"]) -> Float[Tensor, "b h q k"]:
    return add_position_bias(scores, table.unsqueeze(0))  #! return add_position_bias(scores, table)  # E: shape


# run: run(randn(2, 3, 5, 7), randn(3, 5, 7))
