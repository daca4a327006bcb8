import torch
from jaxtyping import Float
from torch import Tensor, nn


class Spectral(nn.Module):
    def __init__(self, cin: int, cout: int, modes: int) -> None:
        super().__init__()
        self.modes, self.cout = modes, cout
        self.weight = nn.Parameter(torch.randn(cin, cout, modes, dtype=torch.cfloat) / cin)  #! self.weight = nn.Parameter(torch.randn(cin, cout, modes) / cin)

    def forward(self, x: Float[Tensor, "b cin n"]) -> Float[Tensor, "b cout n"]:
        spectrum = torch.fft.rfft(x)[:, :, : self.modes]
        out = torch.zeros(x.shape[0], self.cout, x.shape[-1] // 2 + 1, dtype=torch.cfloat)
        out[:, :, : self.modes] = torch.einsum("bim,iom->bom", spectrum, self.weight)  # E: dtype
        return torch.fft.irfft(out, n=x.shape[-1])


# run: Spectral(3, 5, 4)(randn(2, 3, 17))
