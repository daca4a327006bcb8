import torch
from jaxtyping import Float
from torch import Tensor


def norms(x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch"]:
    return x.square().sum(dim=1).sqrt()


def test_norms() -> None:
    x = torch.randn(5, 3)
    one_by_one = [row.norm() for row in x]
    torch.testing.assert_close(norms(x), torch.stack(one_by_one))  #! torch.testing.assert_close(norms(x), torch.stack(one_by_one)[:, None])  # E: shape
    torch.testing.assert_close(norms(x), torch.linalg.vector_norm(x, dim=1))


# run: test_norms()
