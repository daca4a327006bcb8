import torch
from jaxtyping import Float
from torch import Tensor


def energy(
    hidden: Float[Tensor, "batch hid"], encoded: Float[Tensor, "batch length e"]
) -> Float[Tensor, "batch length both"]:
    query = hidden.unsqueeze(1).expand(-1, encoded.shape[1], -1)  #! query = hidden.unsqueeze(1)
    return torch.cat((query, encoded), dim=2)


def main() -> None:
    print(energy(torch.randn(3, 4), torch.randn(3, 7, 5)).shape)  # E: shape


# run: main()
