"""Selective state space model with a sequential and a chunk-parallel scan."""

from dataclasses import dataclass, field

import torch
from einops import rearrange, repeat
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class SSMConfig:
    d_model: int
    d_state: int = 8
    expand: int = 2
    d_conv: int = 4
    dt_rank: int = field(init=False)
    d_inner: int = field(init=False)

    def __post_init__(self):
        self.d_inner = self.expand * self.d_model
        self.dt_rank = max(1, self.d_model // 16)


def sequential_scan(
    u: Float[Tensor, "batch length inner"],
    dt: Float[Tensor, "batch length inner"],
    a: Float[Tensor, "inner state"],
    b: Float[Tensor, "batch length state"],
    c: Float[Tensor, "batch length state"],
    skip: Float[Tensor, "inner"],
) -> Float[Tensor, "batch length inner"]:
    decay = torch.exp(dt.unsqueeze(-1) * a)
    drive = dt.unsqueeze(-1) * b.unsqueeze(2) * u.unsqueeze(-1)
    state = u.new_zeros(u.shape[0], u.shape[2], a.shape[1])
    outputs = []
    for i in range(u.shape[1]):
        state = decay[:, i] * state + drive[:, i]
        outputs.append(torch.einsum("bds,bs->bd", state, c[:, i]))
    y = torch.stack(outputs, dim=1)
    return y + u * skip


class SelectiveSSM(nn.Module):
    def __init__(self, cfg: SSMConfig):
        super().__init__()
        self.cfg = cfg
        self.in_proj = nn.Linear(cfg.d_model, 2 * cfg.d_inner, bias=False)
        self.conv = nn.Conv1d(cfg.d_inner, cfg.d_inner, cfg.d_conv, groups=cfg.d_inner, padding=cfg.d_conv - 1)
        self.x_proj = nn.Linear(cfg.d_inner, cfg.dt_rank + 2 * cfg.d_state, bias=False)
        self.dt_proj = nn.Linear(cfg.dt_rank, cfg.d_inner)
        a = repeat(torch.arange(1, cfg.d_state + 1).float(), "n -> d n", d=cfg.d_inner)
        self.log_a = nn.Parameter(torch.log(a))
        self.skip = nn.Parameter(torch.ones(cfg.d_inner))
        self.out_proj = nn.Linear(cfg.d_inner, cfg.d_model, bias=False)

    def forward(self, x: Float[Tensor, "batch length d_model"]) -> Float[Tensor, "batch length d_model"]:
        length = x.shape[1]
        u, gate = self.in_proj(x).chunk(2, dim=-1)
        u = self.conv(rearrange(u, "b l d -> b d l"))[..., :length]
        u = F.silu(rearrange(u, "b d l -> b l d"))
        dt, b, c = self.x_proj(u).split([self.cfg.dt_rank, self.cfg.d_state, self.cfg.d_state], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        y = sequential_scan(u, dt, -torch.exp(self.log_a), b, c, self.skip)
        return self.out_proj(y * F.silu(gate))

    def step(
        self,
        x: Float[Tensor, "batch d_model"],
        conv_state: Float[Tensor, "batch inner d_conv"],
        state: Float[Tensor, "batch inner d_state"],
    ) -> tuple[Float[Tensor, "batch d_model"], Float[Tensor, "batch inner d_conv"], Float[Tensor, "batch inner d_state"]]:
        u, gate = self.in_proj(x).chunk(2, dim=-1)
        conv_state = torch.cat([conv_state[:, :, 1:], u.unsqueeze(-1)], dim=-1)
        u = (conv_state * rearrange(self.conv.weight, "d 1 k -> d k")).sum(dim=-1)
        u = F.silu(u + self.conv.bias)
        dt, b, c = self.x_proj(u).split([self.cfg.dt_rank, self.cfg.d_state, self.cfg.d_state], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        decay = torch.exp(dt[:, :, None] * -torch.exp(self.log_a))
        state = decay * state + (dt * u)[:, :, None] * b[:, None, :]
        y = (state @ c[:, :, None]).squeeze(-1) + u * self.skip
        return self.out_proj(y * F.silu(gate)), conv_state, state


class ResidualBlock(nn.Module):
    def __init__(self, cfg: SSMConfig):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.d_model)
        self.mixer = SelectiveSSM(cfg)

    def forward(self, x: Float[Tensor, "batch length d_model"]) -> Float[Tensor, "batch length d_model"]:
        return x + self.mixer(self.norm(x))


class SequenceClassifier(nn.Module):
    def __init__(self, vocab: int, n_classes: int, cfg: SSMConfig, depth: int = 2):
        super().__init__()
        self.embed = nn.Embedding(vocab, cfg.d_model)
        self.blocks = nn.Sequential(*[ResidualBlock(cfg) for _ in range(depth)])
        self.norm = nn.LayerNorm(cfg.d_model)
        self.head = nn.Linear(cfg.d_model, n_classes)

    def forward(self, tokens: Int[Tensor, "batch length"], lengths: Int[Tensor, "batch"]) -> Float[Tensor, "batch n_classes"]:
        h = self.norm(self.blocks(self.embed(tokens)))
        valid = torch.arange(tokens.shape[1], device=tokens.device)[None, :] < lengths[:, None]
        pooled = (h * valid.unsqueeze(-1)).sum(dim=1) / lengths.unsqueeze(-1)
        return self.head(pooled)


def train_step(model: SequenceClassifier, optimizer: torch.optim.Optimizer, tokens: Int[Tensor, "batch length"], lengths: Int[Tensor, "batch"], labels: Int[Tensor, "batch"]) -> tuple[float, float]:
    logits = model(tokens, lengths)
    loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    accuracy = (logits.argmax(dim=-1) == labels).float().mean()
    return loss.item(), accuracy.item()


# run: cfg = SSMConfig(12); m = SequenceClassifier(30, 5, cfg)
# run: train_step(m, torch.optim.AdamW(m.parameters()), randint(0, 30, (3, 9)), torch.tensor([4, 9, 7]), randint(0, 5, (3,)))
# run: m.blocks[0].mixer.step(randn(3, 12), torch.zeros(3, 24, 4), torch.zeros(3, 24, 8))
