import torch
from jaxtyping import Float
from torch import Tensor


class Activations:
    def __init__(self) -> None:
        self.kept: dict[str, list[Float[Tensor, "batch width"]]] = {"mlp": []}

    def hook(self, output: Float[Tensor, "batch seq width"]) -> None:
        self.kept["mlp"].append(output[:, -1])  #! self.kept["mlp"].append(output)  # E: shape

    def joined(self) -> Float[Tensor, "total width"]:
        return torch.cat(self.kept["mlp"])


def collect(outputs: list[Float[Tensor, "batch seq width"]]) -> Float[Tensor, "total width"]:
    found = Activations()
    for output in outputs:
        found.hook(output)
    return found.joined()


# run: collect([randn(2, 3, 5), randn(2, 3, 5)])
