from collections import deque

import torch
from jaxtyping import Float
from torch import Tensor


def stacked_frames(
    frames: Float[Tensor, "time height width"], size: int
) -> list[Float[Tensor, "size height width"]]:
    recent = deque(maxlen=size)
    for _ in range(size):
        recent.append(torch.zeros_like(frames[0]))
    states: list[Float[Tensor, "_ height width"]] = []
    for frame in frames:
        recent.appendleft(frame)
        states.append(torch.stack(list(recent)))  #! states.append(torch.stack(list(recent), dim=-1))  # E: shape
    return states


# run: stacked_frames(torch.randn(5, 4, 3), 2)
