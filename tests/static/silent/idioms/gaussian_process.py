"""Gaussian process regression with composable kernels."""
from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Callable, Iterator, Protocol, Sequence, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

Inputs = Float[Tensor, "n d"]
KernelFn = Callable[[Float[Tensor, "n d"], Float[Tensor, "m d"]], Float[Tensor, "n m"]]


@runtime_checkable
class Kernel(Protocol):
    def __call__(self, a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]: ...


@dataclass(frozen=True)
class RBF:
    lengthscale: Float[Tensor, "d"]
    scale: float = 1.0

    def __call__(self, a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        diff = (a[:, None] - b[None]) / self.lengthscale
        return self.scale * torch.exp(-0.5 * diff.square().sum(-1))


@dataclass(frozen=True)
class Linear:
    weight: Float[Tensor, "d d"]

    def __call__(self, a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        return a @ self.weight @ b.T


class Sum:
    def __init__(self, *parts: KernelFn) -> None:
        self.parts = list(parts)

    def __call__(self, a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        total = torch.zeros(a.shape[0], b.shape[0])
        for part in self.parts:
            total = total + part(a, b)
        return total


@dataclass
class Posterior:
    mean: Float[Tensor, "q"]
    cov: Float[Tensor, "q q"]

    @property
    def std(self) -> Float[Tensor, "q"]:
        return self.cov.diagonal().clamp(min=0).sqrt()

    def sample(self, count: int) -> Float[Tensor, "{count} q"]:
        chol = torch.linalg.cholesky(self.cov + 1e-5 * torch.eye(len(self.mean)))
        return self.mean + torch.randn(count, len(self.mean)) @ chol.T

    def interval(self, z: float = 1.96) -> tuple[Float[Tensor, "q"], Float[Tensor, "q"]]:
        return self.mean - z * self.std, self.mean + z * self.std


class GP:
    def __init__(self, kernel: Kernel, x: Float[Tensor, "n d"], y: Float[Tensor, "n"], noise: float = 0.1) -> None:
        self.kernel = kernel
        self.x, self.y = x, y
        self.noise = noise
        gram = kernel(x, x) + noise * torch.eye(x.shape[0])
        self.chol = torch.linalg.cholesky(gram)
        self.alpha = torch.cholesky_solve(y[:, None], self.chol)[:, 0]

    def predict(self, q: Float[Tensor, "q d"]) -> Posterior:
        cross = self.kernel(q, self.x)
        mean = cross @ self.alpha
        v = torch.linalg.solve_triangular(self.chol, cross.T, upper=False)
        cov = self.kernel(q, q) - v.T @ v
        return Posterior(mean, cov)

    def log_marginal(self) -> Float[Tensor, ""]:
        n = self.x.shape[0]
        fit = -0.5 * self.y @ self.alpha
        return fit - self.chol.diagonal().log().sum() - 0.5 * n * math.log(2 * math.pi)

    def condition(self, x: Float[Tensor, "k d"], y: Float[Tensor, "k"]) -> GP:
        return GP(self.kernel, torch.cat([self.x, x]), torch.cat([self.y, y]), self.noise)

    def leave_one_out(self) -> Float[Tensor, "n"]:
        inv = torch.cholesky_inverse(self.chol)
        return self.y - self.alpha / inv.diagonal()


def folds(x: Float[Tensor, "n d"], y: Float[Tensor, "n"], k: int) -> Iterator[tuple[Inputs, Float[Tensor, "n"], Inputs, Float[Tensor, "n"]]]:
    for part in torch.arange(len(x)).chunk(k):
        mask = torch.ones(len(x), dtype=torch.bool)
        mask[part] = False
        yield x[mask], y[mask], x[part], y[part]


def cross_validate(make: Callable[[float], Kernel], x: Float[Tensor, "n d"], y: Float[Tensor, "n"], grid: Sequence[float]) -> dict[float, float]:
    scores: dict[float, float] = {}
    for value in grid:
        errors = []
        for xt, yt, xv, yv in folds(x, y, 3):
            post = GP(make(value), xt, yt).predict(xv)
            errors.append((post.mean - yv).square().mean())
        scores[value] = float(torch.stack(errors).mean())
    return scores


def expected_improvement(gp: GP, q: Float[Tensor, "q d"], best: float) -> Float[Tensor, "q"]:
    post = gp.predict(q)
    z = (post.mean - best) / post.std
    normal = torch.distributions.Normal(0.0, 1.0)
    return post.std * (z * normal.cdf(z) + normal.log_prob(z).exp())


def bayes_opt(f: Callable[[Float[Tensor, "k d"]], Float[Tensor, "k"]], start: Float[Tensor, "n d"], steps: int) -> Float[Tensor, "m d"]:
    d = start.shape[1]
    kernel = Sum(RBF(torch.ones(d)), Linear(0.1 * torch.eye(d)))
    gp = GP(kernel, start, f(start))
    for _ in range(steps):
        cand = torch.rand(16, d)
        pick = cand[expected_improvement(gp, cand, float(gp.y.max())).argmax()][None]
        gp = gp.condition(pick, f(pick))
    return gp.x


# run: x = torch.rand(6,2)
# run: y = x.sum(1)
# run: bayes_opt(lambda z: z.sum(-1), x, 2)
# run: cross_validate(lambda s: RBF(torch.full((2,), s)), x, y, [0.5, 1.0])
# run: g = GP(RBF(torch.ones(2)), x, y)
# run: g.leave_one_out()
# run: g.log_marginal()
# run: g.predict(x[:3]).sample(4)
