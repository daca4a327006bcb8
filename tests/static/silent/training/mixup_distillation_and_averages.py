from __future__ import annotations

import contextlib
import copy
from collections import defaultdict

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_, parameters_to_vector, vector_to_parameters
from torch.nn.utils.parametrizations import orthogonal, spectral_norm
from torch.optim import AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, d: int, drop: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Dropout(drop), nn.Linear(2 * d, d))
        self.scale = nn.Parameter(torch.full((d,), 1e-4))

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return x + self.scale * self.ff(self.norm(x))


class Net(nn.Module):
    def __init__(self, d_in: int, d: int, classes: int, depth: int) -> None:
        super().__init__()
        self.stem = orthogonal(nn.Linear(d_in, d))
        self.blocks = nn.ModuleList([Block(d) for _ in range(depth)])
        self.head = spectral_norm(nn.Linear(d, classes))
        self.apply(self._init)

    @staticmethod
    def _init(m: nn.Module) -> None:
        if isinstance(m, nn.LayerNorm):
            nn.init.ones_(m.weight)

    def forward(self, x: Float[Tensor, "b d_in"], *, ckpt: bool = False) -> Float[Tensor, "b classes"]:
        h = self.stem(x)
        for block in self.blocks:
            h = checkpoint(block, h, use_reentrant=False) if ckpt else block(h)
        return self.head(h)


def param_groups(model: nn.Module, wd: float) -> list[dict[str, object]]:
    decay = [p for p in model.parameters() if p.ndim >= 2]
    rest = [p for p in model.parameters() if p.ndim < 2]
    return [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]


def mixup(x: Float[Tensor, "b d"], y: Int[Tensor, "b"], k: int, alpha: float) -> tuple[Float[Tensor, "b d"], Float[Tensor, "b k"]]:
    lam = torch.distributions.Beta(alpha, alpha).sample((len(x),))
    perm = torch.randperm(len(x))
    hot = F.one_hot(y, k).float()
    mixed = lam[:, None] * x + (1 - lam[:, None]) * x[perm]
    target = torch.lerp(hot[perm], hot, lam.unsqueeze(1))
    return mixed, target


def distill(s: Float[Tensor, "b k"], t: Float[Tensor, "b k"], temp: float) -> Float[Tensor, ""]:
    return F.kl_div((s / temp).log_softmax(-1), (t / temp).softmax(-1), reduction="batchmean") * temp**2


def fgsm(model: Net, x: Float[Tensor, "b d"], y: Int[Tensor, "b"], eps: float) -> Float[Tensor, "b d"]:
    x = x.detach().requires_grad_()
    loss = F.cross_entropy(model(x), y)
    (g,) = torch.autograd.grad(loss, x)
    return (x + eps * g.sign()).clamp(-1, 1).detach()


def penalty(critic: nn.Module, a: Float[Tensor, "b d"], b: Float[Tensor, "b d"]) -> Float[Tensor, ""]:
    t = torch.rand(a.size(0), 1)
    mid = (t * a + (1 - t) * b).requires_grad_(True)
    out = critic(mid)
    g = torch.autograd.grad(out.sum(), mid, create_graph=True)[0]
    return (g.norm(2, dim=1) - 1).square().mean()


def train(x: Float[Tensor, "n d"], y: Int[Tensor, "n"], k: int) -> dict[str, Tensor]:
    model = Net(x.shape[1], 8, k, 2)
    teacher = copy.deepcopy(model).eval().requires_grad_(False)
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    opt = AdamW(param_groups(model, 0.1), lr=1e-3, betas=(0.9, 0.95))
    sched = SequentialLR(opt, [LinearLR(opt, 0.1, 1.0, 2), CosineAnnealingLR(opt, 8)], milestones=[2])
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    log: dict[str, list[Tensor]] = defaultdict(list)
    for step in range(4):
        xb, yb = x[step::4], y[step::4]
        mixed, target = mixup(xb, yb, k, 0.4)
        ctx = torch.autocast("cpu", torch.bfloat16) if step % 2 else contextlib.nullcontext()
        with ctx:
            logits = model(mixed, ckpt=bool(step % 2))
        ce = F.cross_entropy(logits.float(), target, label_smoothing=0.1)
        with torch.no_grad():
            t = teacher(mixed)
        loss = ce + 0.5 * distill(logits.float(), t, 2.0)
        opt.zero_grad()
        scaler.scale(loss / 2).backward()
        norm = clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        sched.step()
        ema.update_parameters(model)
        log["loss"].append(loss.detach())
        log["norm"].append(norm)
    curves = {key: torch.stack(v) for key, v in log.items()}
    vec = parameters_to_vector(model.parameters())
    vector_to_parameters(vec * 0.99, model.parameters())
    acc = (ema(x).argmax(-1) == y).float().mean()
    adv = fgsm(model, x, y, 0.1)
    curves["robust"] = (model(adv).argmax(-1) == y).float().mean()
    return curves


# run: train(randn(16, 5), randint(0, 3, (16,)), 3)
# run: penalty(nn.Linear(4, 1), randn(3, 4), randn(3, 4))
