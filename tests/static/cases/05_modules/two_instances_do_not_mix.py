from jaxtyping import Float
from torch import Tensor, nn


class Adapter(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.proj = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
        return self.proj(x)


class TwoTower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.image = Adapter(512, 64)
        self.text = Adapter(256, 64)

    def forward(
        self, image: Float[Tensor, "n 512"], text: Float[Tensor, "n 256"]
    ) -> Float[Tensor, "n n"]:
        return self.image(image) @ self.text(text).T  #! return self.text(image) @ self.text(text).T  # E: shape


# run: TwoTower()(randn(3, 512), randn(3, 256))
