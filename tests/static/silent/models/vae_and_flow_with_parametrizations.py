"""A variational autoencoder whose prior is a flow; weights are shared, parametrized and averaged."""

import copy
import math
from abc import ABC, abstractmethod
from typing import Callable, Literal, Optional, Union

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor
from torch.func import functional_call
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

Activation = Callable[[Tensor], Tensor]
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}


def mlp(sizes: list[int], act: Literal["relu", "tanh", "gelu"] = "relu", norm: bool = False) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            if norm:
                layers.append(nn.LayerNorm(b))
            layers.append(ACTIVATIONS[act]())
    return nn.Sequential(*layers)


class Bijection(nn.Module, ABC):
    @abstractmethod
    def forward(self, x: Float[Tensor, "b d"]) -> tuple[Float[Tensor, "b d"], Float[Tensor, "b"]]: ...

    @abstractmethod
    def inverse(self, y: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]: ...


class ActNorm(Bijection):
    def __init__(self, d: int):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(d))
        self.shift = nn.Parameter(torch.zeros(d))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _initialise(self, x: Float[Tensor, "b d"]) -> None:
        std, mean = torch.std_mean(x, dim=0)
        self.log_scale.copy_(-(std + 1e-6).log())
        self.shift.copy_(-mean * self.log_scale.exp())
        self.ready.fill_(True)

    def forward(self, x: Float[Tensor, "b d"]) -> tuple[Float[Tensor, "b d"], Float[Tensor, "b"]]:
        if self.training and not self.ready and x.shape[0] > 1:
            self._initialise(x)
        y = x * self.log_scale.exp() + self.shift
        return y, self.log_scale.sum().expand(x.shape[0])

    def inverse(self, y: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return (y - self.shift) * (-self.log_scale).exp()


class Coupling(Bijection):
    def __init__(self, d: int, hidden: int, flip: bool = False):
        super().__init__()
        self.split = d // 2
        self.flip = flip
        d_in, d_out = (d - self.split, self.split) if flip else (self.split, d - self.split)
        self.net = mlp([d_in, hidden, 2 * d_out], "gelu", norm=True)
        nn.init.zeros_(self.net[-1].weight)

    def _halves(self, x: Tensor) -> tuple[Tensor, Tensor]:
        a, b = x[:, : self.split], x[:, self.split :]
        return (b, a) if self.flip else (a, b)

    def _join(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.cat([b, a] if self.flip else [a, b], dim=1)

    def forward(self, x: Float[Tensor, "b d"]) -> tuple[Float[Tensor, "b d"], Float[Tensor, "b"]]:
        a, b = self._halves(x)
        log_s, t = self.net(a).chunk(2, dim=-1)
        log_s = 2 * torch.tanh(log_s / 2)
        return self._join(a, b * log_s.exp() + t), log_s.sum(-1)

    def inverse(self, y: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        a, b = self._halves(y)
        log_s, t = self.net(a).chunk(2, dim=-1)
        log_s = 2 * torch.tanh(log_s / 2)
        return self._join(a, (b - t) * (-log_s).exp())


class Flow(nn.Module):
    def __init__(self, d: int, depth: int, hidden: int = 32):
        super().__init__()
        steps: list[Bijection] = []
        for i in range(depth):
            steps += [ActNorm(d), Coupling(d, hidden, flip=bool(i % 2))]
        self.steps = nn.ModuleList(steps)
        self.d = d

    def log_prob(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:
        total = x.new_zeros(x.shape[0])
        for step in self.steps:
            x, logdet = step(x)
            total = total + logdet
        base = -0.5 * (x**2).sum(-1) - 0.5 * self.d * math.log(2 * math.pi)
        return base + total

    def sample(self, n: int) -> Float[Tensor, "n d"]:
        z = torch.randn(n, self.d)
        for step in reversed(self.steps):
            z = step.inverse(z)
        return z


class Symmetric(nn.Module):
    def forward(self, w: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
        return w.triu() + w.triu(1).mT

    def right_inverse(self, w: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
        return w.triu()


class VAE(nn.Module):
    def __init__(self, shape: tuple[int, int, int] = (1, 8, 8), latent: int = 6, hidden: int = 48):
        super().__init__()
        self.shape = shape
        self.latent = latent
        n = math.prod(shape)
        self.encoder = nn.Sequential(nn.Flatten(), weight_norm(nn.Linear(n, hidden)), nn.ReLU())
        self.mix = nn.Linear(hidden, hidden, bias=False)
        parametrize.register_parametrization(self.mix, "weight", Symmetric())
        self.mu, self.log_var = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(spectral_norm(nn.Linear(latent, hidden)), nn.ReLU(), nn.Linear(hidden, n))
        self.prior: Optional[Flow] = None

    def with_prior(self, depth: int) -> "VAE":
        self.prior = Flow(self.latent, depth)
        return self

    def encode(self, x: Float[Tensor, "b c h w"]) -> tuple[Float[Tensor, "b z"], Float[Tensor, "b z"]]:
        h = self.mix(self.encoder(x))
        return self.mu(h), self.log_var(h).clamp(-8, 8)

    def decode(self, z: Float[Tensor, "b z"]) -> Float[Tensor, "b c h w"]:
        return self.decoder(z).view(-1, *self.shape)

    def forward(self, x: Float[Tensor, "b c h w"], samples: int = 1) -> Float[Tensor, ""]:
        mu, log_var = self.encode(x)
        std = (0.5 * log_var).exp()
        eps = torch.randn(samples, *mu.shape)
        z = (mu + std * eps).flatten(0, 1)
        recon = self.decode(z)
        target = x.expand(samples, *x.shape).flatten(0, 1)
        nll = nn.functional.mse_loss(recon, target, reduction="none").flatten(1).sum(1)
        if self.prior is None:
            kl = 0.5 * (mu**2 + log_var.exp() - 1 - log_var).sum(-1)
        else:
            log_q = (-0.5 * (eps**2 + log_var + math.log(2 * math.pi))).sum(-1).flatten()
            kl = log_q - self.prior.log_prob(z)
        return nll.mean() + kl.mean()


class EMA:
    def __init__(self, model: nn.Module, decay: float = 0.99):
        self.shadow = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)
        for (name, sb), b in zip(self.shadow.named_buffers(), model.buffers()):
            if sb.dtype == torch.bool:
                sb.copy_(b)
            else:
                sb.mul_(self.decay).add_(b, alpha=1 - self.decay)


def perturbed(model: VAE, x: Float[Tensor, "b c h w"], scale: Union[float, Float[Tensor, ""]]) -> Float[Tensor, ""]:
    params = {k: v + scale * torch.randn_like(v) for k, v in model.named_parameters()}
    return functional_call(model, params, (x,))


def main() -> None:
    torch.manual_seed(0)
    vae = VAE().with_prior(2)
    ema = EMA(vae)
    opt = torch.optim.Adam(vae.parameters())
    for _ in range(2):
        x = torch.rand(4, 1, 8, 8)
        loss = vae(x, samples=3)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(vae)
    assert vae.prior is not None
    images = vae.decode(vae.prior.sample(5))
    assert images.shape == (5, *vae.shape)
    other = VAE(shape=(3, 4, 4), latent=2)
    print(other(torch.rand(2, 3, 4, 4)).item(), perturbed(vae, x, 0.01).item())


# run: main()
