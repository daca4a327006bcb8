import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def make_grid(h, w):
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    return torch.stack((xs, ys), dim=-1)


def warp(image: Float[Tensor, "b c h w"], flow: Float[Tensor, "b 2 h w"]) -> Float[Tensor, "b c h w"]:
    b, c, h, w = image.shape
    grid = make_grid(h, w).unsqueeze(0) + flow.permute(0, 2, 3, 1)
    return F.grid_sample(image, grid, align_corners=True)


def pyramid(image: Float[Tensor, "b c h w"], levels: int) -> list[Tensor]:
    out = [image]
    for _ in range(levels - 1):
        out.append(F.avg_pool2d(out[-1], 2, ceil_mode=True))
    return out


def upsample_flow(flow, size):
    scale = torch.tensor([size[1] / flow.shape[-1], size[0] / flow.shape[-2]]).view(1, 2, 1, 1)
    return F.interpolate(flow, size=size, mode="bilinear", align_corners=False) * scale


def photometric(a: Float[Tensor, "b c h w"], b: Float[Tensor, "b c h w"]) -> Float[Tensor, ""]:
    weights = torch.exp(-(a - b).abs().mean(1, keepdim=True))
    return (weights * (a - b).abs()).mean()


def unfold_census(x: Float[Tensor, "b 1 h w"]) -> Float[Tensor, "b 9 h w"]:
    patches = F.unfold(x, 3, padding=1)  #! patches = F.unfold(x, 3)
    return (patches - x.flatten(2)).view(x.shape[0], 9, x.shape[2], x.shape[3])  # E: shape


def main():
    first, second = torch.rand(2, 3, 17, 23), torch.rand(2, 3, 17, 23)
    flow = torch.zeros(2, 2, 5, 6)
    total = 0.0
    for a, b in zip(reversed(pyramid(first, 3)), reversed(pyramid(second, 3))):
        flow = upsample_flow(flow, a.shape[-2:])
        total += photometric(a, warp(b, flow)).item()
    gray = first.mean(1, keepdim=True)
    return total + unfold_census(gray).sum().item()


# run: main()
