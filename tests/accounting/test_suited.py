"""Formulas of models whose sizes depend on one another: every axis stays a letter, in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from typedtorch.accounting import account, question
from typedtorch.accounting.labels import Place, choose
from typedtorch.accounting.program import record
from typedtorch.accounting.reading import Decoder
from typedtorch.accounting.stage import RunPhase
from typedtorch.shapes.size import evaluate


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int | None = None) -> None:
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads or heads
        self.q, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * self.kv_heads * (dim // heads))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        batch, seq, dim = x.shape
        q = self.q(x).view(batch, seq, self.heads, -1).transpose(1, 2)
        k, v = self.kv(y).view(batch, y.shape[1], 2, self.kv_heads, -1).permute(2, 0, 3, 1, 4)
        k, v = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (k, v))
        out: Tensor = self.out(
            F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, seq, dim)
        )
        return out


class Block(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int | None = None, *, cross: bool = False) -> None:
        super().__init__()
        self.attention, self.norm = Attention(dim, heads, kv_heads), nn.LayerNorm(dim)
        self.cross = Attention(dim, heads) if cross else None
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor, other: Tensor | None = None) -> Tensor:
        y = self.norm(x)
        x = x + self.attention(y, y)
        if self.cross is not None and other is not None:
            x = x + self.cross(x, other)
        out: Tensor = x + self.mlp(x)
        return out


class Speech(nn.Module):
    """Strided convolutions, tables that bound the lengths, two stacks of one depth."""

    def __init__(self, mels: int, dim: int, heads: int, depth: int, vocab: int, context: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(mels, dim, 3, stride=2, padding=1)
        self.place, self.table = nn.Parameter(torch.zeros(context, dim)), nn.Embedding(vocab, dim)
        self.encoder = nn.ModuleList(Block(dim, heads) for _ in range(depth))
        self.decoder = nn.ModuleList(Block(dim, heads, cross=True) for _ in range(depth))

    def forward(self, sound: Float[Tensor, "batch mels frames"], text: Int[Tensor, "batch seq"]) -> Tensor:
        x = self.conv(sound).transpose(1, 2)
        for block in self.encoder:
            x = block(x)
        y = self.table(text) + self.place[: text.shape[1]]
        for block in self.decoder:
            y = block(y, x)
        return y @ self.table.weight.T


class TwoTowers(nn.Module):
    """Four sizes that divide four others, two depths."""

    def __init__(
        self, shared: int, image: int, patch: int, wide: int, wide_heads: int, wide_depth: int,
        vocab: int, context: int, narrow: int, narrow_heads: int, narrow_depth: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.conv, self.first = nn.Conv2d(3, wide, patch, stride=patch), nn.Parameter(torch.zeros(wide))
        self.place = nn.Parameter(torch.zeros((image // patch) ** 2 + 1, wide))
        self.seeing = nn.ModuleList(Block(wide, wide_heads) for _ in range(wide_depth))
        self.table, self.order = nn.Embedding(vocab, narrow), nn.Parameter(torch.zeros(context, narrow))
        self.reading = nn.ModuleList(Block(narrow, narrow_heads) for _ in range(narrow_depth))
        self.left, self.right = nn.Linear(wide, shared), nn.Linear(narrow, shared)

    def forward(
        self, image: Float[Tensor, "batch 3 image image"], text: Int[Tensor, "batch context"]
    ) -> Tensor:
        x = self.conv(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], 1, -1), x], 1) + self.place
        y = self.table(text) + self.order
        for block in self.seeing:
            x = block(x)
        for block in self.reading:
            y = block(y)
        scores: Tensor = self.left(x[:, 0]) @ self.right(y[:, 0]).T
        return scores


class Detector(nn.Module):
    """torch's own Transformer of two depths on a map whose positions are looked up in short tables."""

    def __init__(self, dim: int, heads: int, down: int, up: int, queries: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, dim, 8, stride=8)
        self.mix = nn.Transformer(dim, heads, down, up, 2 * dim, dropout=0.0)
        self.queries, self.rows = nn.Parameter(torch.zeros(queries, dim)), nn.Parameter(torch.zeros(30, dim))
        self.columns = nn.Parameter(torch.zeros(30, dim))

    def forward(self, image: Float[Tensor, "batch 3 height width"]) -> Tensor:
        x = self.conv(image)
        x = x + self.rows[: x.shape[2]].T[:, :, None] + self.columns[: x.shape[3]].T[:, None]
        asked = self.queries[:, None].expand(-1, image.shape[0], -1)
        out: Tensor = self.mix(x.flatten(2).permute(2, 0, 1), asked)
        return out


