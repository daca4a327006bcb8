import torch
from jaxtyping import Float
from torch import Tensor, nn


class Field(nn.Module):
    def __init__(self, width: int = 32, pos_dim: int = 63, dir_dim: int = 27, skips: tuple[int, ...] = (1,)) -> None:
        super().__init__()
        self.skips = skips
        self.layers = nn.ModuleList(
            [nn.Linear(pos_dim, width)]
            + [nn.Linear(width + pos_dim if i in skips else width, width) for i in range(3)]
        )
        self.feature = nn.Linear(width, width)
        self.views = nn.Linear(width + dir_dim, width // 2)  #! self.views = nn.Linear(width, width // 2)
        self.rgb = nn.Linear(width // 2, 3)

    def forward(self, pts: Float[Tensor, "n pos_dim"], dirs: Float[Tensor, "n dir_dim"]) -> Float[Tensor, "n 3"]:
        h = pts
        for i, layer in enumerate(self.layers):
            h = layer(h).relu()
            if i in self.skips:
                h = torch.cat([pts, h], -1)
        h = torch.cat([self.feature(h), dirs], -1)
        return self.rgb(self.views(h).relu())  # E: shape


# run: Field()(randn(5, 63), randn(5, 27))
