import torch
from torch import Tensor


def episode() -> dict[str, Tensor]:
    return {"obs": torch.rand(1, 4), "reward": torch.rand(1)}


def compare() -> Tensor:
    first, second = episode(), episode()
    first["obs"] = torch.rand(7, 4)
    weights = torch.rand(1, 3)  #! weights = torch.rand(7, 3)
    return second["obs"].T @ weights  # E: shape


# run: compare()
