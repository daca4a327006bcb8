import torch
from jaxtyping import Float, UInt8
from torch import Tensor


def normalise(
    img: UInt8[Tensor, "height width rgb=3"], mean: Float[Tensor, "rgb=3"], std: Float[Tensor, "rgb=3"]
) -> Float[Tensor, "rgb=3 height width"]:
    x = img.float() / 255
    x = (x - mean) / std
    return x.permute(2, 0, 1)


def batch(imgs: list[UInt8[Tensor, "h w 3"]]) -> Float[Tensor, "n 3 h w"]:
    mean = torch.tensor([0.485, 0.456, 0.406])
    std = torch.tensor([0.229, 0.224, 0.225])  #! std = torch.tensor([0.229, 0.224, 0.225, 1.0])
    return torch.stack([normalise(im, mean, std) for im in imgs])  # E: shape


# run: batch([torch.zeros(4,5,3, dtype=torch.uint8)]*2)
