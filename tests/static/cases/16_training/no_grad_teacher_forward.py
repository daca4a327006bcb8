import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, d: int, k: int) -> None:
        super().__init__()
        self.fc = nn.Linear(d, k)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b k"]:
        return self.fc(x)


def distill(student: Net, teacher: Net, x: Float[Tensor, "b d"], centre: Float[Tensor, "b"]) -> Float[Tensor, ""]:
    with torch.no_grad():
        target = teacher(x).softmax(-1)
    logp = F.log_softmax(student(x), dim=-1)
    per_example = -(target * logp).sum(-1)
    return (per_example - centre).mean()  #! return (target - centre).mean()  # E: shape|broadcast


# run: distill(Net(5, 7), Net(5, 7), randn(3, 5), randn(3))
