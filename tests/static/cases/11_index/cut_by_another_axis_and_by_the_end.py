import torch
from jaxtyping import Float
from torch import Tensor


def copied(dst: Float[Tensor, "n d"], src: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    dst[: src.shape[0]] = src  #! dst[: src.shape[0]] = src[: dst.shape[1]]  # E: shape
    return dst


def first(x: Float[Tensor, "n d"], k: int) -> Float[Tensor, "m d"]:
    return x[:k]


def test_first() -> None:
    assert first(torch.randn(3, 2), 5).shape == (3, 2)  #! assert first(torch.randn(3, 2), 5).shape == (5, 2)  # E: shape


def test_windows() -> None:
    x, i = torch.randn(12, 3), 0
    while i < len(x):
        chunk = x[i : i + 4]
        i += 4
    assert chunk.shape == (4, 3)  #! assert chunk.shape == (4, 4)  # E: shape


# run: copied(randn(5, 2), randn(3, 2)); copied(randn(5, 3), randn(4, 3))
# run: test_first()
# run: test_windows()
