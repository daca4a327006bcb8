import torch
from jaxtyping import Float, Int
from torch import Tensor


def overlaps(one: Float[Tensor, "4"], boxes: Float[Tensor, "n 4"]) -> Float[Tensor, "n"]:
    low = torch.maximum(one[:2], boxes[:, :2])
    high = torch.minimum(one[2:], boxes[:, 2:])
    return (high - low).clamp(min=0).prod(-1)


def suppressed(
    boxes: Float[Tensor, "n 4"], scores: Float[Tensor, "n"], threshold: float
) -> Int[Tensor, "kept"]:
    order = scores.argsort(descending=True)
    kept = []
    while order.numel() > 0:
        best, rest = order[0], order[1:]
        kept.append(best)
        overlap = overlaps(boxes[best], boxes[rest])  #! overlap = overlaps(boxes[best], boxes)
        order = rest[overlap <= threshold]  # E: shape
    return torch.stack(kept)


# run: suppressed(randn(5, 4).abs(), randn(5), 0.5)
