from jaxtyping import Float
from torch import Tensor, nn


class MultiScale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, 256, 1) for c in (256, 512, 1024)])

    def forward(
        self, c3: Float[Tensor, "b 256 h w"], c4: Float[Tensor, "b 512 h//2 w//2"]
    ) -> Float[Tensor, "b 256 h w"]:
        p4 = self.lateral[1](c4)
        top = nn.functional.interpolate(p4, size=c3.shape[-2:])
        return self.lateral[0](c3) + top  #! return self.lateral[1](c3) + top  # E: shape


# run: MultiScale()(randn(2, 256, 8, 6), randn(2, 512, 4, 3))
