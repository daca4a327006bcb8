"""Arguments of the wrong kind: refused with what was wanted and what came, never with an error of torch's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch import accounting
from typedtorch.accounting import AccountingError

ac: Any = accounting  # most calls here are wrong on purpose: mypy is not to see their types
account: Any = accounting.account


class Model(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_in, d_out)

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
        out: Tensor = self.linear(x)
        return out


def product(x: Float[Tensor, "a b"]) -> Tensor:
    return x @ x.T


def total(xs: list[Float[Tensor, "a b"]]) -> Tensor:
    return torch.stack(xs).sum(0)


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.linear(x)
        return out


class Lazy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.LazyLinear(8), nn.ReLU())

    def forward(self, x: Float[Tensor, "batch d"]) -> Tensor:
        out: Tensor = self.body(x)
        return out


SIZES: list[tuple[Any, str]] = [
    (0, "wanted a size of at least 1, got 0"), (-3, "wanted a size of at least 1, got -3"),
    (2.0, "wanted an integer size, got 2.0"), (True, "wanted an integer size, got True"),
    ("3", "wanted an integer size, got '3'"), (None, "wanted an integer size, got None"),
    (torch.zeros(2, 3), "wanted an integer size, got a Tensor of shape (2, 3)"),
    ([4], "(a tuple where the name stands for several axes), got [4]"),
    (10**30, "wanted a size below 2**63"), ((2, 0), "wanted a size of at least 1, got 0"),
]  # fmt: skip


@pytest.mark.parametrize(("size", "words"), SIZES, ids=map(repr, range(len(SIZES))))
def test_a_size_that_is_none(size: Any, words: str) -> None:
    words = re.escape(words)
    with pytest.raises(AccountingError, match=f"axis 'a': .*{words}"):
        account(product, a=size, b=2)
    with pytest.raises(AccountingError, match=f"axis 'batch': .*{words}"):
        account(Model).formula("flops.forward").subs(batch=size, d_in=2, d_out=2)


ACCOUNT: dict[str, tuple[Callable[[], Any], str]] = {
    "gpu9": (
        lambda: account(product, a=2, b=2, on="gpu9"),
        "on='gpu9': did you mean 'cuda'? wanted the kind",
    ),
    "cudaa": (lambda: account(product, a=2, b=2, on="cudaa"), "did you mean 'cuda'?"),
    "h100": (lambda: account(product, a=2, b=2, on="h100"), "the time on a part is .time('h100')"),
    "on a number": (lambda: account(product, a=2, b=2, on=3), "on=3: wanted the kind of device"),
    "no such card": (lambda: account(product, a=2, b=2, on="cuda:99"), "this torch has no such device"),
    "sizes a list": (lambda: account(product, sizes=[("a", 2)]), "wanted a mapping of axis names to sizes"),
    "sizes first": (
        lambda: account(product, {"a": 2, "b": 2}),
        "wanted a tensor of the axes 'a b'; pass sizes as",
    ),
    "two sizes": (lambda: account(product, sizes={"a": 2, "b": 2}, a=3), "axis 'a' is 2 in sizes= and a=3"),
    "text": (lambda: account(product, "abc"), "the example for 'x' is 'abc'; wanted a tensor"),
    "accumulate": (
        lambda: account(product, a=2, b=2, accumulate=1.5),
        "accumulate as an integer of at least 1, got 1.5",
    ),
    "autocast": (
        lambda: account(product, a=2, b=2, autocast="bf16"),
        "torch.float16; did you mean torch.bfloat16?",
    ),
    "autocast to int8": (
        lambda: account(product, a=2, b=2, autocast=torch.int8),
        "autocast=torch.int8: wanted torch.bfloat16",
    ),
    "dtype": (lambda: account(product, a=2, b=2, dtype="half"), "did you mean torch.float16?"),
    "dtype of integers": (
        lambda: account(Model(2, 2), batch=2, dtype=torch.int64),
        "wanted a floating-point dtype",
    ),
    "checkpoint": (
        lambda: account(Model(2, 2), batch=2, checkpoint=3),
        "checkpoint=3: wanted a name or a tuple of names",
    ),
    "no such module": (
        lambda: account(Model(2, 2), batch=2, checkpoint="liner"),
        "no module has that path; did you mean 'linear'?",
    ),
    "requires_grad": (
        lambda: account(product, a=2, b=2, requires_grad="xy"),
        "requires_grad names 'xy'; the parameters are x",
    ),
    "optimizer": (
        lambda: account(Model(2, 2), batch=2, optimizer=torch.zeros(2)),
        "optimizer=a Tensor of shape (2,): wanted a name",
    ),
    "line search": (
        lambda: account(Model(2, 2), batch=2, optimizer="lbfgs"),
        "LBFGS, which runs the model as often as",
    ),
    "nothing to step": (
        lambda: account(Model(2, 2).requires_grad_(False), batch=2, optimizer="sgd", loss=lambda o: o.sum()),
        "needs a gradient",
    ),
    "loss": (lambda: account(Model(2, 2), batch=2, loss="cross_entrop"), "did you mean 'cross_entropy'?"),
    "loss of no classes": (
        lambda: account(lambda x: x.sum(-1), torch.zeros(2, 3), loss="cross_entropy"),
        "wanted an output of axes (..., classes), got (2,)",
    ),
    "loss not one number": (
        lambda: account(Model(2, 2), batch=2, loss=lambda out: out),
        "wanted a tensor of one number",
    ),
    "loss a float": (
        lambda: account(Model(2, 2), batch=2, loss=lambda out: 3.0),
        "the loss is 3.0; wanted a tensor",
    ),
    "phase": (
        lambda: account(Model(2, 2), batch=2, phase="eval"),
        "wanted one of 'train', 'inference', got 'eval'",
    ),
    "lazy": (
        lambda: account(Lazy(), batch=2, d=3),
        "Lazy: body.0 is a LazyLinear: a lazy layer learns its sizes",
    ),
    "lazy class": (lambda: account(Lazy, batch=2, d=3), "a lazy layer learns its sizes"),
    "another example": (
        lambda: account(product, torch.zeros(2, 3), a=5),
        "axis 'a' was given as 5, but the example inputs have a=2",
    ),
    "a list": (lambda: account(total), "parameter 'xs' does not say how many it holds, or of what; pass"),
    "a number": (
        lambda: account(lambda x: x * 2, x=3),
        "says no axes, so it was called with sizes, and gave 6; wanted an nn.Module",
    ),
    "script": (
        lambda: account(torch.jit.script(Plain()), torch.zeros(2, 4)),
        "TorchScript runs its operators where",
    ),
    "traced": (
        lambda: account(torch.jit.trace(Plain(), torch.zeros(2, 4)), torch.zeros(2, 4)),
        "TorchScript",
    ),
    "script inside": (
        lambda: account(nn.Sequential(torch.jit.script(Plain())), torch.zeros(2, 4)),
        "0 is a RecursiveScriptModule",
    ),
}


@pytest.mark.parametrize("name", ACCOUNT)
@pytest.mark.filterwarnings("ignore:.*torch.jit", "ignore:.*TorchScript")
def test_what_account_refuses(name: str) -> None:
    call, words = ACCOUNT[name]
    with pytest.raises(AccountingError, match=re.escape(words)):
        call()


def found() -> Any:
    return account(Model, batch=8, d_in=4, d_out=6, optimizer="adamw")


ANSWERS: dict[str, tuple[Callable[[], Any], str]] = {
    "a misspelt axis": (
        lambda: found().formula("flops.forward").subs(batch=2, d_in=2, d_ot=2),
        "'d_ot': 2}: did you mean 'd_out'?",
    ),
    "subs of a list": (
        lambda: found().formula("flops.forward").subs([1, 2]),
        "wanted a mapping of axis names",
    ),
    "a misspelt figure": (lambda: found().formula("flops.foward"), "did you mean 'flops.forward'?"),
    "a figure's number": (lambda: found().formula(3), "wanted the name of a figure as text, got 3"),
    "a module": (
        lambda: found().formula("forward", module="liner"),
        "no module is 'liner': did you mean 'linear'?",
    ),
    "a module's figure": (
        lambda: found().formula("flops", module="linear"),
        "formula('flops', module='linear'): wanted one of backward",
    ),
    "an engine": (lambda: found().formula("flops.forward", engine="primse"), "did you mean 'primes'?"),
    "a device": (lambda: found().time(3), "device=3: wanted a name"),
    "a device's dtype": (lambda: found().mfu(1.0, "h100", "bf17"), "dtype 'bf17': did you mean 'bf16'?"),
    "seconds": (lambda: found().mfu("1", "h100"), "mfu: wanted seconds above zero, got '1'"),
    "no seconds": (lambda: found().mfu(0, "h100"), "mfu: wanted seconds above zero, got 0"),
    "devices": (
        lambda: found().mfu(1.0, "h100", devices=0),
        "wanted devices as an integer of at least 1, got 0",
    ),
    "flops": (lambda: ac.mfu(-1.0, 1.0, "h100"), "wanted flops above zero, got -1.0"),
    "a share": (
        lambda: found().tokens_per_second("h100", mfu=50),
        "wanted mfu as a share, at most 1, got 50",
    ),
    "tokens": (lambda: found().napkin(tokens=float("inf"), devices=8), "wanted tokens above zero, got inf"),
    "a world": (lambda: found().sharded(2.5), "sharded: wanted world as an integer of at least 1, got 2.5"),
    "no world": (lambda: found().sharded(None), "got None"),
    "a strategy": (lambda: found().sharded(2, "zero4"), "did you mean 'zero3'?"),
    "a convention": (lambda: found().convention("6n"), "did you mean '6N'?"),
    "a cache": (
        lambda: ac.Cache(layers=1, kv_heads=1, head_dim=1, batch=1, context=2.5),
        "wanted context as an integer",
    ),
    "a cache's dtype": (
        lambda: ac.Cache(layers=1, kv_heads=1, head_dim=1, batch=1, context=2, dtype="bf16"),
        "wanted a dtype of torch, got 'bf16'",
    ),
    "a measured device": (lambda: ac.measure_peak("gpu9"), "measure_peak: no device 'gpu9' here"),
    "a measured dtype": (lambda: ac.measure_peak("cpu", "fp32"), "wanted a dtype of torch, got 'fp32'"),
    "no runs": (lambda: ac.measure_peak("cpu", runs=0), "wanted runs as an integer of at least 1, got 0"),
    "the largest": (lambda: ac.largest_model("h1000"), "did you mean 'h100'"),
    "a formula": (
        lambda: ac.register_formula("outer", lambda op: 0),
        "wanted the qualified name of an operator",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_answers_refuse(name: str) -> None:
    call, words = ANSWERS[name]
    with pytest.raises(AccountingError, match=re.escape(words)):
        call()


def test_lazy_layers_that_have_run_are_accounted_for() -> None:
    model = Lazy()
    model(torch.zeros(1, 3))
    assert account(model, batch=2).flops.forward == 2 * 2 * 3 * 8


def test_integers_of_other_kinds_are_sizes() -> None:
    size = torch.tensor(3)
    assert account(product, a=size, b=2).flops.forward == 2 * 3 * 3 * 2
