from collections import defaultdict

import torch
from jaxtyping import Float, Int
from torch import Tensor


def prototypes(
    features: Float[Tensor, "n dim"], labels: Int[Tensor, "n"]
) -> dict[int, Float[Tensor, "dim"]]:
    groups = defaultdict(list)
    for row, label in zip(features, labels.tolist()):
        groups[label].append(row)
    made: dict[int, Float[Tensor, "dim"]] = {}
    for label, rows in groups.items():
        made[label] = torch.stack(rows).mean(dim=0)  #! made[label] = torch.stack(rows)  # E: shape
    return made


def distances(
    x: Float[Tensor, "n dim"], groups: dict[int, Float[Tensor, "dim"]]
) -> Float[Tensor, "n classes"]:
    return torch.cdist(x, torch.stack(list(groups.values())))


# run: distances(torch.randn(6, 3), prototypes(torch.randn(6, 3), torch.tensor([0, 1, 0, 1, 2, 2])))
