"""A training script: memory-mapped tokens, AdamW by hand, schedule, clipping, evaluation, checkpoints."""
import argparse
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class TinyLM(nn.Module):
    def __init__(self, vocab: int, d: int, ctx: int):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.zeros(ctx, d))
        layer = nn.TransformerEncoderLayer(d, 2, 4 * d, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(d, vocab, bias=False)

    def forward(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s vocab"]:
        s = ids.shape[1]
        mask = torch.triu(torch.full((s, s), float("-inf"), device=ids.device), diagonal=1)
        h = self.tok(ids) + self.pos[:s]
        h = self.enc(h, mask=mask)
        return self.out(h)


def get_batch(data: npt.NDArray[np.uint16], batch: int, ctx: int, device: str) -> tuple[Int[Tensor, "batch ctx"], Int[Tensor, "batch ctx"]]:
    starts = np.random.randint(0, len(data) - ctx, size=batch)
    x = np.stack([data[i : i + ctx] for i in starts]).astype(np.int64)
    y = np.stack([data[i + 1 : i + 1 + ctx] for i in starts]).astype(np.int64)
    return torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)


def load_tokens(path: str | os.PathLike[str]) -> npt.NDArray[np.uint16]:
    return np.memmap(path, dtype=np.uint16, mode="r")


class AdamW(torch.optim.Optimizer):
    def __init__(self, params: Iterable[nn.Parameter], lr: float, betas: tuple[float, float] = (0.9, 0.95), eps: float = 1e-8, weight_decay: float = 0.1):
        if lr < 0:
            raise ValueError(f"invalid learning rate {lr}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        loss = None if closure is None else closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                t = state.get("t", 1)
                m = state.get("m", torch.zeros_like(p))
                v = state.get("v", torch.zeros_like(p))
                m = beta1 * m + (1 - beta1) * p.grad
                v = beta2 * v + (1 - beta2) * p.grad**2
                lr = group["lr"] * math.sqrt(1 - beta2**t) / (1 - beta1**t)
                p -= lr * m / (torch.sqrt(v) + group["eps"])
                p -= group["lr"] * group["weight_decay"] * p
                state["t"], state["m"], state["v"] = t + 1, m, v
        return loss


def cosine_lr(step: int, max_lr: float, min_lr: float, warmup: int, total: int) -> float:
    if step < warmup:
        return max_lr * step / warmup
    if step > total:
        return min_lr
    return min_lr + 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) * (max_lr - min_lr)


def clip_gradients(params: Iterable[nn.Parameter], max_norm: float, eps: float = 1e-6) -> Float[Tensor, ""]:
    grads = [p.grad for p in params if p.grad is not None]
    total = torch.sqrt(torch.stack([g.square().sum() for g in grads]).sum())
    scale = (max_norm / (total + eps)).clamp(max=1.0)
    for g in grads:
        g.mul_(scale)
    return total


def lm_loss(model: TinyLM, x: Int[Tensor, "b s"], y: Int[Tensor, "b s"]) -> Float[Tensor, ""]:
    logits = model(x)
    return F.cross_entropy(logits.flatten(0, 1), y.flatten())


@torch.no_grad()
def evaluate(model: TinyLM, batches: Iterator[tuple[Int[Tensor, "b s"], Int[Tensor, "b s"]]], n: int) -> float:
    model.eval()
    total, count = torch.zeros(()), 0
    for _, (x, y) in zip(range(n), batches):
        logp = F.log_softmax(model(x), dim=-1)
        nll = -logp.gather(-1, y.unsqueeze(-1)).squeeze(-1)
        total += nll.sum()
        count += y.numel()
    model.train()
    return math.exp(total.item() / count)


def batches(data: npt.NDArray[np.uint16], batch: int, ctx: int) -> Iterator[tuple[Int[Tensor, "b s"], Int[Tensor, "b s"]]]:
    while True:
        yield get_batch(data, batch, ctx, "cpu")


def save(model: nn.Module, opt: torch.optim.Optimizer, step: int, path: str) -> None:
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "step": step}, path)


def load(path: str, model: nn.Module, opt: torch.optim.Optimizer) -> int:
    ckpt: dict[str, Any] = torch.load(path)
    model.load_state_dict(ckpt["model"])
    opt.load_state_dict(ckpt["opt"])
    return ckpt["step"]


def main(argv: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--ctx", type=int, default=8)
    args = parser.parse_args(argv)
    torch.manual_seed(0)
    data = load_tokens(args.data)
    model = TinyLM(vocab=256, d=16, ctx=args.ctx)
    opt = AdamW(model.parameters(), lr=1e-3)
    history: list[float] = []
    for step in range(args.steps):
        for group in opt.param_groups:
            group["lr"] = cosine_lr(step, 1e-3, 1e-4, 2, args.steps)
        x, y = get_batch(data, args.batch, args.ctx, "cpu")
        loss = lm_loss(model, x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        norm = clip_gradients(model.parameters(), 1.0)
        opt.step()
        history.append(loss.item())
        if step % 2 == 0:
            print(f"{step:5d} loss {history[-1]:.3f} norm {norm.item():.2f}")
    return evaluate(model, batches(data, args.batch, args.ctx), 2)


def example() -> None:
    with tempfile.NamedTemporaryFile() as file:
        (np.arange(500) % 256).astype(np.uint16).tofile(file.name)
        main(["--data", file.name])
        next(batches(load_tokens(file.name), 2, 4))


# run: example()
