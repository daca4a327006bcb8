from collections import defaultdict

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class Probe(nn.Module):
    def __init__(self, dim: int, classes: int) -> None:
        super().__init__()
        self.out = nn.Linear(dim, classes)

    def evaluate(
        self, batches: list[tuple[Float[Tensor, "batch dim"], Int[Tensor, "batch"]]]
    ) -> Float[Tensor, ""]:
        kept = defaultdict(list)
        for x, y in batches:
            kept["logits"].append(self.out(x))
            kept["targets"].append(y)
        logits, targets = torch.cat(kept["logits"]), torch.cat(kept["targets"])
        return F.cross_entropy(logits, targets)  #! return F.cross_entropy(targets, logits)  # E: shape|dtype


# run: Probe(4, 3).evaluate([(torch.randn(5, 4), torch.randint(3, (5,))), (torch.randn(5, 4), torch.randint(3, (5,)))])
