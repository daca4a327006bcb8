from operator import itemgetter

import torch
from jaxtyping import Float, Int
from torch import Tensor


def best(beams: list[tuple[float, Int[Tensor, "length"], Float[Tensor, "vocab"]]]) -> Float[Tensor, "beams vocab"]:
    logits = map(itemgetter(2), sorted(beams, key=itemgetter(0)))
    return torch.stack(list(logits))  #! return torch.stack(list(logits), dim=1)  # E: shape


# run: best([(0.1 * i, torch.arange(4), torch.randn(7)) for i in range(3)])
