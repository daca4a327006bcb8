import torch
from jaxtyping import Float
from torch import Tensor, nn


class Backbone(nn.Module):
    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.stem = nn.Conv1d(channels, width, kernel_size=3, padding=1)
        self._add_head(width)

    def _add_head(self, width: int) -> None:
        self.head = nn.Linear(width, 2 * width)


class Classifier(Backbone):
    def __init__(self, channels: int, width: int, classes: int) -> None:
        super().__init__(channels, width)
        self.classify = nn.Linear(2 * width, classes)  #! self.classify = nn.Linear(width, classes)

    def forward(self, x: Float[Tensor, "batch channels time"]) -> Float[Tensor, "batch classes"]:
        features = torch.relu(self.stem(x)).mean(dim=2)
        return self.classify(self.head(features))  # E: shape


# run: Classifier(3, 4, 5)(randn(2, 3, 7))
