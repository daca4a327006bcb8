"""A radiance field on a multi-resolution grid with ray marching."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def get_ray_directions(height: int, width: int, focal: float) -> Float[Tensor, "height width 3"]:
    ys, xs = torch.meshgrid(torch.arange(height).float(), torch.arange(width).float(), indexing="ij")
    x = (xs - width / 2) / focal
    y = (ys - height / 2) / focal
    return torch.stack([x, -y, -torch.ones_like(x)], dim=-1)


def get_rays(directions: Float[Tensor, "h w 3"], c2w: Float[Tensor, "4 4"]) -> tuple[Float[Tensor, "n 3"], Float[Tensor, "n 3"]]:
    rays_d = directions @ c2w[:3, :3].T
    rays_d = F.normalize(rays_d, dim=-1).reshape(-1, 3)
    rays_o = c2w[:3, 3].expand_as(rays_d)
    return rays_o, rays_d


def ray_box(rays_o: Float[Tensor, "n 3"], rays_d: Float[Tensor, "n 3"], bound: float) -> tuple[Float[Tensor, "n"], Float[Tensor, "n"]]:
    inv = 1.0 / rays_d
    t0 = (-bound - rays_o) * inv
    t1 = (bound - rays_o) * inv
    near = torch.minimum(t0, t1).amax(dim=-1).clamp(min=0.05)
    far = torch.maximum(t0, t1).amin(dim=-1)
    return near, torch.maximum(far, near + 0.01)


class DenseGrid(nn.Module):
    def __init__(self, resolution: int, features: int):
        super().__init__()
        self.grid = nn.Parameter(0.1 * torch.randn(1, features, resolution, resolution, resolution))

    def forward(self, xyz: Float[Tensor, "points 3"]) -> Float[Tensor, "points features"]:
        coords = xyz.view(1, 1, 1, -1, 3)
        sampled = F.grid_sample(self.grid, coords, align_corners=True)
        return sampled[0, :, 0, 0].t()


class SphericalHarmonics(nn.Module):
    """Real spherical harmonics up to degree two."""

    def forward(self, d: Float[Tensor, "points 3"]) -> Float[Tensor, "points 9"]:
        x, y, z = d.unbind(dim=-1)
        basis = [
            torch.full_like(x, 0.2821),
            -0.4886 * y, 0.4886 * z, -0.4886 * x,
            1.0925 * x * y, -1.0925 * y * z, 0.3154 * (3 * z * z - 1), -1.0925 * x * z, 0.5463 * (x * x - y * y),
        ]
        return torch.stack(basis, dim=-1)


class RadianceField(nn.Module):
    def __init__(self, resolutions: tuple[int, ...] = (4, 8), features: int = 2, hidden: int = 16, geo: int = 7, bound: float = 1.0):
        super().__init__()
        self.bound = bound
        self.geo = geo
        self.grids = nn.ModuleList([DenseGrid(r, features) for r in resolutions])
        self.sigma_net = nn.Sequential(nn.Linear(len(resolutions) * features, hidden), nn.ReLU(), nn.Linear(hidden, 1 + geo))
        self.sh = SphericalHarmonics()
        self.color_net = nn.Sequential(nn.Linear(9 + geo, hidden), nn.ReLU(), nn.Linear(hidden, 3), nn.Sigmoid())

    def density(self, xyz: Float[Tensor, "points 3"]) -> tuple[Float[Tensor, "points"], Float[Tensor, "points geo"]]:
        encoded = torch.cat([grid(xyz / self.bound) for grid in self.grids], dim=-1)
        h = self.sigma_net(encoded)
        return F.softplus(h[:, 0]), h[:, 1:]

    def forward(self, xyz: Float[Tensor, "points 3"], d: Float[Tensor, "points 3"]) -> tuple[Float[Tensor, "points"], Float[Tensor, "points 3"]]:
        sigma, geo = self.density(xyz)
        rgb = self.color_net(torch.cat([self.sh(d), geo], dim=-1))
        return sigma, rgb


def sample_along_rays(near: Float[Tensor, "n"], far: Float[Tensor, "n"], samples: int, perturb: bool) -> Float[Tensor, "n samples"]:
    steps = torch.linspace(0, 1, samples)
    t = near[:, None] * (1 - steps) + far[:, None] * steps
    if perturb:
        t = t + torch.rand_like(t) * ((far - near) / samples).unsqueeze(-1)
    return t


def volume_render(
    sigma: Float[Tensor, "n samples"], rgb: Float[Tensor, "n samples 3"], t: Float[Tensor, "n samples"],
) -> tuple[Float[Tensor, "n 3"], Float[Tensor, "n"], Float[Tensor, "n samples"]]:
    deltas = torch.cat([t[:, 1:] - t[:, :-1], torch.full_like(t[:, :1], 1e10)], dim=1)
    alpha = 1 - torch.exp(-sigma * deltas)
    shifted = torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], dim=1)
    weights = alpha * torch.cumprod(shifted, dim=1)[:, :-1]
    color = (weights[..., None] * rgb).sum(dim=1)
    depth = (weights * t).sum(dim=1)
    background = 1 - weights.sum(dim=1, keepdim=True)
    return color + background, depth, weights


def render_rays(field: RadianceField, rays_o: Float[Tensor, "n 3"], rays_d: Float[Tensor, "n 3"], samples: int = 8) -> dict[str, Float[Tensor, "n ..."]]:
    near, far = ray_box(rays_o, rays_d, field.bound)
    t = sample_along_rays(near, far, samples, field.training)
    xyz = rays_o[:, None, :] + rays_d[:, None, :] * t[..., None]
    dirs = rays_d[:, None, :].expand_as(xyz)
    sigma, rgb = field(xyz.reshape(-1, 3), dirs.reshape(-1, 3))
    color, depth, weights = volume_render(sigma.view(-1, samples), rgb.view(-1, samples, 3), t)
    return {"color": color, "depth": depth, "weights": weights}


def distortion_loss(weights: Float[Tensor, "n samples"], t: Float[Tensor, "n samples"]) -> Float[Tensor, ""]:
    gaps = (t[:, :, None] - t[:, None, :]).abs()
    inter = (weights[:, :, None] * weights[:, None, :] * gaps).sum(dim=(1, 2))
    return inter.mean()


def occupancy(field: RadianceField, resolution: int, threshold: float = 0.01) -> Bool[Tensor, "r r r"]:
    axis = torch.linspace(-1, 1, resolution)
    grid = torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), dim=-1)
    sigma, _ = field.density(grid.reshape(-1, 3))
    return sigma.view(resolution, resolution, resolution) > threshold


def train_step(field: RadianceField, optimizer: torch.optim.Optimizer, image: Float[Tensor, "h w 3"], c2w: Float[Tensor, "4 4"], batch: int) -> float:
    height, width, _ = image.shape
    rays_o, rays_d = get_rays(get_ray_directions(height, width, float(width)), c2w)
    pick: Int[Tensor, "batch"] = torch.randint(0, height * width, (batch,))
    out = render_rays(field, rays_o[pick], rays_d[pick])
    loss = F.mse_loss(out["color"], image.reshape(-1, 3)[pick])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# run: f = RadianceField(); train_step(f, torch.optim.Adam(f.parameters()), torch.rand(6, 7, 3), torch.eye(4), 5)
# run: o = render_rays(f, torch.zeros(5, 3), F.normalize(randn(5, 3), dim=-1)); distortion_loss(o["weights"], torch.rand(5, 8)); occupancy(f, 3)
