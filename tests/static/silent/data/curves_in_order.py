"""Points of a curve that are in order: an array beside the list that ``sorted`` makes of it."""

import numpy as np
import torch
from torch import Tensor


class Curve:
    points = 101

    def __init__(self, recall: np.ndarray, confidence: np.ndarray) -> None:
        assert len(recall) == self.points
        assert all(confidence == sorted(confidence, reverse=True))
        assert all(recall == sorted(recall))
        self.recall = recall

    @classmethod
    def empty(cls) -> "Curve":
        return cls(recall=np.linspace(0, 1, cls.points), confidence=np.zeros(cls.points))


def offsets(weights: dict[str, list[float]]) -> Tensor:
    start = np.arange(5.0)
    rows = [torch.tensor(0.5 + w).mean() for w in weights["all"]]
    return torch.from_numpy(start * sorted(start)) + torch.stack(rows)


# run: assert len(Curve.empty().recall) == 101
# run: offsets({"all": [0.0, 1.0, 2.0, 3.0, 4.0]})
