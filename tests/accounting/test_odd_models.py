"""Models unlike those of the zoo: FLOPs by hand, formulas that hold, peaks as storages add up."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from typedtorch.accounting import SizeError, account

from .truth import inputs_of, measured_peak


class Conv1d(nn.Module):
    """Strided, dilated and grouped convolutions in one dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Conv1d(3, 8, 5, stride=2, padding=2)
        self.b = nn.Conv1d(8, 16, 3, padding=2, dilation=2, groups=2)
        self.head = nn.Linear(16, 4)

    def forward(self, x: Float[Tensor, "batch 3 length"]) -> Tensor:
        return self.head(F.relu(self.b(F.relu(self.a(x)))).mean(-1))


class Conv3d(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.norm = nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4)
        self.b = nn.ConvTranspose3d(4, 2, 2, stride=2)

    def forward(self, x: Float[Tensor, "batch 2 time height width"]) -> Tensor:
        return self.b(F.max_pool3d(F.relu(self.norm(self.a(x))), 2))


class Transposed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.b = nn.ConvTranspose1d(4, 3, 4)

    def forward(self, x: Float[Tensor, "batch 2 height width"]) -> Tensor:
        return self.b(self.a(x).flatten(2))


class CrossAttention(nn.Module):
    """Keys and values of another width than the queries."""

    def __init__(self) -> None:
        super().__init__()
        self.mix, self.norm = (
            nn.MultiheadAttention(16, 4, batch_first=True, kdim=12, vdim=12),
            nn.LayerNorm(16),
        )

    def forward(self, x: Float[Tensor, "batch queries 16"], y: Float[Tensor, "batch keys 12"]) -> Tensor:
        return self.norm(x + self.mix(x, y, y, need_weights=False)[0])


class TiedAndShared(nn.Module):
    """One table for input and output, one layer called three times."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.layer = nn.Embedding(30, 16), nn.Linear(16, 16)
        self.head = nn.Linear(16, 30, bias=False)
        self.head.weight = self.table.weight

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Tensor:
        x = self.table(tokens)
        for _ in range(3):
            x = torch.tanh(self.layer(x)) + x
        return self.head(x)


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bag, self.head = nn.EmbeddingBag(50, 8, mode="mean"), nn.Linear(8, 3)

    def forward(self, tokens: Int[Tensor, "bags words"]) -> Tensor:
        return self.head(self.bag(tokens))


class Cells(nn.Module):
    """Recurrent cells in a loop over the steps."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = nn.LSTMCell(6, 8), nn.GRUCell(8, 8), nn.RNNCell(8, 4)

    def forward(self, x: Float[Tensor, "batch seq 6"]) -> Tensor:
        h = c = g = x.new_zeros(x.shape[0], 8)
        r, steps = x.new_zeros(x.shape[0], 4), []
        for t in range(x.shape[1]):
            h, c = self.a(x[:, t], (h, c))
            g = self.b(h, g)
            r = self.c(g, r)
            steps.append(r)
        return torch.stack(steps, 1)


class Norms(nn.Module):
    """Batch statistics in training, kept ones in evaluation; dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Float[Tensor, "batch 6"]) -> Tensor:
        return self.b(self.drop(F.relu(self.norm(self.a(x)))))


class Frozen(Norms):
    def __init__(self) -> None:
        super().__init__()
        self.eval()


class Reentrant(nn.Module):
    """The older kind of checkpointing, over more blocks than are run."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.layers = nn.Linear(8, 8), nn.ModuleList(nn.Linear(8, 8) for _ in range(9))

    def forward(self, x: Float[Tensor, "batch 8"]) -> Tensor:
        x = self.first(x)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)
        return x


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        x, w = ctx.saved_tensors
        return gradient @ w.t(), x.t() @ gradient


class Custom(nn.Module):
    """A hand-written backward, which computes the data's gradient whether it is wanted or not."""

    def __init__(self) -> None:
        super().__init__()
        self.w, self.v = nn.Parameter(torch.randn(6, 6)), nn.Parameter(torch.randn(6, 6))

    def forward(self, x: Float[Tensor, "batch 6"]) -> Tensor:
        inner = torch.relu(Product.apply(x, self.w))  # type: ignore[no-untyped-call]  # torch's own
        out: Tensor = Product.apply(inner, self.v)  # type: ignore[no-untyped-call]  # likewise
        return out


class Complex(nn.Module):
    """A product of complex numbers: four real multiply-adds each."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(6, 6, dtype=torch.complex64))

    def forward(self, x: Float[Tensor, "batch 6"]) -> Tensor:
        return (x.to(torch.complex64) @ self.w).abs()


class InPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.act = nn.Linear(6, 8), nn.Linear(8, 8), nn.ReLU(inplace=True)

    def forward(self, x: Float[Tensor, "batch 6"]) -> Tensor:
        out = self.b(self.act(self.a(x)))
        out.add_(1).mul_(2)
        out[:, :2] = 0
        return out


class Half(nn.Module):
    """Parameters in bfloat16 from the start."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.SiLU(), nn.Linear(32, 16))
        self.to(torch.bfloat16)

    def forward(self, x: Float[Tensor, "batch 16"]) -> Tensor:
        out: Tensor = self.layers(x)
        return out


