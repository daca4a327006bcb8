import numpy as np
from jaxtyping import Float
from torch import Tensor


def span(x: Float[Tensor | np.ndarray, "n d"]) -> tuple[float, float]:
    return float(x.min()), float(x.max())


def plot_range(points: Float[Tensor, "b n d"]) -> tuple[float, float]:
    return span(points.flatten(0, 1))  #! return span(points)  # E: shape


# run: plot_range(randn(2, 3, 5))
