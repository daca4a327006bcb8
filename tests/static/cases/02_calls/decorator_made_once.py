from functools import partial

import torch
from beartype import beartype
from jaxtyping import Float, Int, jaxtyped
from torch import Tensor

typed = jaxtyped(typechecker=beartype)
checked = partial(jaxtyped, typechecker=beartype)


@typed
def embed(ids: Int[Tensor, "b n"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b n d"]:
    return table[ids]


@checked
def attend(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
    return torch.einsum("bij,bjd->bid", torch.einsum("bid,bjd->bij", x, x).softmax(-1), x)


@typed
def logits(x: Float[Tensor, "b n d"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b n v"]:
    return x @ table.T


def model(ids: Int[Tensor, "b n"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b n v"]:
    h = embed(ids, table)
    h = attend(h)  #! h = attend(table)  # E: shape
    return logits(h, table)


# run: model(torch.zeros(2, 3).long(), randn(7, 4))
