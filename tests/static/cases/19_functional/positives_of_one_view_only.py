import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Augment:
    def __init__(self, size, p=0.5):
        self.size, self.p = size, p

    def __call__(self, x):
        top, left = torch.randint(0, 5, (2,)).tolist()
        x = x[..., top : top + self.size, left : left + self.size]
        if torch.rand(1) < self.p:
            x = x.flip(-1)
        return x + 0.05 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self, width=8, out=16, proj=10):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, out, 3, 2, 1), nn.BatchNorm2d(out), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.proj = nn.Sequential(nn.Linear(out, out), nn.ReLU(), nn.Linear(out, proj))

    def forward(self, x):
        h = self.backbone(x)
        return h, F.normalize(self.proj(h), dim=-1)


def nt_xent(za: Float[Tensor, "n d"], zb: Float[Tensor, "n d"], temperature: float = 0.5) -> Float[Tensor, ""]:
    n = za.shape[0]
    z = torch.cat([za, zb])
    sim = z @ z.T / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])  #! target = torch.arange(n) + n
    return F.cross_entropy(sim, target)  # E: shape


@torch.no_grad()
def knn_accuracy(bank, labels, query, query_labels, k=3):
    sim = F.normalize(query, dim=1) @ F.normalize(bank, dim=1).T
    nearest = labels[sim.topk(k, dim=1).indices]
    votes = F.one_hot(nearest, 4).sum(1).argmax(1)
    return (votes == query_labels).float().mean()


def main():
    model, aug = Encoder(), Augment(28)
    images = torch.rand(6, 3, 32, 32)
    (ha, za), (hb, zb) = model(aug(images)), model(aug(images))
    loss = nt_xent(za, zb)
    loss.backward()
    labels = torch.randint(0, 4, (6,))
    acc = knn_accuracy(ha.detach(), labels, hb.detach(), labels)
    return (loss + acc).item()


# run: main()
