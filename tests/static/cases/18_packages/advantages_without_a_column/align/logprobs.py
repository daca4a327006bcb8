import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def entropy(logits: Float[Tensor, "batch seq vocab"]) -> Float[Tensor, "batch seq"]:
    logp = F.log_softmax(logits, dim=-1)
    return -(logp.exp() * logp).sum(-1)


def response_log_probs(model, ids: Int[Tensor, "batch seq"], labels: Int[Tensor, "batch seq"], with_entropy=False):
    logits = model(ids)
    logp = F.log_softmax(logits, dim=-1)
    out = {"log_probs": torch.gather(logp, -1, labels.unsqueeze(-1)).squeeze(-1)}
    if with_entropy:
        out["entropy"] = entropy(logits)
    return out


def masked_mean(x, mask, dim=None):
    if dim is None:
        return (x * mask).sum() / mask.sum()
    return (x * mask).sum(dim) / mask.sum(dim)
