"""The annotation promises the colours alone, and the body also returns the depth: its callers are right."""

from jaxtyping import Float
from torch import Tensor


def render(
    colors: Float[Tensor, "batch 3 height width"], depth: Float[Tensor, "batch height width"]
) -> tuple[Float[Tensor, "batch 3 height width"], Float[Tensor, "batch height width"]]:  #! ) -> Float[Tensor, "batch 3 height width"]:
    return colors * depth[:, None], depth  # E: shape


def render_mean(
    colors: Float[Tensor, "batch 3 height width"], depth: Float[Tensor, "batch height width"]
) -> Float[Tensor, "batch height width"]:
    image, shown = render(colors, depth)
    return image.mean(dim=1) + shown


# run: render_mean(randn(2, 3, 4, 5), randn(2, 4, 5))
