import torch
from jaxtyping import Float, Int
from torch import Tensor


def pad_to(ids: Int[Tensor, "b s"], multiple: int) -> Int[Tensor, "b t"]:
    if (extra := ids.shape[1] % multiple) != 0:
        pad = ids.new_zeros(ids.shape[0], multiple - extra)  #! pad = ids.new_zeros(multiple - extra, ids.shape[0])
        ids = torch.cat([ids, pad], dim=1)  # E: shape
    return ids


# run: pad_to(randint(0, 9, (2, 5)), 4)
