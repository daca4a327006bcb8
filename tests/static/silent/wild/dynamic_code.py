"""Optional imports, local classes, closures with state, exec, getattr, data-dependent shapes."""

import importlib
import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None

if sys.version_info >= (3, 11):
    from typing import assert_never
else:

    def assert_never(x):
        raise AssertionError(x)


if TYPE_CHECKING:
    from collections.abc import Callable

FAST = os.environ.get("NO_SUCH_VARIABLE", "0") == "1"


def attention(q: Float[Tensor, "b h s d"], k: Float[Tensor, "b h t d"], v: Float[Tensor, "b h t e"]) -> Float[Tensor, "b h s e"]:
    if flash_attn_func is not None and FAST:
        return flash_attn_func(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)).transpose(1, 2)
    return torch.softmax(q @ k.mT, -1) @ v


def make_layer(kind: str, d: int) -> nn.Module:
    class Local(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(d, d)

        def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
            return self.lin(x)

    classes = {"local": Local, "identity": nn.Identity, "norm": lambda: nn.LayerNorm(d)}
    return classes[kind]()


def counter(start: Float[Tensor, "d"]) -> "Callable[[Float[Tensor, 'd']], Float[Tensor, 'd']]":
    total, calls = start, 0

    def add(x: Float[Tensor, "d"]) -> Float[Tensor, "d"]:
        nonlocal total, calls
        total = total + x
        calls += 1
        return total / calls

    return add


def unique_rows(x: Int[Tensor, "n d"]) -> tuple[Int[Tensor, "m d"], Int[Tensor, "m"]]:
    rows, counts = torch.unique(x, dim=0, return_counts=True)
    return rows, counts


def compact(x: Float[Tensor, "b s d"], keep: Bool[Tensor, "b s"]) -> list[Float[Tensor, "_ d"]]:
    out = []
    for row, mask in zip(x, keep, strict=True):
        row = row[mask]
        if row.shape[0] == 0:
            row = x.new_zeros((1, x.shape[-1]))
        out.append(row)
    return out


def activation(name: str) -> Any:
    for module in ("torch", "torch.nn.functional"):
        fn = getattr(importlib.import_module(module), name, None)
        if fn is not None:
            return fn
    raise KeyError(name)


def settings(**kw: Any) -> SimpleNamespace:
    ns = SimpleNamespace(dim=4, heads=2)
    ns.__dict__.update(kw)
    return ns


class Module(nn.Module):
    def __init__(self, ns: SimpleNamespace) -> None:
        super().__init__()
        self.ns = ns
        self.act = activation(ns.act)
        for i in range(ns.heads):
            self.add_module(f"head_{i}", nn.Linear(ns.dim, ns.dim // ns.heads))

    def forward(self, x: Float[Tensor, "b dim"]) -> Float[Tensor, "b dim"]:
        parts = [getattr(self, f"head_{i}")(x) for i in range(self.ns.heads)]
        parts = [p for p in map(self.act, parts) if p is not None]
        return torch.cat(parts, dim=-1)


def generated(source: str, x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    space: dict[str, Any] = {"torch": torch}
    exec(source, space)
    return space["f"](x)


def accumulate(x: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
    gen = running()
    next(gen)
    out = x[0]
    for row in x:
        out = gen.send(row)
    gen.close()
    return out


def running():
    total = 0
    while True:
        row = yield total
        total = total + row


def select(x: Float[Tensor, "n d"], mode: int | str | slice | None) -> Float[Tensor, "..."]:
    match mode:
        case int(i):
            return x[i]
        case str() as name:
            return getattr(x, name)(0)
        case slice():
            return x[mode]
        case None:
            return x[None]
        case _:
            assert_never(mode)


def first_true(mask: Bool[Tensor, "n"]) -> int:
    while True:
        if (hits := torch.nonzero(mask, as_tuple=True)[0]).numel():
            return int(hits[0])
        mask = ~mask
        del hits


# run: attention(randn(2, 3, 5, 7), randn(2, 3, 11, 7), randn(2, 3, 11, 13)); [make_layer(k, 5)(randn(2, 5)) for k in ("local", "identity", "norm")]
# run: c = counter(randn(3)); c(randn(3)); c(randn(3)); unique_rows(randint(0, 2, (7, 2))); compact(randn(2, 3, 5), randn(2, 3) > 0); Module(settings(act="gelu"))(randn(3, 4)); Module(settings(act="tanh", dim=6, heads=3))(randn(2, 6))
# run: generated("def f(x): return torch.relu(x)", randn(3)); accumulate(randn(5, 3)); [select(randn(5, 3), m) for m in (1, "sum", slice(0, 2), None)]; first_true(torch.tensor([False, True]))
