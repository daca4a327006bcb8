import torch
from jaxtyping import Bool, Float
from torch import Tensor


def matched(
    pred: Float[Tensor, "n 4"], pos: Bool[Tensor, "n"], target: Float[Tensor, "m 4"], used: Bool[Tensor, "m"]
) -> tuple[Float[Tensor, "p 4"], Float[Tensor, "q 4"]]:
    return pred[pos], target[used]  #! return pred[used], target[pos]  # E: shape


# run: matched(randn(3, 4), torch.tensor([True, False, True]), randn(5, 4), torch.ones(5, dtype=torch.bool))
