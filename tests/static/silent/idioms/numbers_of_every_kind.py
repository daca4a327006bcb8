"""Python's numbers beside tensors: complex ones, bools, and those that are integers on one way only."""

import numpy as np
import torch
from jaxtyping import Bool, Complex, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def twiddles(n: int) -> Complex[Tensor, "{n}"]:
    """``1j`` times a float is complex still."""
    return torch.exp(-1j * torch.pi * torch.arange(n) / n)


def as_pairs(n: int) -> Float[Tensor, "{n} 2"]:
    offset = (n + 1) / 2
    return torch.view_as_real(torch.exp(2j * torch.pi * offset * (torch.arange(n) + 0.5) / n))


def kept(mask: Bool[Tensor, "n"], causal: bool, training: bool) -> Bool[Tensor, "n"]:
    """Two bools give a bool with ``&``, an integer with ``+``."""
    return mask & (causal & training) | (causal ^ training)


def shifted(x: Int[Tensor, "n"], causal: bool, training: bool) -> Int[Tensor, "n"]:
    return (x + (causal + training)) << (causal + 1)


def at_least_one(x: Int[Tensor, "n"], scale: int | None, limit: float) -> Int[Tensor, "n"]:
    """The larger of an integer and a float may be either."""
    factor = 2 if scale is None else max(scale, 1)
    y = x * factor
    if limit < 1:
        y = x * max(1, limit)
    return y


def scaled(x: Float[Tensor, "n"], places: int) -> Float[Tensor, "n"]:
    return x.long() * 10**-places


def empty(n: int) -> int:
    """numpy counts to the end, and is done where that lies behind."""
    ragged = np.array([[1], [1, 2]], dtype=object)
    return len(np.arange(n + 3, 1)) + len(np.arange(3, 0.5)) + len(ragged)


def padded_again(x: Float[Tensor, "b t d"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b _ d"]:
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False).to("cpu")
    out, _ = pad_packed_sequence(packed.float(), batch_first=True)
    return out


def walked(x: Float[Tensor, "n 3"], i: int) -> Float[Tensor, "n n"]:
    """An item of an array of float64 is a number to torch, on either side."""
    times = np.linspace(0, 1, 4)
    step = times[1] - times[0]
    y = step * x.float() + times[i] * torch.ones(3)
    z = times.mean() - (times[times.argmax()] ** torch.ones(3) - y)
    return y @ torch.ones(len(x), 3).mT + torch.einsum("ni,ki->nk", z, torch.ones(len(x), 3))


# run: assert walked(randn(2, 3), 2).dtype == torch.float32
# run: assert twiddles(4).is_complex(); as_pairs(5)
# run: kept(randn(3) > 0, True, False); shifted(torch.arange(3), True, True)
# run: at_least_one(torch.arange(3), None, 0.5); at_least_one(torch.arange(3), 4, 2.0)
# run: scaled(randn(3), 2); assert empty(4) == 2
# run: padded_again(randn(2, 5, 3), torch.tensor([3, 5]))
