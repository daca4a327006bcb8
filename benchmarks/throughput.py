"""Training throughput of the demo's model beside the same model written by hand in plain torch.

    python benchmarks/throughput.py [--steps 8] [--rounds 4] [--device cpu] [--seq 256] ...

Same shapes, same weights' count, same batches, same loss and clipping: nn.Linear,
F.scaled_dot_product_attention, F.rms_norm and torch.optim.AdamW in a plain loop, beside
``typedtorch.nn.Transformer`` under the trainer with its checks, figures and refusal of non-finite steps.
The two take turns; the least time of each counts. On a GPU both run under torch.compile and bf16 autocast.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from report import write_result
from torch import Tensor, nn

from typedtorch.data import Batch
from typedtorch.nn import Transformer
from typedtorch.optim import AdamW, decay_groups
from typedtorch.training import LoopSettings, Trainer
from typedtorch.training.assemble import language_model_loss


class Block(nn.Module):
    """Pre-norm attention with rotary positions, and SwiGLU."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        b, t, c = x.shape
        y = self.norm1(x)
        q, k, v = (
            layer(y).view(b, t, self.heads, c // self.heads).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        mixed = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(b, t, c))
        y = self.norm2(x)
        found: Tensor = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return found


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions, halves paired."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class Plain(nn.Module):
    """The same decoder, by hand."""

    def __init__(self, width: int, layers: int, heads: int, inner: int, seq: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(256, width)
        self.blocks = nn.ModuleList([Block(width, heads, inner) for _ in range(layers)])
        self.norm = nn.RMSNorm(width)
        half = width // heads // 2
        angles = torch.arange(seq)[:, None] * 10000.0 ** (-torch.arange(half) / half)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.linear(self.norm(x), self.embedding.weight)


def endless(batches: list[Batch]) -> Iterator[Batch]:
    """The batches, for ever."""
    while True:
        yield from batches


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("d-model", 128), ("layers", 4), ("heads", 4), ("seq", 256), ("batch", 8)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--device", default="cpu")
    o = parser.parse_args()
    device = torch.device(o.device)
    model = Transformer(vocab=256, d_model=o.d_model, layers=o.layers, heads=o.heads, max_seq=o.seq).to(
        device
    )
    plain = Plain(o.d_model, o.layers, o.heads, model.config.width, o.seq).to(device)
    count = sum(p.numel() for p in model.parameters())
    assert count == sum(p.numel() for p in plain.parameters())
    tokens = torch.randint(256, (4, o.batch, o.seq + 1), device=device)
    batches = [Batch(t[:, :-1], t[:, 1:]) for t in tokens]
    loops = {
        "plain torch loop": by_hand(plain, batches, device),
        "typedtorch": by_trainer(model, batches, device),
    }
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    best = dict.fromkeys(loops, math.inf)
    for _ in range(o.rounds):
        for name, loop in loops.items():
            began = clock()
            loop(o.steps)
            best[name] = min(best[name], (clock() - began) / o.steps)
    per_step = o.batch * o.seq
    rows = [
        {
            "loop": name,
            "ms_per_step": round(seconds * 1e3, 2),
            "tokens_per_second_of_this_time": round(per_step / seconds),
            "over_plain": round(best["plain torch loop"] / seconds, 3),
        }
        for name, seconds in best.items()
    ]
    settings = {**vars(o), "parameters": count, "clock": clock.__name__}
    write_result(f"throughput_{device.type}", settings, rows)


def by_hand(model: nn.Module, batches: list[Batch], device: torch.device) -> Callable[[int], None]:
    """What one writes without a library."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), fused=True)
    stream = endless(batches)
    gpu = device.type == "cuda"
    forward: Any = torch.compile(model) if gpu else model

    def loop(steps: int) -> None:
        for _ in range(steps):
            x, y = next(stream)
            with torch.autocast(device.type, torch.bfloat16, enabled=gpu):
                loss = F.cross_entropy(forward(x).flatten(0, 1), y.flatten())
            loss.backward()  # type: ignore[no-untyped-call]  # torch's
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        if gpu:
            torch.cuda.synchronize()

    return loop


def by_trainer(model: nn.Module, batches: list[Batch], device: torch.device) -> Callable[[int], None]:
    """The same under the trainer."""
    gpu = device.type == "cuda"
    groups: Any = decay_groups(model, 0.01)
    optimizer: torch.optim.Optimizer = (
        torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), fused=True)
        if gpu
        else AdamW(groups, lr=1e-3, betas=(0.9, 0.95))
    )
    loss: Any = torch.compile(language_model_loss) if gpu else language_model_loss
    stream, done = endless(batches), [0]

    def loop(steps: int) -> None:
        settings = LoopSettings(
            steps=done[0] + steps, clip=1.0, precision="bf16" if gpu else "fp32", handle_signals=False
        )
        trainer = Trainer(model, loss, stream, optimizer, settings)
        trainer.step = done[0]
        trainer.fit()
        done[0] += steps
        if gpu:
            torch.cuda.synchronize()

    return loop


if __name__ == "__main__":
    main()
