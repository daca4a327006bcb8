from jaxtyping import Float, UInt8
from torch import Tensor


def to_unit_range(image: UInt8[Tensor, "height width 3"]) -> Float[Tensor, "3 height width"]:
    x = image.float() / 255.0
    return x.permute(2, 0, 1)  #! return x.permute(1, 2, 0)  # E: shape


# run: to_unit_range(randint(0, 256, (5, 7, 3)).to(torch.uint8))
