"""Losses as they are written in papers' repositories."""

from typing import Literal, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def label_smoothing(logits: Float[Tensor, "b c"], target: Int[Tensor, "b"], eps: float = 0.1) -> Float[Tensor, ""]:
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(dim=-1, index=target.unsqueeze(1)).squeeze(1)
    smooth = -logp.mean(dim=-1)
    return ((1 - eps) * nll + eps * smooth).mean()


def nt_xent(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"], temperature: float) -> Float[Tensor, ""]:
    n = a.shape[0]
    z = F.normalize(torch.cat([a, b], dim=0), dim=1)
    sim = z @ z.t() / temperature
    sim.fill_diagonal_(float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


def supcon(z: Float[Tensor, "n d"], labels: Int[Tensor, "n"], t: float = 0.1) -> Float[Tensor, ""]:
    same = labels[:, None] == labels[None, :]
    eye = torch.eye(len(labels), dtype=torch.bool)
    positives = same & ~eye
    logits = (z @ z.T / t).masked_fill(eye, -1e9)
    logp = logits - torch.logsumexp(logits, dim=1, keepdim=True)
    count = positives.sum(1).clamp(min=1)
    return -((logp * positives).sum(1) / count).mean()


def triplet(
    anchor: Float[Tensor, "b d"], positive: Float[Tensor, "b d"], negative: Float[Tensor, "b d"], margin: float = 0.2
) -> Float[Tensor, ""]:
    d_pos = (anchor - positive).pow(2).sum(1)
    d_neg = (anchor - negative).pow(2).sum(1)
    return F.relu(d_pos - d_neg + margin).mean()


class FocalLoss(nn.Module):
    def __init__(self, alpha: Optional[Float[Tensor, "c"]] = None, gamma: float = 2.0, reduction: Literal["mean", "sum", "none"] = "mean"):
        super().__init__()
        self.alpha, self.gamma, self.reduction = alpha, gamma, reduction

    def forward(self, logits: Float[Tensor, "b c"], target: Int[Tensor, "b"]) -> Float[Tensor, ""] | Float[Tensor, "b"]:
        ce = F.cross_entropy(logits, target, reduction="none")
        pt = torch.exp(-ce)
        loss = (1 - pt) ** self.gamma * ce
        if self.alpha is not None:
            loss = self.alpha[target] * loss
        if self.reduction == "none":
            return loss
        return loss.mean() if self.reduction == "mean" else loss.sum()


def vicreg(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    n, d = x.shape
    invariance = F.mse_loss(x, y)
    x, y = x - x.mean(0), y - y.mean(0)
    variance = sum(F.relu(1 - torch.sqrt(t.var(0) + 1e-4)).mean() for t in (x, y))

    def off_diagonal(c: Float[Tensor, "d d"]) -> Float[Tensor, "_"]:
        return c.flatten()[:-1].view(d - 1, d + 1)[:, 1:].flatten()

    covariance = sum(off_diagonal(t.T @ t / (n - 1)).pow(2).sum() / d for t in (x, y))
    return 25 * invariance + 25 * variance + covariance


def dpo(
    policy_chosen: Float[Tensor, "b"], policy_rejected: Float[Tensor, "b"],
    ref_chosen: Float[Tensor, "b"], ref_rejected: Float[Tensor, "b"], beta: float = 0.1,
) -> tuple[Float[Tensor, "b"], Float[Tensor, "b"]]:
    ratio = (policy_chosen - policy_rejected) - (ref_chosen - ref_rejected)
    reward = beta * (policy_chosen - ref_chosen).detach()
    return -F.logsigmoid(beta * ratio), reward


def sequence_logprob(
    logits: Float[Tensor, "b s v"], labels: Int[Tensor, "b s"], ignore: int = -100
) -> Float[Tensor, "b"]:
    labels = labels[:, 1:].clone()
    logits = logits[:, :-1, :]
    mask = labels != ignore
    labels[labels == ignore] = 0
    per_token = torch.gather(logits.log_softmax(-1), dim=2, index=labels.unsqueeze(2)).squeeze(2)
    return (per_token * mask).sum(-1)


def huber_quantile(
    quantiles: Float[Tensor, "b n"], target: Float[Tensor, "b m"], taus: Float[Tensor, "n"]
) -> Float[Tensor, ""]:
    u = target.unsqueeze(1) - quantiles.unsqueeze(2)
    weight = (taus.view(1, -1, 1) - (u.detach() < 0).float()).abs()
    return (weight * F.huber_loss(u, torch.zeros_like(u), reduction="none")).sum(1).mean()


def masked_mean(x: Float[Tensor, "*shape"], mask: Bool[Tensor, "*shape"]) -> Float[Tensor, ""]:
    return torch.where(mask, x, 0.0).sum() / mask.sum().clamp(min=1)


# run: l = randn(5, 3); t = randint(0, 3, (5,)); label_smoothing(l, t); supcon(randn(5, 7), t); FocalLoss(torch.rand(3))(l, t); FocalLoss(reduction="none")(l, t)
# run: nt_xent(randn(5, 7), randn(5, 7), 0.5); triplet(randn(5, 7), randn(5, 7), randn(5, 7)); vicreg(randn(5, 7), randn(5, 7))
# run: dpo(randn(5), randn(5), randn(5), randn(5)); sequence_logprob(randn(2, 7, 5), randint(0, 5, (2, 7)))
# run: huber_quantile(randn(2, 5), randn(2, 7), torch.rand(5)); masked_mean(randn(3, 5), randn(3, 5) > 0)