class MaskedAttention(nn.Module):
    """Attention written out, with a table for its mask."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.drop = nn.Linear(16, 48), nn.Dropout(0.1)
        self.register_buffer("mask", torch.tril(torch.ones(32, 32)))

    def forward(self, x: Float[Tensor, "batch seq 16"]) -> Tensor:
        batch, seq, _ = x.shape
        q, k, v = self.qkv(x).view(batch, seq, 3, 4, 4).permute(2, 0, 3, 1, 4)
        mask = self.get_buffer("mask")[:seq, :seq]
        scores = (q @ k.transpose(-1, -2) / 2).masked_fill(mask == 0, float("-inf"))
        mixed: Tensor = self.drop(scores.softmax(-1)) @ v
        return mixed.transpose(1, 2).reshape(batch, seq, 16)


@dataclass(frozen=True)
class Odd:
    """A model, sizes, and its FLOPs forward and backward as functions of them."""

    build: Callable[[], nn.Module]
    sizes: dict[str, int]
    forward: Callable[..., int]
    backward: Callable[..., int]


def cell_steps(batch: int, seq: int) -> tuple[int, int]:
    """Forward and backward of ``Cells``: the first states need no gradient, and neither does the data."""
    lstm, gru, rnn = 2 * 4 * 8, 2 * 3 * 8, 2 * 4
    forward = batch * seq * (lstm * 14 + gru * 16 + rnn * 12)
    missing = batch * seq * lstm * 6 + batch * (lstm * 8 + gru * 8 + rnn * 4)
    return forward, 2 * forward - missing


ODD = {
    "conv1d": Odd(
        Conv1d, {"batch": 2, "length": 20},
        lambda batch, length: 2 * batch * (length // 2 * (3 * 8 * 5 + 8 * 16 * 3 // 2) + 16 * 4),
        lambda batch, length: 2 * batch * (length // 2 * (3 * 8 * 5 + 8 * 16 * 3) + 2 * 16 * 4),
    ),
    "conv3d": Odd(
        Conv3d, {"batch": 2, "time": 4, "height": 6, "width": 6},
        lambda batch, time, height, width: 2 * batch * time * height * width * (216 + 8),
        lambda batch, time, height, width: 2 * batch * time * height * width * (216 + 2 * 8),
    ),
    "transposed": Odd(
        Transposed, {"batch": 2, "height": 6, "width": 6},
        lambda batch, height, width: 2 * batch * height * width * (2 * 4 * 9 // 2 + 4 * 4 * 3 * 4),
        lambda batch, height, width: 2 * batch * height * width * (2 * 4 * 9 // 2 + 2 * 4 * 4 * 3 * 4),
    ),
    "cross-attention": Odd(
        CrossAttention, {"batch": 2, "queries": 5, "keys": 7},
        lambda batch, queries, keys: 2 * batch * (
            queries * 2 * 16 * 16 + keys * 2 * 12 * 16 + 2 * queries * keys * 16),
        lambda batch, queries, keys: 2 * batch * (
            queries * 3 * 16 * 16 + keys * 2 * 12 * 16 + 4 * queries * keys * 16),
    ),
    "tied and shared": Odd(
        TiedAndShared, {"batch": 2, "seq": 7},
        lambda batch, seq: 2 * batch * seq * (3 * 16 * 16 + 16 * 30),
        lambda batch, seq: 4 * batch * seq * (3 * 16 * 16 + 16 * 30),
    ),
    "bag": Odd(
        Bag, {"bags": 4, "words": 12},
        lambda bags, words: 2 * bags * 8 * 3, lambda bags, words: 4 * bags * 8 * 3,
    ),
    "cells": Odd(
        Cells, {"batch": 2, "seq": 5},
        lambda batch, seq: cell_steps(batch, seq)[0], lambda batch, seq: cell_steps(batch, seq)[1],
    ),
    "batch norm": Odd(Norms, {"batch": 4}, lambda batch: 2 * batch * 64, lambda batch: 2 * batch * (64 + 16)),
    "batch norm, eval": Odd(
        Frozen, {"batch": 4}, lambda batch: 2 * batch * 64, lambda batch: 2 * batch * (64 + 16)
    ),
    "reentrant": Odd(
        Reentrant, {"batch": 4}, lambda batch: 20 * batch * 64, lambda batch: 40 * batch * 64 - 2 * batch * 64
    ),
    "custom": Odd(Custom, {"batch": 4}, lambda batch: 4 * batch * 36, lambda batch: 8 * batch * 36),
    "complex": Odd(Complex, {"batch": 4}, lambda batch: 8 * batch * 36, lambda batch: 8 * batch * 36),
    "in place": Odd(
        InPlace, {"batch": 4}, lambda batch: 2 * batch * (48 + 64), lambda batch: 2 * batch * (48 + 128)
    ),
    "half": Odd(Half, {"batch": 4}, lambda batch: 4 * batch * 512, lambda batch: 6 * batch * 512),
    "masked attention": Odd(
        MaskedAttention, {"batch": 2, "seq": 6},
        lambda batch, seq: 2 * batch * seq * (16 * 48 + 2 * seq * 16),
        lambda batch, seq: 2 * batch * seq * (16 * 48 + 4 * seq * 16),
    ),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_flops_by_hand_and_as_formulas(odd: Odd) -> None:
    found = account(odd.build(), sizes=odd.sizes)
    assert found.flops.forward == odd.forward(**odd.sizes)
    assert found.flops.backward == odd.backward(**odd.sizes)
    assert found.uncounted == ()
    other = {name: 2 * size for name, size in odd.sizes.items()}
    for name, count in (("flops.forward", odd.forward), ("flops.backward", odd.backward)):
        formula = found.formula(name)
        assert formula.polynomial or formula.multiples, name  # a stride of two rounds odd sizes
        assert formula.subs(other) == count(**other), name


@pytest.mark.parametrize("autocast", [None, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_the_peak_is_what_storages_add_up_to(odd: Odd, autocast: torch.dtype | None) -> None:
    if odd.build is Custom and autocast is not None:
        pytest.skip("its backward multiplies two dtypes, which torch refuses")
    model = odd.build()
    for name, factory in (
        ("sgd", functools.partial(torch.optim.SGD, lr=1e-3)), ("adamw", torch.optim.AdamW)
    ):  # fmt: skip
        found = account(model, sizes=odd.sizes, optimizer=name, autocast=autocast)
        inputs = tuple(
            t.to(m.dtype) for t, m in zip(inputs_of(found), found.trace.inputs, strict=True)
        )  # fmt: skip
        real = measured_peak(model, inputs, lambda out: out.sum(), optimizer=factory, autocast=autocast)
        assert found.memory.peak == pytest.approx(real, rel=0.01), name


def test_functions_over_any_number_of_batch_axes() -> None:
    def attention(
        q: Float[Tensor, "*batch seq d"], k: Float[Tensor, "*batch keys d"], v: Float[Tensor, "*batch keys d"]
    ) -> Tensor:
        mixed: Tensor = (q @ k.transpose(-1, -2)).softmax(-1) @ v
        return mixed

    for batch in ((), (3,), (2, 3)):
        found = account(attention, sizes={"batch": batch, "seq": 4, "keys": 5, "d": 8})
        assert found.flops.forward == 4 * 4 * 5 * 8 * (2 * 3 if len(batch) == 2 else sum(batch) or 1)
        formula = found.formula("flops.forward")
        assert formula.names >= {"seq", "keys", "d"}
        assert not formula.pinned
        other: dict[str, int | tuple[int, ...]] = {
            "batch": tuple(2 * n for n in batch), "seq": 6, "keys": 3, "d": 10,
        }  # fmt: skip
        assert formula.subs(other) == account(attention, sizes=other).flops.forward
        with pytest.raises(SizeError, match=f"holds for {len(batch)} axes of batch, got 4"):
            formula.subs({**other, "batch": (2, 2, 2, 2)})
    assert account(attention).formula("flops.forward").subs(batch=3, seq=4, keys=5, d=8) == 4 * 4 * 5 * 8 * 3


def test_a_constructor_over_any_number_of_batch_axes() -> None:
    class Pointwise(nn.Module):
        def __init__(self, dim: int, layers: int) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))

        def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
            for layer in self.layers:
                x = torch.tanh(layer(x))
            return x

    other: dict[str, int | tuple[int, ...]] = {"dim": 6, "layers": 3, "batch": (5, 3)}
    found = account(Pointwise, sizes={"dim": 8, "layers": 2, "batch": (4, 2)})
    for name in ("flops.forward", "memory.saved", "bytes.step"):
        formula = found.formula(name)
        assert formula.names == {"dim", "layers", "batch_0", "batch_1"}
        assert formula.subs(other) == account(Pointwise, sizes=other).numbers[name]
    assert str(account(Pointwise).formula("flops.forward")) == "2*batch*dim**2*layers"


def test_a_fourier_transform_is_listed_not_zero() -> None:
    def spectrum(x: Float[Tensor, "batch seq"]) -> Tensor:
        found: Tensor = torch.fft.rfft(x).abs()
        return found

    listed = {u.operator for u in account(spectrum, batch=2, seq=16).uncounted}
    assert "aten._fft_r2c.default" in listed


def test_bidirectional_layers_and_a_loop_over_the_batch_axis() -> None:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(6, 8, 2, bidirectional=True, batch_first=True)
            self.gru, self.rnn = nn.GRU(16, 4, bidirectional=True, batch_first=True), nn.RNN(8, 5)

        def forward(self, x: Float[Tensor, "batch seq 6"]) -> Tensor:
            out: Tensor = self.rnn(self.gru(self.lstm(x)[0])[0])[0]
            return out

    found = account(Mixed(), batch=4, seq=5)
    each = 2 * 2 * 4 * 8 * (14 + 24) + 2 * 2 * 3 * 4 * 20 + 2 * 5 * 13
    assert found.flops.forward == each * 4 * 5
    assert str(found.formula("flops.forward")) == f"{each}*batch*seq"
