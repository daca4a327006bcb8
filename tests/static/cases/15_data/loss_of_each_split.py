import torch
from jaxtyping import Float
from torch import Tensor


@torch.no_grad()
def averages(losses: dict[str, list[Float[Tensor, ""]]]) -> dict[str, Float[Tensor, ""]]:
    found = {}
    for split, values in losses.items():
        found[split] = torch.stack(values).mean()  #! found[split] = torch.stack(values)
    return found  # E: shape


# run: averages({"train": [randn(2).sum(), randn(2).sum()]})
