import torch
from jaxtyping import Int
from torch import Tensor


def generate(tokens: Int[Tensor, "batch seq"], steps: int) -> Int[Tensor, "batch total"]:
    for _ in range(steps):
        token = torch.multinomial(torch.rand(tokens.shape[0], 9), num_samples=1)
        tokens = torch.cat((tokens, token), dim=1)  #! tokens = torch.cat((tokens, token))  # E: shape
    return tokens


# run: generate(torch.zeros(3, 4, dtype=torch.long), 2)
