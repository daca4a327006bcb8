import torch
from jaxtyping import Float
from torch import Tensor, nn

N_MELS = 80


class Prenet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(N_MELS, 384, kernel_size=3, padding=1)

    def forward(self, mel: Float[Tensor, f"b t {N_MELS}"]) -> Float[Tensor, "b t 384"]:
        return self.conv(mel.transpose(1, 2)).transpose(1, 2)  #! return self.conv(mel).transpose(1, 2)  # E: shape


# run: Prenet()(randn(2, 11, 80))
