import torch
from jaxtyping import Float, Int
from torch import Tensor


class Accuracy:
    def __init__(self) -> None:
        self.probs = []
        self.targets: list[Tensor] = []

    def update(self, logits: Float[Tensor, "batch classes"], targets: Int[Tensor, "batch"]) -> None:
        self.probs.append(logits.softmax(-1))
        self.targets.append(targets)

    def reset(self) -> None:
        self.probs.clear()
        self.targets = []

    def all_probs(self) -> Float[Tensor, "samples classes"]:
        return torch.cat(self.probs)  #! return torch.stack(self.probs)  # E: shape


# run: a = Accuracy()
# run: a.update(randn(5, 3), torch.zeros(5, dtype=torch.long))
# run: a.all_probs()
