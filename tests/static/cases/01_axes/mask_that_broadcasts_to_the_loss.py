import torch
from jaxtyping import Bool, Float
from torch import Tensor


def masked_mean(x: Float[Tensor, "*#shape"], mask: Bool[Tensor, "*#shape"]) -> Float[Tensor, ""]:
    m = mask.expand_as(x) if mask.shape != x.shape else mask
    return (x * m).sum() / m.sum()


def token_loss(nll: Float[Tensor, "b t"], keep: Bool[Tensor, "b t"], per_doc: Bool[Tensor, "b"]) -> Float[Tensor, ""]:
    doc = per_doc[:, None]  #! doc = per_doc
    return masked_mean(nll, keep) + masked_mean(nll, doc)  # E: shape


# run: token_loss(torch.rand(3,4), torch.ones(3,4).bool(), torch.ones(3).bool())
