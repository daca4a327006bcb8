import torch
from torch import Tensor


def made(spec: int | str | list[int] | dict[str, int]) -> Tensor:
    match spec:
        case 0 | 1:
            return torch.zeros(1)
        case int(n) if n > 3:
            return torch.zeros(n, 2)
        case [rows, *_, columns]:
            return torch.zeros(rows, columns)
        case {"width": width, "height": height}:
            return torch.zeros(height, width)
        case str(text):
            return torch.zeros(len(text), 3)
    return torch.zeros(3)


def main() -> Tensor:
    a = made(5).T @ made([5, 0, 7])
    b = made({"width": 7, "height": 2, "depth": 1})  #! b = made({"width": 2, "height": 7, "depth": 1})
    return made("four").T[:2] @ torch.zeros(4, 7) + a + b + made(1)  # E: shape


# run: main()
