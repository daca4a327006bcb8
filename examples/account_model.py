"""What a small perceptron costs: numbers, formulas, and the time on a device."""

from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.accounting import account


class MLP(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
        out: Tensor = self.down(self.up(x).relu())
        return out


def main() -> None:
    found = account(MLP, d_model=512, d_ff=2048, batch=64, optimizer="adamw")
    print("forward", found.flops.forward, "=", found.formula("flops.forward"))
    print("peak", found.memory.peak, "=", found.formula("memory.peak"))
    print("at the roofline of an H100", found.time("h100"), "s")


if __name__ == "__main__":
    main()
