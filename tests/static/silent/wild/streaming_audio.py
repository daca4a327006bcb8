"""Streaming audio: a ring buffer, frames with hop, overlap-add, causal convolutions with state."""
from __future__ import annotations

from typing import Iterable, Iterator, Optional

import torch
import torch.nn.functional as F
from jaxtyping import Complex, Float
from torch import Tensor, nn


class Ring:
    def __init__(self, size: int, channels: int = 1) -> None:
        self.data = torch.zeros(channels, size)
        self.head = 0
        self.count = 0

    def push(self, x: Float[Tensor, "c n"]) -> None:
        n = x.shape[-1]
        if n >= self.data.shape[-1]:
            self.data.copy_(x[:, -self.data.shape[-1] :])
            self.head, self.count = 0, self.data.shape[-1]
            return
        end = self.head + n
        first = min(n, self.data.shape[-1] - self.head)
        self.data[:, self.head : self.head + first] = x[:, :first]
        if first < n:
            self.data[:, : n - first] = x[:, first:]
        self.head = end % self.data.shape[-1]
        self.count = min(self.count + n, self.data.shape[-1])

    @property
    def latest(self) -> Float[Tensor, "c m"]:
        return self.data.roll(-self.head, dims=-1)[:, self.data.shape[-1] - self.count :]


class CausalConv(nn.Module):
    state: Optional[Tensor]

    def __init__(self, cin: int, cout: int, kernel: int, dilation: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, kernel, dilation=dilation)
        self.keep = (kernel - 1) * dilation
        self.state = None

    def forward(self, x: Float[Tensor, "b cin t"]) -> Float[Tensor, "b cout t"]:
        past = self.state if self.state is not None else x.new_zeros(*x.shape[:2], self.keep)
        full = torch.cat([past, x], dim=-1)
        self.state = full[..., full.shape[-1] - self.keep :].detach()
        return self.conv(full)

    def reset(self) -> None:
        self.state = None


class Stack(nn.Module):
    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.inp = CausalConv(1, width, 3)
        self.layers = nn.ModuleList(CausalConv(width, 2 * width, 3, dilation=2**i) for i in range(layers))
        self.out = nn.Conv1d(width, 1, 1)

    def forward(self, x: Float[Tensor, "b 1 t"]) -> Float[Tensor, "b 1 t"]:
        h = self.inp(x)
        for layer in self.layers:
            a, b = layer(h).chunk(2, 1)
            h = h + a.tanh() * b.sigmoid()
        return self.out(h)

    def stream(self, chunks: Iterable[Tensor]) -> Iterator[Tensor]:
        for m in self.modules():
            if isinstance(m, CausalConv):
                m.reset()
        for chunk in chunks:
            yield self(chunk)


def stft(x: Float[Tensor, "b t"], size: int, hop: int) -> Complex[Tensor, "b frames bins"]:
    frames = F.pad(x, (size // 2, size // 2)).unfold(-1, size, hop)
    return torch.fft.rfft(frames * torch.hann_window(size), dim=-1)


def istft(spec: Complex[Tensor, "b frames bins"], size: int, hop: int) -> Float[Tensor, "b t"]:
    frames = torch.fft.irfft(spec, n=size) * torch.hann_window(size)
    b, n, _ = frames.shape
    out = frames.new_zeros(b, (n - 1) * hop + size)
    norm = torch.zeros_like(out[0])
    for i in range(n):
        out[:, i * hop : i * hop + size] += frames[:, i]
        norm[i * hop : i * hop + size] += torch.hann_window(size).square()
    return (out / norm.clamp_min(1e-6))[:, size // 2 : -(size // 2)]


def main() -> None:
    ring = Ring(10, 2)
    for n in (3, 4, 5, 12, 1):
        ring.push(torch.randn(2, n))
    assert ring.latest.shape == (2, 10)
    small = Ring(8)
    small.push(torch.ones(1, 3))
    some = small.latest
    assert some.shape == (1, 3)
    net = Stack(4, 3)
    x = torch.randn(2, 1, 50)
    whole = next(net.stream([x]))
    parts = list(net.stream(x.split([7, 13, 20, 10], dim=-1)))
    joined = torch.cat(parts, -1)
    assert torch.allclose(whole, joined, atol=1e-5) and joined.shape == (2, 1, 50)
    state = net.layers[2].state
    assert state is not None and state.shape == (2, 4, 8)
    sig = torch.randn(3, 64)
    spec = stft(sig, 16, 4)
    assert spec.shape == (3, 17, 9)
    mag, phase = spec.abs(), spec.angle()
    back = istft(torch.polar(mag, phase), 16, 4)
    assert back.shape == (3, 64)
    real = torch.view_as_real(spec).flatten(-2)
    assert real.shape == (3, 17, 18)
    via = torch.stft(sig, 16, 4, window=torch.hann_window(16), return_complex=True)
    assert via.shape == (3, 9, 17)
    frames = list(iter(lambda it=iter(sig[0].split(10)): next(it, None), None))
    sizes = [len(f) for f in frames]
    assert sizes == [10] * 6 + [4]


# run: main()
