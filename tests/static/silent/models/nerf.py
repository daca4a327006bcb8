"""Radiance fields: rays, hierarchical samples, volume rendering, all with any leading batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


@dataclass
class RayBundle:
    origins: Float[Tensor, "*batch 3"]
    directions: Float[Tensor, "*batch 3"]
    nears: Optional[Float[Tensor, "*batch 1"]] = None
    fars: Optional[Float[Tensor, "*batch 1"]] = None

    def __len__(self) -> int:
        return self.origins.numel() // self.origins.shape[-1]

    def at(self, t: Float[Tensor, "*batch samples"]) -> Float[Tensor, "*batch samples 3"]:
        return self.origins[..., None, :] + self.directions[..., None, :] * t[..., None]


@dataclass
class Rendered:
    rgb: Float[Tensor, "*batch 3"]
    depth: Float[Tensor, "*batch 1"]
    accumulation: Float[Tensor, "*batch 1"]


def camera_rays(height: int, width: int, focal: float, c2w: Float[Tensor, "3 4"]) -> RayBundle:
    v, u = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    dirs = torch.stack([(u - width * 0.5) / focal, -(v - height * 0.5) / focal, -torch.ones(height, width)], dim=-1)
    world = (dirs[..., None, :] * c2w[:3, :3]).sum(-1)
    world = F.normalize(world, dim=-1)
    origins = c2w[:3, -1].expand(world.shape)
    return RayBundle(origins, world)


def get_rays(bundle: RayBundle, index: Int[Tensor, "rays 2"]) -> RayBundle:
    rows, cols = index[:, 0], index[:, 1]
    return RayBundle(bundle.origins[rows, cols], bundle.directions[rows, cols])


class FrequencyEncoding(nn.Module):
    def __init__(self, in_dim: int, levels: int, include_input: bool = True) -> None:
        super().__init__()
        self.in_dim, self.levels, self.include_input = in_dim, levels, include_input
        self.register_buffer("freqs", 2.0 ** torch.linspace(0, levels - 1, levels))

    @property
    def out_dim(self) -> int:
        return self.in_dim * (2 * self.levels + int(self.include_input))

    def forward(self, x: Float[Tensor, "*batch in_dim"]) -> Float[Tensor, "*batch out_dim"]:
        scaled = x[..., None] * self.freqs
        scaled = scaled.reshape(*scaled.shape[:-2], -1)
        encoded = torch.cat([scaled.sin(), scaled.cos()], dim=-1)
        if self.include_input:
            encoded = torch.cat([x, encoded], dim=-1)
        return encoded


class Field(nn.Module):
    def __init__(self, width: int = 13) -> None:
        super().__init__()
        self.pos = FrequencyEncoding(3, 4)
        self.dir = FrequencyEncoding(3, 2)
        self.base = nn.Sequential(nn.Linear(self.pos.out_dim, width), nn.ReLU(), nn.Linear(width, width + 1))
        self.head = nn.Sequential(nn.Linear(width + self.dir.out_dim, width), nn.ReLU(), nn.Linear(width, 3))

    def forward(
        self, x: Float[Tensor, "*batch 3"], d: Float[Tensor, "*batch 3"]
    ) -> tuple[Float[Tensor, "*batch 3"], Float[Tensor, "*batch"]]:
        h = self.base(self.pos(x))
        sigma = F.softplus(h[..., 0])
        feature = torch.cat([h[..., 1:], self.dir(d)], dim=-1)
        return self.head(feature).sigmoid(), sigma


def stratified(near: float, far: float, batch: tuple[int, ...], n: int) -> Float[Tensor, "*batch {n}"]:
    edges = torch.linspace(near, far, n + 1)
    lower, upper = edges[:-1], edges[1:]
    return lower + (upper - lower) * torch.rand(*batch, n)


def sample_pdf(
    bins: Float[Tensor, "*batch edges"], weights: Float[Tensor, "*batch edges-1"], n: int
) -> Float[Tensor, "*batch {n}"]:
    pdf = (weights + 1e-5) / (weights + 1e-5).sum(-1, keepdim=True)
    cdf = torch.cumsum(pdf, -1)
    cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], -1)
    u = torch.rand(*cdf.shape[:-1], n)
    index = torch.searchsorted(cdf.contiguous(), u.contiguous(), right=True)
    below = (index - 1).clamp(min=0)
    above = index.clamp(max=cdf.shape[-1] - 1)
    cdf0, cdf1 = cdf.gather(-1, below), cdf.gather(-1, above)
    bin0, bin1 = bins.gather(-1, below), bins.gather(-1, above)
    t = (u - cdf0) / (cdf1 - cdf0).clamp(min=1e-5)
    return bin0 + t * (bin1 - bin0)


def render_weights(
    sigma: Float[Tensor, "*batch samples"], t: Float[Tensor, "*batch samples"]
) -> Float[Tensor, "*batch samples"]:
    delta = t[..., 1:] - t[..., :-1]
    delta = torch.cat([delta, torch.full_like(delta[..., :1], 1e10)], dim=-1)
    alpha = 1 - torch.exp(-sigma * delta)
    survival = torch.cumprod(1 - alpha + 1e-10, dim=-1)
    before = torch.cat([torch.ones_like(survival[..., :1]), survival[..., :-1]], dim=-1)
    return alpha * before


def composite(
    rgb: Float[Tensor, "*batch samples 3"], weights: Float[Tensor, "*batch samples"], t: Float[Tensor, "*batch samples"]
) -> Rendered:
    colour = (weights[..., None] * rgb).sum(dim=-2)
    depth = (weights * t).sum(dim=-1, keepdim=True)
    acc = weights.sum(dim=-1, keepdim=True)
    return Rendered(colour + (1 - acc), depth, acc)


def render(field: Field, rays: RayBundle, coarse: int, fine: int) -> Rendered:
    batch = rays.origins.shape[:-1]
    t = stratified(2.0, 6.0, tuple(batch), coarse)
    direction = F.normalize(rays.directions, dim=-1)
    with torch.no_grad():
        x = rays.at(t)
        _, sigma = field(x, direction.unsqueeze(-2).expand_as(x))
        weights = render_weights(sigma, t)
        middle = 0.5 * (t[..., 1:] + t[..., :-1])
        extra = sample_pdf(middle, weights[..., 1:-1], fine)
    t, _ = torch.sort(torch.cat([t, extra], dim=-1), dim=-1)
    x = rays.at(t)
    rgb, sigma = field(x, direction[..., None, :].expand_as(x))
    return composite(rgb, render_weights(sigma, t), t)


def photometric(rendered: Rendered, target: Float[Tensor, "rays 3"], mask: Bool[Tensor, "rays"]) -> Float[Tensor, ""]:
    error = (rendered.rgb - target).square().mean(-1)
    return (error * mask).sum() / mask.sum().clamp(min=1)


# run: rays = camera_rays(5, 7, 3.0, randn(3, 4)); out = render(Field(), rays, 11, 13)
# run: some = get_rays(rays, randint(0, 5, (3, 2)))
# run: photometric(render(Field(), some, 7, 5), torch.rand(3, 3), torch.tensor([True, False, True]))
