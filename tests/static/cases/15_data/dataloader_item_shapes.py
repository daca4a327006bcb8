import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, series: Float[Tensor, "t d"], length: int) -> None:
        self.series = series
        self.length = length

    def __len__(self) -> int:
        return self.series.shape[0] - self.length

    def __getitem__(self, index: int) -> tuple[Float[Tensor, "length d"], Float[Tensor, "d"]]:
        x = self.series[index : index + self.length]
        return x, self.series[index + self.length]  #! return x, self.series  # E: shape


# run: Windows(randn(11, 3), 4)[0]
