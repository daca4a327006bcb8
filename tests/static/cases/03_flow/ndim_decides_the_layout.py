from jaxtyping import Float
from torch import Tensor


def to_batched(image: Tensor) -> Float[Tensor, "b c h w"]:
    if image.ndim == 3:
        image = image.unsqueeze(0)
    elif image.ndim == 2:
        image = image[None, None]
    assert image.ndim == 4
    return image


def to_channels_last(image: Tensor) -> Float[Tensor, "b h w c"]:
    image = to_batched(image)
    assert image.ndim == 4
    return image.permute(0, 2, 3, 1)  #! return image.permute(0, 2, 1)  # E: shape


# run: to_channels_last(randn(3, 5, 7))
