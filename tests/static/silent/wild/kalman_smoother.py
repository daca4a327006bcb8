"""A Kalman filter and its smoother, with frozen states that are replaced."""
from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Belief:
    mean: Float[Tensor, "batch n"]
    cov: Float[Tensor, "batch n n"]
    loglik: Float[Tensor, " batch"] | None = None
    history: list[Tensor] = field(default_factory=list)

    @property
    def std(self) -> Float[Tensor, "batch n"]:
        return self.cov.diagonal(dim1=-2, dim2=-1).clamp_min(1e-9).sqrt()


class Linear:
    def __init__(self, dim: int, seen: int, *, dt: float = 0.1):
        half = dim // 2
        self.F = torch.eye(dim)
        self.F[:half, half:] += dt * torch.eye(half)
        self.Q = 1e-2 * torch.eye(dim)
        self.H = torch.zeros(seen, dim)
        self.H[torch.arange(seen), torch.arange(seen)] = 1.0
        self.R = 0.1 * torch.eye(seen)

    def predict(self, b: Belief) -> Belief:
        mean = b.mean @ self.F.T
        cov = self.F @ b.cov @ self.F.T + self.Q
        return replace(b, mean=mean, cov=cov)

    def update(self, b: Belief, z: Float[Tensor, "batch m"]) -> Belief:
        innovation = z - b.mean @ self.H.T
        S = self.H @ b.cov @ self.H.T + self.R
        K = torch.linalg.solve(S, self.H @ b.cov).mT
        mean = b.mean + (K @ innovation[..., None]).squeeze(-1)
        eye = torch.eye(b.mean.shape[-1])
        cov = (eye - K @ self.H) @ b.cov
        maha = (innovation[:, None] @ torch.linalg.solve(S, innovation[..., None])).flatten()
        ll = -0.5 * (maha + torch.logdet(S))
        total = ll if b.loglik is None else b.loglik + ll
        return replace(b, mean=mean, cov=cov, loglik=total, history=b.history + [mean])


def filter_all(model: Linear, zs: Float[Tensor, "batch time m"]) -> tuple[list[Belief], list[Belief]]:
    batch, time, m = zs.shape
    dim = model.F.shape[0]
    b = Belief(torch.zeros(batch, dim), torch.eye(dim).expand(batch, -1, -1))
    priors, posts = [], []
    for t in range(time):
        b = model.predict(b)
        priors.append(b)
        if t % 3 == 2:
            b = Belief(b.mean, b.cov, b.loglik, b.history)
        else:
            b = model.update(b, zs[:, t])
        posts.append(b)
    return priors, posts


def smooth(model: Linear, priors: list[Belief], posts: list[Belief]) -> Float[Tensor, "time batch n"]:
    mean, cov = posts[-1].mean, posts[-1].cov
    out = [mean]
    for prior, post in zip(reversed(priors[1:]), reversed(posts[:-1])):
        gain = post.cov @ model.F.T @ torch.linalg.inv(prior.cov)
        mean = post.mean + torch.einsum("bij,bj->bi", gain, mean - prior.mean)
        cov = post.cov + gain @ (cov - prior.cov) @ gain.mT
        out.insert(0, mean)
    return torch.stack(out)


def main() -> None:
    model = Linear(4, 2)
    zs = torch.randn(3, 7, 2)
    priors, posts = filter_all(model, zs)
    track = smooth(model, priors, posts)
    assert track.shape == (7, 3, 4)
    last = posts[-1]
    hist = torch.stack(last.history, 1)
    print(hist.shape, last.std.shape)
    ll = last.loglik
    assert ll is not None and ll.shape == (3,)
    widths = torch.stack([p.std for p in posts]).mean((0, 2))
    assert widths.shape == (3,)
    err = track[:, :, :2].transpose(0, 1) - zs
    rmse = err.pow(2).mean(dim=(1, 2)).sqrt()
    worst = track[:, rmse.argmax()]
    print(worst.shape)


# run: main()
