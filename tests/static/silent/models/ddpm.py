"""Gaussian diffusion: schedules, the forward process, samplers and the training loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Denoiser = Callable[[Float[Tensor, "b c h w"], Int[Tensor, "b"]], Float[Tensor, "b c h w"]]


def linear_betas(steps: int, start: float = 1e-4, end: float = 0.02) -> Float[Tensor, "{steps}"]:
    return torch.linspace(start, end, steps)


def cosine_betas(steps: int, s: float = 0.008) -> Float[Tensor, "{steps}"]:
    x = torch.linspace(0, steps, steps + 1)
    alphas_bar = torch.cos(((x / steps) + s) / (1 + s) * torch.pi * 0.5) ** 2
    alphas_bar = alphas_bar / alphas_bar[0]
    betas = 1 - (alphas_bar[1:] / alphas_bar[:-1])
    return torch.clip(betas, 0.0001, 0.9999)


def extract(
    table: Float[Tensor, "steps"], t: Int[Tensor, "b"], like: Float[Tensor, "b c h w"]
) -> Float[Tensor, "b 1 1 1"]:
    out = table.gather(-1, t)
    return out.reshape(like.shape[0], 1, 1, 1)


@dataclass
class Schedule:
    betas: Float[Tensor, "steps"]
    alphas: Float[Tensor, "steps"]
    alphas_bar: Float[Tensor, "steps"]
    alphas_bar_prev: Float[Tensor, "steps"]

    @classmethod
    def make(cls, steps: int, kind: Literal["linear", "cosine"] = "linear") -> Schedule:
        betas = linear_betas(steps) if kind == "linear" else cosine_betas(steps)
        alphas = 1.0 - betas
        alphas_bar = torch.cumprod(alphas, dim=0)
        prev = torch.cat([torch.ones(1), alphas_bar[:-1]])
        return cls(betas, alphas, alphas_bar, prev)

    @property
    def steps(self) -> int:
        return self.betas.shape[0]


class Diffusion:
    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.sqrt_alphas_bar = schedule.alphas_bar.sqrt()
        self.sqrt_one_minus = (1 - schedule.alphas_bar).sqrt()
        self.posterior_var = schedule.betas * (1 - schedule.alphas_bar_prev) / (1 - schedule.alphas_bar)

    def q_sample(
        self, x0: Float[Tensor, "b c h w"], t: Int[Tensor, "b"], noise: Float[Tensor, "b c h w"]
    ) -> Float[Tensor, "b c h w"]:
        return extract(self.sqrt_alphas_bar, t, x0) * x0 + extract(self.sqrt_one_minus, t, x0) * noise

    def predict_x0(
        self, xt: Float[Tensor, "b c h w"], t: Int[Tensor, "b"], noise: Float[Tensor, "b c h w"]
    ) -> Float[Tensor, "b c h w"]:
        a = extract(self.sqrt_alphas_bar, t, xt)
        s = extract(self.sqrt_one_minus, t, xt)
        return (xt - s * noise) / a

    def losses(self, model: Denoiser, x0: Float[Tensor, "b c h w"], t: Int[Tensor, "b"]) -> Float[Tensor, "b"]:
        noise = torch.randn_like(x0)
        xt = self.q_sample(x0, t, noise)
        predicted = model(xt, t)
        return (predicted - noise).square().mean(dim=(1, 2, 3))

    def training_loss(self, model: Denoiser, x0: Float[Tensor, "b c h w"]) -> Float[Tensor, ""]:
        t = torch.randint(0, self.schedule.steps, (x0.shape[0],))
        weight = 1.0 / (1.0 + self.schedule.betas[t])
        return (self.losses(model, x0, t) * weight).mean()

    @torch.no_grad()
    def p_sample(
        self, model: Denoiser, xt: Float[Tensor, "b c h w"], step: int
    ) -> Float[Tensor, "b c h w"]:
        t = torch.full((xt.shape[0],), step, dtype=torch.long)
        eps = model(xt, t)
        beta = extract(self.schedule.betas, t, xt)
        alpha = extract(self.schedule.alphas, t, xt)
        mean = (xt - beta * eps / extract(self.sqrt_one_minus, t, xt)) / alpha.sqrt()
        if step == 0:
            return mean
        noise = torch.randn_like(xt)
        return mean + extract(self.posterior_var, t, xt).sqrt() * noise

    @torch.no_grad()
    def sample(self, model: Denoiser, shape: tuple[int, int, int, int]) -> Float[Tensor, "b c h w"]:
        x = torch.randn(shape)
        for step in reversed(range(self.schedule.steps)):
            x = self.p_sample(model, x, step)
        return x.clamp(-1, 1)

    @torch.no_grad()
    def ddim(
        self, model: Denoiser, x: Float[Tensor, "b c h w"], steps: list[int], eta: float = 0.0
    ) -> Float[Tensor, "b c h w"]:
        for now, nxt in zip(steps[:-1], steps[1:]):
            t = x.new_full((x.shape[0],), now).long()
            eps = model(x, t)
            x0 = self.predict_x0(x, t, eps).clamp(-1, 1)
            a_next = self.schedule.alphas_bar[nxt]
            sigma = eta * (1 - a_next).sqrt()
            direction = (1 - a_next - sigma**2).clamp_min(0).sqrt() * eps
            x = a_next.sqrt() * x0 + direction + sigma * torch.randn_like(x)
        return x


class TinyDenoiser(nn.Module):
    def __init__(self, channels: int, steps: int, width: int = 6) -> None:
        super().__init__()
        self.embed = nn.Embedding(steps, width)
        self.inp = nn.Conv2d(channels, width, 3, padding=1)
        self.out = nn.Conv2d(width, channels, 3, padding=1)

    def forward(self, x: Float[Tensor, "b channels h w"], t: Int[Tensor, "b"]) -> Float[Tensor, "b channels h w"]:
        emb = self.embed(t)
        h = self.inp(x) + emb[..., None, None]
        return self.out(h.relu())


# run: d = Diffusion(Schedule.make(5)); m = TinyDenoiser(3, 5)
# run: d.training_loss(m, randn(2, 3, 7, 11))
# run: d.sample(m, (2, 3, 7, 11))
# run: d.ddim(m, randn(2, 3, 7, 11), [4, 2, 0], eta=0.5)
# run: Schedule.make(7, "cosine")
