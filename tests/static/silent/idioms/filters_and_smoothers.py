"""Filters and smoothers: classes that hold matrices, updated over time."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Belief:
    mean: Float[Tensor, "s"]
    cov: Float[Tensor, "s s"]

    def copy(self) -> Belief:
        return Belief(self.mean.clone(), self.cov.clone())

    def entropy(self) -> Float[Tensor, ""]:
        return 0.5 * torch.logdet(2 * torch.pi * torch.e * self.cov)

    def __add__(self, other: Belief) -> Belief:
        return Belief(self.mean + other.mean, self.cov + other.cov)


class LinearModel:
    dt: ClassVar[float] = 0.1

    def __init__(self, a: Float[Tensor, "s s"], c: Float[Tensor, "o s"], q: Float[Tensor, "s s"], r: Float[Tensor, "o o"]) -> None:
        self.a, self.c, self.q, self.r = a, c, q, r

    @property
    def state_dim(self) -> int:
        return self.a.shape[0]

    @property
    def obs_dim(self) -> int:
        return self.c.shape[0]

    @classmethod
    def constant_velocity(cls, axes: int) -> LinearModel:
        eye, zero = torch.eye(axes), torch.zeros(axes, axes)
        a = torch.cat([torch.cat([eye, cls.dt * eye], 1), torch.cat([zero, eye], 1)], 0)
        c = torch.cat([eye, zero], 1)
        return cls(a, c, 0.01 * torch.eye(2 * axes), 0.1 * torch.eye(axes))

    def predict(self, b: Belief) -> Belief:
        return Belief(self.a @ b.mean, self.a @ b.cov @ self.a.T + self.q)

    def update(self, b: Belief, y: Float[Tensor, "o"]) -> tuple[Belief, Float[Tensor, ""]]:
        innovation = y - self.c @ b.mean
        s = self.c @ b.cov @ self.c.T + self.r
        gain = torch.linalg.solve(s, self.c @ b.cov).T
        mean = b.mean + gain @ innovation
        cov = b.cov - gain @ s @ gain.T
        loglik = -0.5 * (innovation @ torch.linalg.solve(s, innovation) + torch.logdet(s))
        return Belief(mean, cov), loglik

    def simulate(self, steps: int) -> tuple[Float[Tensor, "{steps} s"], Float[Tensor, "{steps} o"]]:
        x = torch.zeros(self.state_dim)
        xs, ys = [], []
        lq, lr = torch.linalg.cholesky(self.q), torch.linalg.cholesky(self.r)
        for _ in range(steps):
            x = self.a @ x + lq @ torch.randn(self.state_dim)
            xs.append(x)
            ys.append(self.c @ x + lr @ torch.randn(self.obs_dim))
        return torch.stack(xs), torch.stack(ys)


class Filter:
    def __init__(self, model: LinearModel, prior: Belief) -> None:
        self.model = model
        self.belief = prior
        self.history: list[Belief] = []
        self.loglik = torch.zeros(())

    def step(self, y: Float[Tensor, "o"] | None) -> Belief:
        predicted = self.model.predict(self.belief)
        if y is None:
            self.belief = predicted
        else:
            self.belief, ll = self.model.update(predicted, y)
            self.loglik = self.loglik + ll
        self.history.append(self.belief)
        return self.belief

    def run(self, ys: Iterable[Float[Tensor, "o"] | None]) -> Float[Tensor, "t s"]:
        return torch.stack([self.step(y).mean for y in ys])

    def smooth(self) -> list[Belief]:
        out = [self.history[-1]]
        for b in reversed(self.history[:-1]):
            ahead = self.model.predict(b)
            gain = torch.linalg.solve(ahead.cov, self.model.a @ b.cov).T
            later = out[0]
            mean = b.mean + gain @ (later.mean - ahead.mean)
            cov = b.cov + gain @ (later.cov - ahead.cov) @ gain.T
            out.insert(0, Belief(mean, cov))
        return out


class Ensemble:
    """An ensemble filter: members are rows."""

    def __init__(self, members: Float[Tensor, "m s"], model: LinearModel) -> None:
        self.members = members
        self.model = model

    @property
    def mean(self) -> Float[Tensor, "s"]:
        return self.members.mean(0)

    @property
    def cov(self) -> Float[Tensor, "s s"]:
        dev = self.members - self.mean
        return dev.T @ dev / (self.members.shape[0] - 1)

    def predict(self) -> None:
        noise = torch.randn_like(self.members) @ torch.linalg.cholesky(self.model.q).T
        self.members = self.members @ self.model.a.T + noise

    def update(self, y: Float[Tensor, "o"]) -> None:
        c, r = self.model.c, self.model.r
        cov = self.cov
        s = c @ cov @ c.T + r
        gain = torch.linalg.solve(s, c @ cov).T
        perturbed = y + torch.randn(self.members.shape[0], y.shape[0]) @ torch.linalg.cholesky(r).T
        self.members = self.members + (perturbed - self.members @ c.T) @ gain.T

    def resample(self, weights: Float[Tensor, "m"]) -> Ensemble:
        idx = torch.multinomial(weights, self.members.shape[0], replacement=True)
        return Ensemble(self.members[idx], self.model)


def compare(steps: int) -> dict[str, float]:
    model = LinearModel.constant_velocity(2)
    xs, ys = model.simulate(steps)
    prior = Belief(torch.zeros(model.state_dim), torch.eye(model.state_dim))
    kf = Filter(model, prior.copy())
    est = kf.run([y if i % 3 else None for i, y in enumerate(ys)])
    smooth = torch.stack([b.mean for b in kf.smooth()])
    ens = Ensemble(torch.randn(20, model.state_dim), model)
    track = []
    for y in ys:
        ens.predict()
        ens.update(y)
        track.append(ens.mean)
    ens = ens.resample(torch.ones(20))
    enkf = torch.stack(track)
    errors = {"kf": est - xs, "rts": smooth - xs, "enkf": enkf - xs}
    return {name: float(e.square().mean()) for name, e in errors.items()}


# run: compare(6)
