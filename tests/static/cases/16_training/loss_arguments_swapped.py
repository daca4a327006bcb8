import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Classifier(nn.Module):
    def __init__(self, d: int, classes: int) -> None:
        super().__init__()
        self.fc = nn.Linear(d, classes)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b classes"]:
        return self.fc(x)


def step(
    model: Classifier, optimizer: torch.optim.Optimizer, x: Float[Tensor, "b d"], y: Int[Tensor, "b"]
) -> float:
    optimizer.zero_grad(set_to_none=True)
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)  #! loss = nn.functional.cross_entropy(y, logits)  # E: dtype  # e: shape
    loss.backward()
    optimizer.step()
    return loss.item()


# run: m = Classifier(5, 7)
# run: step(m, torch.optim.AdamW(m.parameters()), randn(3, 5), randint(0, 7, (3,)))
