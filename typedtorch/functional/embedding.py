"""Rows of a table, chosen by token."""

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def embedding(
    tokens: Int[Tensor, "*batch"],
    table: Float[Tensor, "vocab d_model"],
) -> Float[Tensor, "*batch d_model"]:
    """Look up one row per token: ``y[..., :] = table[tokens[...], :]``.

    Equal to a one-hot vector times the table, without the multiplication: 0 FLOPs.

    Args:
        tokens: integers in ``[0, vocab)``, int64 or int32: torch refuses the others.
        table: one row per token id.

    Raises:
        IndexError: a token outside the table (on the CPU; a GPU reports it asynchronously).

    >>> import torch
    >>> embedding(torch.tensor([2, 0]), torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    tensor([[4., 5.],
            [0., 1.]])
    """
    return F.embedding(tokens, table)
