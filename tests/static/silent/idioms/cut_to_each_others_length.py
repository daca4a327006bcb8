"""Two slices of which each is cut to the other's length: both are as long as the shorter axis."""

import torch
from jaxtyping import Float
from torch import Tensor


def copy_overlap(dst: Float[Tensor, "n d"], src: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    dst = dst.clone()
    dst[: src.shape[0]] = src[: dst.shape[0]]
    return dst


def copy_matrix(dst: Float[Tensor, "n d"], src: Float[Tensor, "m e"]) -> Float[Tensor, "n d"]:
    n, d = dst.shape
    m, e = src.shape
    dst[:m, :e] = src[:n, :d]
    return dst


def correlate(x: Float[Tensor, "b n"], y: Float[Tensor, "b m"]) -> Float[Tensor, "b"]:
    return (x[:, : y.shape[1]] * y[:, : x.shape[1]]).sum(1)


def align(
    x: Float[Tensor, "b t"], y: Float[Tensor, "b s"]
) -> tuple[Float[Tensor, "b m"], Float[Tensor, "b m"]]:
    return x[:, : y.shape[1]], y[:, : x.shape[1]]


def newest(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "k d"]:
    """Cut by a helper, from the other end."""
    return _last_of(x, y) + _last_of(y, x)


def _last_of(x, like):
    return x[-len(like) :]


def modes(x: Float[Tensor, "b c t"], w: Float[Tensor, "c o m"]) -> Float[Tensor, "b o t"]:
    z = torch.fft.rfft(x)
    out = torch.zeros(x.shape[0], w.shape[1], z.shape[-1], dtype=torch.cfloat)
    k = w.shape[-1]
    kept = torch.einsum("bcm,com->bom", z[..., :k], w[..., : z.shape[-1]].to(z.dtype))
    out[..., :k] = kept
    return torch.fft.irfft(out, n=x.shape[-1])


def differences(x: Float[Tensor, "b p"], y: Float[Tensor, "b q"], p: Float[Tensor, "b p"]) -> Tensor:
    first, second = align(x, y)
    return first - second


def test_modes() -> None:
    assert modes(torch.randn(2, 3, 7), torch.randn(3, 4, 2)).shape == (2, 4, 7)
    assert modes(torch.randn(2, 3, 7), torch.randn(3, 4, 9)).shape == (2, 4, 7)
    first, second = align(torch.randn(2, 3), torch.randn(2, 5))
    assert first.shape == second.shape == (2, 3)


# run: test_modes()
# run: copy_overlap(randn(3, 2), randn(5, 2)); copy_overlap(randn(5, 2), randn(3, 2))
# run: copy_matrix(randn(3, 5), randn(5, 3)); correlate(randn(2, 3), randn(2, 5)); align(randn(2, 5), randn(2, 3))
# run: newest(randn(3, 2), randn(5, 2)); newest(randn(5, 2), randn(3, 2))
# run: differences(randn(2, 3), randn(2, 5), randn(2, 3))
