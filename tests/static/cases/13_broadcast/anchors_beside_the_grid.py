import torch
from torch import nn


class YOLOHead(nn.Module):
    def __init__(self, ch, anchors, classes, stride):
        super().__init__()
        self.na, self.no, self.stride = len(anchors), classes + 5, stride
        self.conv = nn.Conv2d(ch, self.na * self.no, 1)
        self.register_buffer("anchors", torch.tensor(anchors).float())

    def forward(self, x):
        b, _, h, w = x.shape
        p = self.conv(x).view(b, self.na, self.no, h, w).permute(0, 1, 3, 4, 2)
        yv, xv = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack((xv, yv), 2).float()
        xy = (p[..., :2].sigmoid() + grid) * self.stride
        wh = p[..., 2:4].exp() * self.anchors.view(1, self.na, 1, 1, 2)  #! wh = p[..., 2:4].exp() * self.anchors
        return torch.cat([xy, wh, p[..., 4:].sigmoid()], -1).reshape(b, -1, self.no)


def main():
    head = YOLOHead(64, [(10, 13), (16, 30), (33, 23)], 20, 8)
    return head(torch.randn(2, 64, 10, 12))  # E: shape


# run: main()
