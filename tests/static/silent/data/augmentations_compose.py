import math
import random
from typing import Callable, Sequence, Union

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, UInt8
from torch import Tensor

Image = Float[Tensor, "c _ _"]
Transform = Callable[[Image], Image]


class Compose:
    def __init__(self, *transforms: Transform):
        self.transforms = transforms

    def __call__(self, x: Image) -> Image:
        for t in self.transforms:
            x = t(x)
        return x


class RandomCrop:
    def __init__(self, size: int, padding: int = 0):
        self.size, self.padding = size, padding

    def __call__(self, img: Image) -> Float[Tensor, "c {self.size} {self.size}"]:
        if self.padding > 0:
            img = F.pad(img, [self.padding] * 4, mode="constant")
        _, h, w = img.shape
        top = random.randint(0, h - self.size)
        left = random.randint(0, w - self.size)
        return img[:, top : top + self.size, left : left + self.size]


class HorizontalFlip:
    def __init__(self, p: float = 0.5):
        self.p = p

    def __call__(self, img: Image) -> Image:
        return img.flip(-1) if random.random() < self.p else img


class Normalize:
    def __init__(self, mean: Sequence[float], std: Sequence[float]):
        self.mean = torch.tensor(mean)[:, None, None]
        self.std = torch.tensor(std).view(-1, 1, 1)

    def __call__(self, img: Float[Tensor, "*batch c h w"]) -> Float[Tensor, "*batch c h w"]:
        return (img - self.mean) / self.std


class Cutout:
    def __call__(self, img: Image) -> Image:
        img = img.clone()
        _, h, w = img.shape
        y, x = random.randrange(h), random.randrange(w)
        img[:, max(0, y - 2) : y + 2, max(0, x - 2) : x + 2] = 0.0
        return img


def rotation_matrix(angle: Union[float, Float[Tensor, ""]]) -> Float[Tensor, "2 3"]:
    c, s = math.cos(float(angle)), math.sin(float(angle))
    return torch.tensor([[c, -s, 0.0], [s, c, 0.0]])


def rotate(img: Image, angle: float) -> Image:
    theta = rotation_matrix(angle)[None]
    grid = F.affine_grid(theta, [1, *img.shape], align_corners=False)
    return F.grid_sample(img[None], grid, align_corners=False)[0]


def mixup(
    x: Float[Tensor, "b c h w"], y: Int[Tensor, "b"], classes: int, alpha: float = 0.2
) -> tuple[Float[Tensor, "b c h w"], Float[Tensor, "b {classes}"]]:
    lam = torch.distributions.Beta(alpha, alpha).sample((x.shape[0],))
    perm = torch.randperm(x.shape[0])
    onehot = F.one_hot(y, classes).float()
    xl = lam.view(-1, 1, 1, 1)
    yl = lam.unsqueeze(1)
    return xl * x + (1 - xl) * x[perm], yl * onehot + (1 - yl) * onehot[perm]


def to_float(img: UInt8[Tensor, "h w c"]) -> Image:
    return img.permute(2, 0, 1).contiguous().float().div_(255)


pipeline = Compose(RandomCrop(8, padding=2), HorizontalFlip(), Normalize((0.5,) * 3, (0.2, 0.2, 0.2)), Cutout())


def batch(images: list[UInt8[Tensor, "h w 3"]]) -> Float[Tensor, "n 3 8 8"]:
    return torch.stack([pipeline(to_float(i)) for i in images])


# run: batch([randint(0, 255, (11, 13, 3)).to(torch.uint8) for _ in range(3)])
# run: rotate(randn(3, 5, 7), 0.3); mixup(randn(5, 3, 7, 11), randint(0, 4, (5,)), 4)
