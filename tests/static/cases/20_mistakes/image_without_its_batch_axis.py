import torch
from jaxtyping import Float
from torch import Tensor


def brightness(images: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch"]:
    return images.mean(dim=(1, 2, 3))


def main() -> None:
    image = torch.rand(3, 32, 32)
    print(brightness(image.unsqueeze(0)))  #! print(brightness(image))  # E: shape


# run: main()
