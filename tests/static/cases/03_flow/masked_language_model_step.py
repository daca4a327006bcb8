import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def mask_tokens(
    ids: Int[Tensor, "b s"], mask_id: int, p: float
) -> tuple[Int[Tensor, "b s"], Int[Tensor, "b s"]]:
    chosen = torch.rand(ids.shape) < p
    labels = ids.masked_fill(~chosen, -100)
    return ids.masked_fill(chosen, mask_id), labels


def mlm_loss(logits: Float[Tensor, "b s v"], labels: Int[Tensor, "b s"]) -> Float[Tensor, ""]:
    keep: Bool[Tensor, "b s"] = labels != -100
    return F.cross_entropy(logits[keep], labels[keep])  #! return F.cross_entropy(logits[keep], labels)  # E: shape


# run: ids, lab = mask_tokens(randint(1, 9, (3, 7)), 0, 0.9)
# run: mlm_loss(randn(3, 7, 9), lab)
