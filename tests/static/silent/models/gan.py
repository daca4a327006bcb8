"""A convolutional GAN with hinge loss, gradient penalty and an exponential moving average."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn, optim
from torch.nn.utils import spectral_norm


def weights_init(m: nn.Module) -> None:
    classname = m.__class__.__name__
    if classname.find("Conv") != -1 and hasattr(m, "weight"):
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


class Generator(nn.Module):
    def __init__(self, nz: int, ngf: int, nc: int) -> None:
        super().__init__()
        self.nz = nz
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z: Float[Tensor, "batch nz"]) -> Float[Tensor, "batch nc 16 16"]:
        return self.main(z[:, :, None, None])


class Discriminator(nn.Module):
    def __init__(self, nc: int, ndf: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            spectral_norm(nn.Conv2d(nc, ndf, 4, 2, 1)),
            nn.LeakyReLU(0.2, inplace=True),
            spectral_norm(nn.Conv2d(ndf, ndf * 2, 4, 2, 1)),
            nn.LeakyReLU(0.2, inplace=True),
        )
        self.head = nn.Conv2d(ndf * 2, 1, 4, 1, 0)

    def forward(self, x: Float[Tensor, "batch nc 16 16"]) -> Float[Tensor, "batch"]:
        h = self.features(x)
        return self.head(h).view(-1, 1).squeeze(1)


def hinge_d(real: Float[Tensor, "batch"], fake: Float[Tensor, "batch"]) -> Float[Tensor, ""]:
    return torch.relu(1.0 - real).mean() + torch.relu(1.0 + fake).mean()


def hinge_g(fake: Float[Tensor, "batch"]) -> Float[Tensor, ""]:
    return -fake.mean()


def gradient_penalty(
    disc: Discriminator, real: Float[Tensor, "batch nc 16 16"], fake: Float[Tensor, "batch nc 16 16"]
) -> Float[Tensor, ""]:
    alpha = torch.rand(real.size(0), 1, 1, 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = disc(mixed)
    grads = torch.autograd.grad(
        outputs=score, inputs=mixed, grad_outputs=torch.ones_like(score), create_graph=True
    )[0]
    norms = grads.view(grads.size(0), -1).norm(2, dim=1)
    return ((norms - 1) ** 2).mean()


@torch.no_grad()
def update_ema(target: nn.Module, source: nn.Module, decay: float = 0.999) -> None:
    for p_t, p_s in zip(target.parameters(), source.parameters()):
        p_t.mul_(decay).add_(p_s, alpha=1 - decay)
    for b_t, b_s in zip(target.buffers(), source.buffers()):
        b_t.copy_(b_s)


class Trainer:
    def __init__(self, nz: int = 7, ngf: int = 6, ndf: int = 5, nc: int = 3) -> None:
        self.g = Generator(nz, ngf, nc)
        self.d = Discriminator(nc, ndf)
        self.g.apply(weights_init)
        self.g_ema = copy.deepcopy(self.g)
        self.opt_g = optim.Adam(self.g.parameters(), lr=2e-4, betas=(0.0, 0.9))
        self.opt_d = optim.Adam(self.d.parameters(), lr=2e-4, betas=(0.0, 0.9))
        self.history: list[tuple[float, float]] = []

    def noise(self, n: int) -> Float[Tensor, "{n} nz"]:
        return torch.randn(n, self.g.nz)

    def step_d(self, real: Float[Tensor, "batch nc 16 16"], gp_weight: float = 10.0) -> float:
        with torch.no_grad():
            fake = self.g(self.noise(real.shape[0]))
        self.opt_d.zero_grad()
        loss = hinge_d(self.d(real), self.d(fake))
        if gp_weight > 0:
            loss = loss + gp_weight * gradient_penalty(self.d, real, fake)
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def step_g(self, batch: int) -> float:
        self.opt_g.zero_grad()
        loss = hinge_g(self.d(self.g(self.noise(batch))))
        loss.backward()
        self.opt_g.step()
        update_ema(self.g_ema, self.g)
        return float(loss)

    def fit(self, batches: Iterable[Float[Tensor, "batch nc 16 16"]], n_critic: int = 1) -> None:
        for i, real in enumerate(batches):
            d = self.step_d(real)
            if i % n_critic == 0:
                g = self.step_g(real.size(0))
            self.history.append((d, g))

    def samples(self, labels: Int[Tensor, "n"] | None = None, n: int = 4) -> Float[Tensor, "n nc 16 16"]:
        count = n if labels is None else len(labels)
        self.g_ema.eval()
        images = self.g_ema(self.noise(count))
        return images.clamp(-1, 1) * 0.5 + 0.5


def fake_data(n: int) -> Iterator[Float[Tensor, "3 nc=3 16 16"]]:
    for _ in range(n):
        yield torch.rand(3, 3, 16, 16) * 2 - 1


# run: t = Trainer(); t.fit(fake_data(2)); t.samples(); t.samples(randint(0, 3, (5,)))
