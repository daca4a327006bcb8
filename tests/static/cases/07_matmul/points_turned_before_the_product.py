import torch
from torch import nn


class TNet(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.mlp = nn.Sequential(nn.Conv1d(k, 64, 1), nn.ReLU(), nn.Conv1d(64, 128, 1))
        self.fc = nn.Linear(128, k * k)

    def forward(self, x):
        h = self.mlp(x).max(-1)[0]
        return self.fc(h).view(-1, self.k, self.k) + torch.eye(self.k)


class PointNet(nn.Module):
    def __init__(self, classes=40):
        super().__init__()
        self.t3 = TNet(3)
        self.conv = nn.Conv1d(3, 256, 1)
        self.head = nn.Linear(256, classes)

    def forward(self, pts):
        x = pts.transpose(1, 2)
        x = torch.bmm(pts, self.t3(x)).transpose(1, 2)  #! x = torch.bmm(x, self.t3(x)).transpose(1, 2)
        return self.head(self.conv(x).amax(-1))


def main():
    return PointNet()(torch.randn(4, 1024, 3))  # E: shape


# run: main()
