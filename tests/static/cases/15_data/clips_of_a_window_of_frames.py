from collections import deque
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Classifier(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.head = nn.Linear(3, classes)

    def forward(self, video: Float[Tensor, "batch time 3 height width"]) -> Float[Tensor, "batch classes"]:
        return self.head(video.mean((1, 3, 4)))


@dataclass
class Stream:
    model: Classifier
    size: int
    ring: deque = field(default_factory=deque)

    def push(self, frame: Float[Tensor, "3 height width"]) -> None:
        self.ring.append(frame)
        if len(self.ring) > self.size:
            self.ring.popleft()

    def classes(self) -> Float[Tensor, "classes"]:
        clip = torch.stack(list(self.ring))[None]  #! clip = torch.stack(list(self.ring))
        return self.model(clip)[0]  # E: shape


# run: s = Stream(Classifier(2), 4)
# run: for _ in range(6): s.push(randn(3, 5, 7))
# run: s.classes()
