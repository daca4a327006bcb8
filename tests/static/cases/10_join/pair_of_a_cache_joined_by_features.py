import torch
from jaxtyping import Float
from torch import Tensor


def attend(
    q: Float[Tensor, "batch heads new head_dim"],
    k: Float[Tensor, "batch heads new head_dim"],
    v: Float[Tensor, "batch heads new head_dim"],
    past: tuple[Float[Tensor, "batch heads past head_dim"], Float[Tensor, "batch heads past head_dim"]] | None,
) -> Float[Tensor, "batch heads new head_dim"]:
    if past is not None:
        k = torch.cat([past[0], k], dim=2)
        v = torch.cat([past[1], v], dim=2)  #! v = torch.cat([past[0], v], dim=3)  # E: shape
    scores = (q @ k.mT) / q.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    weights = torch.dropout(weights, 0.1, train=False)
    out = weights @ v
    out = out.contiguous()
    return out


# run: attend(torch.randn(2, 3, 1, 4), torch.randn(2, 3, 1, 4), torch.randn(2, 3, 1, 4), (torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 4)))
