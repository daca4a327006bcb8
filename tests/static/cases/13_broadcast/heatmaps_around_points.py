import torch
from jaxtyping import Float
from torch import Tensor


def heatmaps(points: Float[Tensor, "b n 2"], size: tuple[int, int]) -> Float[Tensor, "b n h w"]:
    rows, columns = torch.meshgrid(torch.arange(size[0]), torch.arange(size[1]), indexing="ij")
    rows = rows.unsqueeze(0).unsqueeze(0)  #! rows = rows.unsqueeze(1).unsqueeze(0)
    columns = columns.unsqueeze(0).unsqueeze(0)
    points = points.unsqueeze(2)
    squared = (columns - points[..., :1]) ** 2
    squared += (rows - points[..., 1:]) ** 2  #! squared += (rows - points[..., 1:]) ** 2  # E: shape
    return torch.exp(-squared)


# run: heatmaps(randn(2, 3, 2), (5, 4))
