import torch
from torch import Tensor


def layout(images: list[Tensor], columns: int) -> Tensor:
    rows, left = divmod(len(images), columns)
    if left:
        images = images + [torch.zeros_like(images[0])] * (columns - left)
        rows += 1
    cells = torch.stack(images).unflatten(0, (rows, columns))
    return cells.permute(0, 2, 1, 3).flatten(2).flatten(0, 1)


def main() -> Tensor:
    sheet = layout([torch.randn(4, 6) for _ in range(7)], 3)
    return sheet + torch.zeros(12, 18)  #! return sheet + torch.zeros(8, 18)  # E: shape


# run: main()
