import torch
from jaxtyping import Float, Int
from torch import Tensor


def adjacency(pairs: Int[Tensor, "e 2"], n: int) -> Float[Tensor, "n n"]:
    both = torch.cat([pairs, pairs.flip(1)])
    adj = torch.sparse_coo_tensor(both.T, torch.ones(len(both)), (n, n))  #! adj = torch.sparse_coo_tensor(both, torch.ones(len(both)), (n, n))  # E: shape
    return adj.to_dense().clamp(max=1)


# run: adjacency(randint(0, 6, (9, 2)), 6)
