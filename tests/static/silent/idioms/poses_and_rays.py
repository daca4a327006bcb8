"""Poses, points, rays: tensor classes with batch shapes, operators and class methods."""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Callable, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

T = TypeVar("T", bound="Batched")


class Batched:
    def map(self: T, fn: Callable[[Tensor], Tensor]) -> T:
        return replace(self, **{f.name: fn(getattr(self, f.name)) for f in fields(self)})  # type: ignore[type-var]

    def __getitem__(self: T, index: Any) -> T:
        return self.map(lambda t: t[index])

    def to(self: T, device: torch.device) -> T:
        return self.map(lambda t: t.to(device))


@dataclass(frozen=True)
class Pose(Batched):
    rot: Float[Tensor, "*b 3 3"]
    trans: Float[Tensor, "*b 3"]

    @classmethod
    def identity(cls, n: int) -> Pose:
        return cls(torch.eye(3).expand(n, 3, 3), torch.zeros(n, 3))

    @classmethod
    def from_matrix(cls, m: Float[Tensor, "*b 4 4"]) -> Pose:
        return cls(m[..., :3, :3], m[..., :3, 3])

    def inverse(self) -> Pose:
        rt = self.rot.mT
        return Pose(rt, -(rt @ self.trans[..., None])[..., 0])

    def compose(self, other: Pose) -> Pose:
        return Pose(self.rot @ other.rot, (self.rot @ other.trans[..., None])[..., 0] + self.trans)

    def __matmul__(self, other: Pose) -> Pose:
        return self.compose(other)

    def apply(self, pts: Float[Tensor, "*b n 3"]) -> Float[Tensor, "*b n 3"]:
        return pts @ self.rot.mT + self.trans[..., None, :]


@dataclass(frozen=True)
class Intrinsics(Batched):
    focal: Float[Tensor, "v 2"]
    centre: Float[Tensor, "v 2"]

    def matrix(self) -> Float[Tensor, "v 3 3"]:
        k = torch.zeros(*self.focal.shape[:-1], 3, 3)
        k[..., 0, 0], k[..., 1, 1] = self.focal.unbind(-1)
        k[..., :2, 2] = self.centre
        k[..., 2, 2] = 1
        return k

    def project(self, cam: Float[Tensor, "v n 3"]) -> Float[Tensor, "v n 2"]:
        uv = cam[..., :2] / cam[..., 2:].clamp(min=1e-6)
        return uv * self.focal[:, None] + self.centre[:, None]

    def unproject(self, uv: Float[Tensor, "v n 2"], depth: Float[Tensor, "v n"]) -> Float[Tensor, "v n 3"]:
        xy = (uv - self.centre[:, None]) / self.focal[:, None]
        return torch.cat([xy, torch.ones_like(xy[..., :1])], dim=-1) * depth[..., None]


@dataclass(frozen=True)
class Rays(Batched):
    origins: Float[Tensor, "r 3"]
    dirs: Float[Tensor, "r 3"]

    @property
    def unit(self) -> Float[Tensor, "r 3"]:
        return self.dirs / self.dirs.norm(dim=-1, keepdim=True)

    def at(self, t: Float[Tensor, "r s"]) -> Float[Tensor, "r s 3"]:
        return self.origins[:, None] + t[..., None] * self.unit[:, None]

    def hits(self, centre: Float[Tensor, "3"], radius: float) -> Bool[Tensor, "r"]:
        to = centre - self.origins
        along = (to * self.unit).sum(-1)
        closest = self.origins + along[:, None] * self.unit
        return (closest - centre).norm(dim=-1) < radius


def pixel_rays(pose: Pose, cam: Intrinsics, uv: Float[Tensor, "v n 2"]) -> Rays:
    v, n, _ = uv.shape
    dirs = cam.unproject(uv, torch.ones(v, n)) @ pose.rot.mT
    origins = pose.trans[:, None].expand(-1, n, -1)
    return Rays(origins.reshape(-1, 3), dirs.reshape(-1, 3))


def composite(sigma: Float[Tensor, "r s"], rgb: Float[Tensor, "r s 3"], t: Float[Tensor, "r s"]) -> tuple[Float[Tensor, "r 3"], Float[Tensor, "r"]]:
    delta = torch.cat([t.diff(dim=1), torch.full_like(t[:, :1], 1e2)], dim=1)
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha[:, :-1]], dim=1), dim=1)
    w = alpha * trans
    return (w[..., None] * rgb).sum(1), (w * t).sum(1)


def render(field: Callable[[Float[Tensor, "p 3"]], Float[Tensor, "p 4"]], rays: Rays, samples: int) -> tuple[Float[Tensor, "r 3"], Float[Tensor, "r"]]:
    r = rays.origins.shape[0]
    t = torch.linspace(0.1, 4.0, samples).expand(r, -1)
    pts = rays.at(t)
    out = field(pts.reshape(-1, 3)).unflatten(0, (r, samples))
    return composite(out[..., 3].relu(), out[..., :3].sigmoid(), t)


def reprojection(poses: Pose, cam: Intrinsics, pts: Float[Tensor, "n 3"], seen: Float[Tensor, "v n 2"], mask: Bool[Tensor, "v n"]) -> Float[Tensor, ""]:
    world = pts[None].expand(seen.shape[0], -1, -1)
    local = poses.inverse().apply(world)
    err = (cam.project(local) - seen).norm(dim=-1)
    return (err * mask).sum() / mask.sum()


def relative(poses: Pose) -> Pose:
    return poses[:-1].inverse() @ poses[1:]


def align(a: Float[Tensor, "n 3"], b: Float[Tensor, "n 3"]) -> Pose:
    ca, cb = a.mean(0), b.mean(0)
    u, _, vh = torch.linalg.svd((b - cb).T @ (a - ca))
    flip = torch.ones(3)
    flip[-1] = torch.sign(torch.det(u @ vh))
    rot = u @ torch.diag(flip) @ vh
    return Pose(rot, cb - rot @ ca)


# run: p = Pose.identity(2)
# run: cam = Intrinsics(torch.ones(2,2), torch.zeros(2,2))
# run: rays = pixel_rays(p, cam, torch.rand(2,5,2))
# run: render(lambda x: torch.rand(x.shape[0],4), rays, 3)
# run: reprojection(p, cam, torch.rand(4,3)+1, torch.rand(2,4,2), torch.ones(2,4).bool())
# run: relative(p)
# run: align(torch.randn(5,3), torch.randn(5,3)).apply(torch.randn(5,3))
# run: rays.hits(torch.zeros(3), 1.0)
