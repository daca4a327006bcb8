import torch
from jaxtyping import Int
from torch import Tensor


def decoded(ids: Int[Tensor, "t"], steps: int) -> Int[Tensor, "s"]:
    beams = [(ids[None], 0.0)]
    for _ in range(steps):
        beams = [(torch.cat([tokens, tokens[:, -1:]], 1), score - 1) for tokens, score in beams]
    best = max(beams, key=lambda beam: beam[1])
    return best[0][0]  #! return best[0]  # E: shape


# run: decoded(randint(0, 7, (3,)), 2)
