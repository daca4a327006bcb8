from dataclasses import dataclass

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class Packed:
    tokens: Int[Tensor, "rows length"]
    document: Int[Tensor, "rows length"]


def losses(logits: Float[Tensor, "rows length vocab"], packed: Packed) -> Float[Tensor, " rows"]:
    shifted, targets = logits[:, :-1], packed.tokens[:, 1:]
    valid = packed.document[:, 1:] == packed.document[:, :-1]
    each = F.cross_entropy(shifted.transpose(1, 2), targets, reduction="none") * valid
    return each.sum(dim=1) / valid.sum(dim=1).clamp(min=1)  #! return each.sum(dim=0) / valid.sum(dim=1).clamp(min=1)  # E: shape


# run: losses(torch.randn(3, 8, 11), Packed(torch.randint(0, 11, (3, 8)), torch.randint(0, 2, (3, 8))))
