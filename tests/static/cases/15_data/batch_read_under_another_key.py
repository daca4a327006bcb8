import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


def make(model: nn.Linear, n: int):
    inputs = torch.randn(n, model.in_features)
    return {"inputs": inputs, "labels": torch.randint(model.out_features, (n,))}


def weighted(batch):
    batch["weights"] = torch.ones_like(batch["labels"], dtype=torch.float32)


def loss_of(model: nn.Linear, n: int) -> Float[Tensor, ""]:
    batch = make(model, n)
    weighted(batch)
    losses = F.cross_entropy(model(batch["inputs"]), batch["labels"], reduction="none")
    return (losses * batch["weights"]).mean()  #! return (losses * batch["mask"]).mean()  # E: attribute


# run: loss_of(nn.Linear(5, 3), 4)
