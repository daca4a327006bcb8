from typing import TypeAlias

import jaxtyping
import torch
from torch import Tensor

Float = jaxtyping.Float
Batch: TypeAlias = "jaxtyping.Float[Tensor, 'batch d']"
Vec = Float[Tensor, "d"]
__all__ = ["Batch", "Float", "Tensor", "Vec", "torch"]
