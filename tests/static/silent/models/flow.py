"""Normalising flows: coupling layers, invertible convolutions, multi-scale squeezes."""

import abc
import math
from typing import Iterable, Tuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F


class Flow(nn.Module, abc.ABC):
    @abc.abstractmethod
    def forward(self, x: Float[Tensor, "batch dim"]) -> Tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch"]]:
        """Map data towards the base; also the log determinant."""

    @abc.abstractmethod
    def inverse(self, z: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]: ...


class ActNorm(Flow):
    def __init__(self, dim: int):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(1, dim))
        self.shift = nn.Parameter(torch.zeros(1, dim))
        self.initialised = False

    def forward(self, x: Float[Tensor, "batch dim"]) -> Tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch"]]:
        if not self.initialised:
            with torch.no_grad():
                self.log_scale.copy_(-x.std(0, keepdim=True).clamp(min=1e-6).log())
                self.shift.copy_(-(x * self.log_scale.exp()).mean(0, keepdim=True))
            self.initialised = True
        z = x * self.log_scale.exp() + self.shift
        return z, self.log_scale.sum().expand(x.shape[0])

    def inverse(self, z: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        return (z - self.shift) * (-self.log_scale).exp()


class AffineCoupling(Flow):
    mask: Bool[Tensor, "dim"]

    def __init__(self, dim: int, hidden: int, parity: int):
        super().__init__()
        self.register_buffer("mask", torch.arange(dim) % 2 == parity)
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, 2 * dim))

    def params(self, frozen: Float[Tensor, "batch dim"]) -> Tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch dim"]]:
        log_s, t = self.net(frozen).chunk(2, dim=1)
        free = (~self.mask).float()
        return torch.tanh(log_s) * free, t * free

    def forward(self, x: Float[Tensor, "batch dim"]) -> Tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch"]]:
        frozen = x * self.mask
        log_s, t = self.params(frozen)
        z = frozen + torch.where(self.mask, torch.zeros_like(x), x * log_s.exp() + t)
        return z, log_s.sum(dim=1)

    def inverse(self, z: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        frozen = z * self.mask
        log_s, t = self.params(frozen)
        return frozen + (~self.mask) * (z - t) * (-log_s).exp()


class LULinear(Flow):
    def __init__(self, dim: int):
        super().__init__()
        q, _ = torch.linalg.qr(torch.randn(dim, dim))
        p, l, u = torch.linalg.lu(q)
        self.register_buffer("perm", p)
        self.lower = nn.Parameter(l)
        self.upper = nn.Parameter(u.triu(1))
        self.log_diag = nn.Parameter(u.diagonal().abs().log())
        self.register_buffer("sign", u.diagonal().sign())

    def weight(self) -> Float[Tensor, "dim dim"]:
        eye = torch.eye(self.lower.shape[0])
        l = self.lower.tril(-1) + eye
        u = self.upper.triu(1) + torch.diag(self.sign * self.log_diag.exp())
        return self.perm @ l @ u

    def forward(self, x: Float[Tensor, "batch dim"]) -> Tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch"]]:
        return F.linear(x, self.weight()), self.log_diag.sum().repeat(x.shape[0])

    def inverse(self, z: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        return torch.linalg.solve(self.weight(), z.T).T


class Chain(Flow):
    def __init__(self, flows: Iterable[Flow]):
        super().__init__()
        self.flows = nn.ModuleList(flows)

    def forward(self, x: Float[Tensor, "batch dim"]) -> Tuple[Float[Tensor, "batch dim"], Float[Tensor, "batch"]]:
        total = x.new_zeros(x.shape[0])
        for flow in self.flows:
            x, log_det = flow(x)
            total = total + log_det
        return x, total

    def inverse(self, z: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        for flow in reversed(self.flows):
            z = flow.inverse(z)
        return z


def standard_log_prob(z: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch"]:
    return -0.5 * (z.square() + math.log(2 * math.pi)).sum(dim=-1)


class Density(nn.Module):
    def __init__(self, dim: int, hidden: int, depth: int):
        super().__init__()
        layers = []
        for i in range(depth):
            layers += [ActNorm(dim), LULinear(dim), AffineCoupling(dim, hidden, i % 2)]
        self.flow = Chain(layers)
        self.dim = dim

    def log_prob(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch"]:
        z, log_det = self.flow(x)
        return standard_log_prob(z) + log_det

    def sample(self, n: int) -> Float[Tensor, "{n} {self.dim}"]:
        with torch.no_grad():
            return self.flow.inverse(torch.randn(n, self.dim))

    def bits_per_dim(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, ""]:
        return -self.log_prob(x).mean() / (math.log(2) * x.shape[1])


def squeeze2d(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b 4*c h//2 w//2"]:
    b, c, h, w = x.shape
    x = x.view(b, c, h // 2, 2, w // 2, 2)
    return x.permute(0, 1, 3, 5, 2, 4).reshape(b, c * 4, h // 2, w // 2)


def unsqueeze2d(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c//4 2*h 2*w"]:
    b, c, h, w = x.shape
    x = x.view(b, c // 4, 2, 2, h, w)
    return x.permute(0, 1, 4, 2, 5, 3).reshape(b, c // 4, h * 2, w * 2)


# run: d = Density(5, 7, 2); x = randn(11, 5); d.bits_per_dim(x); d.sample(3)
# run: assert torch.allclose(d.flow.inverse(d.flow(x)[0]), x, atol=1e-3)
# run: y = randn(2, 3, 6, 10); assert torch.equal(unsqueeze2d(squeeze2d(y)), y)
