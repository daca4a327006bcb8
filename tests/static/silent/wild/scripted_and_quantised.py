"""dtype juggling: mixed precision by hand, quantisation, bit tricks, complex numbers."""

import math
from typing import Final

import torch
from jaxtyping import BFloat16, Bool, Complex, Float, Float16, Float32, Int, Int8, Int64, Num, UInt8
from torch import Tensor, nn

EPS: Final = 1e-8


def absmax(x: Float[Tensor, "rows cols"]) -> tuple[Int8[Tensor, "rows cols"], Float[Tensor, "rows 1"]]:
    scale = x.abs().amax(dim=1, keepdim=True).clamp(min=EPS) / 127
    return (x / scale).round().clamp(-128, 127).to(torch.int8), scale


def dequantise(q: Int8[Tensor, "rows cols"], scale: Float[Tensor, "rows 1"]) -> Float[Tensor, "rows cols"]:
    return q.to(scale.dtype) * scale


def pack_nibbles(x: UInt8[Tensor, "n m"]) -> UInt8[Tensor, "n _"]:
    low, high = x[:, ::2], x[:, 1::2]
    return low | (high << 4)


def unpack_nibbles(x: UInt8[Tensor, "n k"]) -> UInt8[Tensor, "n 2*k"]:
    return torch.stack([x & 0xF, x >> 4], dim=-1).flatten(1)


def stochastic_round(x: Float32[Tensor, "*s"]) -> BFloat16[Tensor, "*s"]:
    noise = torch.randint_like(x, 0, 1 << 16, dtype=torch.int32)
    bits = x.view(torch.int32) + noise
    return (bits & -65536).view(torch.float32).bfloat16()


class QuantLinear(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        q, s = absmax(linear.weight.detach())
        self.register_buffer("q", q)
        self.register_buffer("s", s)
        self.bias = linear.bias

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        w = dequantise(self.q, self.s).to(x.dtype)
        return nn.functional.linear(x, w, self.bias)


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Float[Tensor, "*s"], levels: int) -> Float[Tensor, "*s"]:
        ctx.save_for_backward(x)
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, grad: Float[Tensor, "*s"]):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1), None


def half_matmul(a: Float[Tensor, "n k"], b: Float[Tensor, "k m"]) -> Float16[Tensor, "n m"]:
    return a.half() @ b.to(dtype=torch.float16)


def mean_of_ints(x: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    return x.to(torch.get_default_dtype()).mean()


def ratio(hits: Int[Tensor, "n"], total: Int[Tensor, "n"]) -> Float[Tensor, "n"]:
    return hits / total.clamp(min=1)


def phase(x: Complex[Tensor, "*s"]) -> Float[Tensor, "*s"]:
    return torch.atan2(x.imag, x.real)


def convolve(x: Float[Tensor, "b n"], k: Float[Tensor, "b m"]) -> Float[Tensor, "b n"]:
    n = x.shape[-1]
    size = 2 ** math.ceil(math.log2(n + k.shape[-1] - 1))
    y = torch.fft.rfft(x, n=size) * torch.fft.rfft(k, n=size)
    return torch.fft.irfft(y, n=size)[..., :n]


def promote(i: Int[Tensor, "n"], f: Float[Tensor, "n"], b: Bool[Tensor, "n"]) -> Float[Tensor, "n"]:
    y = i + 1
    y = y * 0.5
    y = y + f * b
    y = torch.where(b, y, 0)
    return y - (f > 0).sum() + b.float().mean() + ~b


def to_index(x: Num[Tensor, "n"]) -> Int64[Tensor, "n"]:
    return x.long() if x.is_floating_point() else x.type(torch.int64)


def like(x: Float[Tensor, "n"], y: Num[Tensor, "n"]) -> Float[Tensor, "n"]:
    return x + y.to(x) + y.type_as(x) + torch.as_tensor(y, dtype=x.dtype)


def checksum(ids: Int[Tensor, "b s"]) -> Int[Tensor, "b"]:
    powers = torch.pow(31, torch.arange(ids.shape[1])) % 65521
    return (ids * powers).sum(-1) % 65521


def one_hot_float(ids: Int[Tensor, "*s"], n: int) -> Float[Tensor, "*s {n}"]:
    out = torch.zeros(*ids.shape, n)
    out.scatter_(-1, ids.unsqueeze(-1), 1)
    return out


# run: q, s = absmax(randn(3, 5)); dequantise(q, s); x = randint(0, 16, (3, 6)).to(torch.uint8); assert torch.equal(unpack_nibbles(pack_nibbles(x)), x); stochastic_round(randn(3, 5))
# run: QuantLinear(nn.Linear(5, 7))(randn(2, 3, 5)); y = randn(3, requires_grad=True); StraightThrough.apply(y, 4).sum().backward(); half_matmul(randn(3, 5), randn(5, 7)); mean_of_ints(torch.arange(5)); ratio(torch.arange(5), torch.arange(5)); phase(torch.randn(3, dtype=torch.complex64))
# run: convolve(randn(2, 7), randn(2, 3)); promote(torch.arange(3), randn(3), torch.tensor([True, False, True])); to_index(randn(3)); like(randn(3), torch.arange(3)); checksum(randint(0, 9, (2, 5))); one_hot_float(randint(0, 4, (2, 3)), 4)