class Windows(nn.Module):
    """Windows on a grid, a table of their offsets, heads that widen."""

    def __init__(self, dim: int, heads: int, window: int) -> None:
        super().__init__()
        self.window, self.bias = window, nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        self.mix, self.out = nn.MultiheadAttention(dim, heads, batch_first=True), nn.Linear(dim, dim)

    def forward(self, image: Float[Tensor, "batch height width dim"]) -> Tensor:
        batch, height, width, dim = image.shape
        w = self.window
        x = image.view(batch, height // w, w, width // w, w, dim).transpose(2, 3).reshape(-1, w * w, dim)
        out: Tensor = self.out(self.mix(x, x, x, need_weights=False)[0]) + self.bias.sum()
        return out


class Tables(nn.Module):
    """A number of tables, and the products of every two rows."""

    def __init__(self, rows: int, tables: int, dim: int, out: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, dim) for _ in range(tables))
        self.top, self.many = nn.Linear(dim + tables * (tables - 1) // 2, out), tables

    def forward(self, tokens: Int[Tensor, "batch tables"]) -> Tensor:
        rows = torch.stack([table(tokens[:, i]) for i, table in enumerate(self.tables)], 1)
        i, j = torch.tril_indices(self.many, self.many, -1)
        pairs = (rows @ rows.mT)[:, i, j]
        out: Tensor = self.top(torch.cat([rows[:, 0], pairs], 1))
        return out


class Grouped(nn.Module):
    """A size that must be the product of two others, and one that divides one of these."""

    def __init__(self, dim: int, heads: int, head_dim: int, kv_heads: int, depth: int) -> None:
        super().__init__()
        assert dim == heads * head_dim
        self.blocks = nn.ModuleList(Block(dim, heads, kv_heads) for _ in range(depth))

    def forward(self, x: Float[Tensor, "batch seq dim"]) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x


class Grown(nn.Module):
    """Every layer reads what all before it made: widths are sums of two axes."""

    def __init__(self, first: int, growth: int, layers: int, classes: int) -> None:
        super().__init__()
        widths = [first + growth * i for i in range(layers)]
        self.layers = nn.ModuleList(nn.Conv2d(width, growth, 3, padding=1) for width in widths)
        self.stem, self.head = nn.Conv2d(3, first, 1), nn.Linear(first + layers * growth, classes)

    def forward(self, x: Float[Tensor, "batch 3 height width"]) -> Float[Tensor, "batch classes"]:
        found = [self.stem(x)]
        for layer in self.layers:
            found.append(layer(torch.cat(found, 1)))
        mixed: Tensor = self.head(torch.cat(found, 1).mean((2, 3)))
        return mixed


class Pixels(nn.Module):
    """Attention between all pixels: labels that divide often make its scores larger than torch can count."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Conv1d(dim, 3 * dim, 1), nn.Conv1d(dim, dim, 1)

    def forward(self, x: Float[Tensor, "batch dim height width"]) -> Float[Tensor, "batch dim height width"]:
        b, c, h, w = x.shape
        q, k, v = self.qkv(x.flatten(2)).reshape(b * self.heads, 3 * c // self.heads, h * w).chunk(3, 1)
        weights = torch.einsum("bct,bcs->bts", q, k).softmax(-1)
        mixed = torch.einsum("bts,bcs->bct", weights, v).reshape(b, c, h * w)
        return self.out(mixed).reshape(b, c, h, w) + x


@dataclass(frozen=True)
class Case:
    build: Callable[..., nn.Module]
    sizes: dict[str, int]
    there: dict[str, int]  # other sizes, as the axes allow them


CASES = {
    "speech": Case(
        Speech,
        {"mels": 6, "dim": 24, "heads": 4, "depth": 2, "vocab": 30, "context": 12, "batch": 2,
         "frames": 20, "seq": 8},
        {"mels": 5, "dim": 30, "heads": 3, "depth": 4, "vocab": 31, "context": 9, "batch": 3,
         "frames": 26, "seq": 9},
    ),
    "two towers": Case(
        TwoTowers,
        {"shared": 10, "image": 16, "patch": 4, "wide": 24, "wide_heads": 4, "wide_depth": 2, "vocab": 30,
         "context": 6, "narrow": 16, "narrow_heads": 2, "narrow_depth": 3, "batch": 3},
        {"shared": 11, "image": 25, "patch": 5, "wide": 18, "wide_heads": 3, "wide_depth": 5, "vocab": 31,
         "context": 7, "narrow": 20, "narrow_heads": 4, "narrow_depth": 1, "batch": 2},
    ),
    "detector": Case(
        Detector,
        {"dim": 16, "heads": 4, "down": 1, "up": 2, "queries": 5, "batch": 2, "height": 32, "width": 48},
        {"dim": 18, "heads": 3, "down": 2, "up": 1, "queries": 6, "batch": 3, "height": 64, "width": 16},
    ),
    "windows": Case(
        Windows,
        {"dim": 12, "heads": 3, "window": 4, "batch": 2, "height": 16, "width": 8},
        {"dim": 10, "heads": 2, "window": 3, "batch": 3, "height": 9, "width": 6},
    ),
    "tables": Case(
        Tables,
        {"rows": 20, "tables": 4, "dim": 6, "out": 5, "batch": 3},
        {"rows": 21, "tables": 7, "dim": 7, "out": 4, "batch": 2},
    ),
    "grouped": Case(
        Grouped,
        {"dim": 24, "heads": 4, "head_dim": 6, "kv_heads": 2, "depth": 3, "batch": 2, "seq": 5},
        {"dim": 30, "heads": 6, "head_dim": 5, "kv_heads": 3, "depth": 2, "batch": 3, "seq": 4},
    ),
    "grown": Case(
        Grown,
        {"first": 10, "growth": 6, "layers": 3, "classes": 5, "batch": 2, "height": 4, "width": 6},
        {"first": 13, "growth": 4, "layers": 5, "classes": 7, "batch": 3, "height": 5, "width": 8},
    ),
    "pixels": Case(
        Pixels,
        {"dim": 12, "heads": 3, "batch": 2, "height": 6, "width": 8},
        {"dim": 20, "heads": 4, "batch": 3, "height": 5, "width": 4},
    ),
}  # fmt: skip
FIGURES = ("parameters.total", "flops.forward", "flops.backward", "memory.saved", "bytes.step")


@pytest.mark.parametrize("name", CASES)
def test_every_axis_stays_a_letter(name: str) -> None:
    _holds_elsewhere(CASES[name], CASES[name].sizes)


@pytest.mark.parametrize("name", ["speech", "two towers", "tables", "grouped", "grown", "pixels"])
def test_so_it_does_without_sizes(name: str) -> None:
    # labels are looked for with the forward alone: the others of these two take half a minute more
    _holds_elsewhere(CASES[name], {}, "inference" if name in ("speech", "two towers") else "train")


@pytest.mark.parametrize(("kind", "most"), [(Grown, 40), (Pixels, 90)])
def test_few_runs_are_enough(
    kind: Callable[..., nn.Module], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def counted(*args: Any) -> Any:
        runs.append(args)
        return record(*args)

    monkeypatch.setattr(question, "record", counted)
    assert not account(kind).formula("flops.forward").pinned
    assert len(runs) <= most


def _holds_elsewhere(case: Case, sizes: dict[str, int], phase: RunPhase = "train") -> None:
    found = account(case.build, sizes=sizes, phase=phase)
    there = account(case.build, sizes=case.there, phase=phase).numbers
    for figure in FIGURES:
        formula = found.formula(figure)
        assert not formula.pinned, figure
        assert formula.subs(case.there) == there[figure], figure


def test_squares_and_quotients_beside_a_number_are_read() -> None:
    sizes = {"image": 32, "patch": 4, "window": 7, "heads": 3}
    places = {"patch": Place(4), "image": Place(8, ("patch",)), "window": Place(1), "heads": Place(3)}
    labels = choose(sizes, layout=places)
    decoder = Decoder(labels, sizes)

    def seen(at: dict[str, int]) -> list[int]:
        return [(at["image"] // at["patch"]) ** 2 + 1, at["heads"] * (2 * at["window"] - 1) ** 2]

    for here, there in zip(seen(dict(labels.values)), seen(sizes), strict=True):
        assert evaluate(decoder.decode(here, there), sizes) == there
        assert evaluate(decoder.decode(here, there), dict(labels.values)) == here


@pytest.mark.parametrize("count", [2, 5, 11])
def test_no_axis_has_its_prime_twice(count: int) -> None:
    sizes = {f"axis{i}": 8 * i + 3 for i in range(count)}
    first = choose(sizes)
    for turn in (1, 2):
        again = choose(sizes, turn=turn)
        assert all(first.primes[n] != again.primes[n] for n in sizes)
        assert again.primes == choose(sizes, turn=turn).primes
