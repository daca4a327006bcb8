from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class Sample:
    image: Float[Tensor, "3 h w"]
    label: Int[Tensor, ""]


def images(samples: list[Sample]) -> Float[Tensor, "n 3 h w"]:
    return torch.stack([s.image for s in samples])  #! return torch.stack([s.label for s in samples])  # E: shape|dtype  # e: dtype


# run: images([Sample(randn(3, 5, 7), torch.tensor(1)), Sample(randn(3, 5, 7), torch.tensor(0))])
