import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(5, 3)

    def forward(
        self, x: Float[Tensor, "b d"], y: Int[Tensor, "b"] | None = None
    ) -> tuple[Float[Tensor, "b k"], Float[Tensor, ""] | None]:
        logits = self.fc(x)
        return logits, None if y is None else F.cross_entropy(logits, y)


def main(net: Net) -> None:
    for b in (4, 2):
        x, y = torch.rand(b, 5), torch.zeros(b).long()
        logits, loss = net(x, y)
        loss.backward()
        print(logits + x[:, :3])  #! print(logits + x)  # E: shape


# run: main(Net())
