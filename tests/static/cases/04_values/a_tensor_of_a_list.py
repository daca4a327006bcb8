import torch
from jaxtyping import Int
from torch import Tensor


def batched(prompt: list[int]) -> Int[Tensor, "1 seq"]:
    return torch.tensor([prompt])  #! return torch.tensor(prompt)  # E: shape


# run: batched([1, 2, 3])
