import torch
from jaxtyping import Float
from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    def __init__(self, n_freqs, include_input=True):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(n_freqs))
        self.include_input = include_input

    def out_dim(self, d):
        return d * (2 * len(self.freqs) + int(self.include_input))

    def forward(self, x):
        xb = (x[..., None, :] * self.freqs[:, None]).flatten(-2)
        out = [xb.sin(), xb.cos()]
        if self.include_input:
            out.insert(0, x)
        return torch.cat(out, dim=-1)


class NeRF(nn.Module):
    def __init__(self, depth=4, width=32, skips=(2,), freqs_x=4, freqs_d=2):
        super().__init__()
        self.enc_x, self.enc_d = PositionalEncoding(freqs_x), PositionalEncoding(freqs_d)
        dim_x, dim_d = self.enc_x.out_dim(3), self.enc_d.out_dim(3)
        self.skips = skips
        self.layers = nn.ModuleList()
        for i in range(depth):
            inp = dim_x if i == 0 else width + dim_x if i in skips else width
            self.layers.append(nn.Linear(inp, width))
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Sequential(nn.Linear(width + dim_d, width // 2), nn.ReLU(), nn.Linear(width // 2, 3))

    def forward(self, x, d):
        ex, ed = self.enc_x(x), self.enc_d(d)
        h = ex
        for i, layer in enumerate(self.layers):
            if i in self.skips:
                h = torch.cat([h, ex], dim=-1)
            h = layer(h).relu()
        rgb = self.rgb(torch.cat([h, ed], dim=-1)).sigmoid()
        return rgb, self.sigma(h).squeeze(-1).relu()


def render_rays(
    model, origins: Float[Tensor, "rays 3"], dirs: Float[Tensor, "rays 3"], near: float, far: float, samples: int
) -> tuple[Float[Tensor, "rays 3"], Float[Tensor, "rays"]]:
    t = torch.linspace(near, far, samples)
    points = origins[:, None] + dirs[:, None] * t[:, None]
    rgb, sigma = model(points, dirs[:, None].expand_as(points))
    delta = torch.cat([t[1:] - t[:-1], torch.tensor([1e10])])
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], dim=-1), dim=-1)[:, :-1]  #! trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], dim=-1), dim=-1)
    weights = alpha * trans  # E: shape
    return (weights[..., None] * rgb).sum(1), (weights * t).sum(1)


def main():
    model = NeRF()
    origins, dirs = torch.zeros(6, 3), torch.randn(6, 3)
    rgb, depth = render_rays(model, origins, dirs, 2.0, 6.0, 9)
    return (rgb.mean() + depth.mean()).item()


# run: main()
