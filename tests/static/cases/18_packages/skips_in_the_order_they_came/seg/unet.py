from jaxtyping import Float
from torch import Tensor, nn

from seg.blocks import ConvBlock, Up
from seg.config import Config


class UNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        enc = cfg.encoder
        self.downs = nn.ModuleList()
        cin = enc.in_channels
        for width in enc.widths:
            self.downs.append(ConvBlock(cin, width, norm=enc.norm))
            cin = width
        self.bottleneck = ConvBlock(cin, 2 * cin, norm=enc.norm)
        self.ups = nn.ModuleList()
        cin = 2 * cin
        for width in reversed(enc.widths):
            self.ups.append(Up(cin, width, width, norm=enc.norm))
            cin = width
        self.head = nn.Conv2d(cin, cfg.num_classes, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b classes h w"]:
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        for up, skip in zip(self.ups, reversed(skips)):  #! for up, skip in zip(self.ups, skips):
            x = up(x, skip)
        return self.head(x)
