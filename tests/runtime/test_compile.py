"""Decorated code is to torch.compile, torch.export, torch.func and the rest what it is undecorated."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch._dynamo.utils import counters
from torch.utils.checkpoint import checkpoint

from typedtorch.nn.containers import ModuleList, Sequential
from typedtorch.nn.module import Module
from typedtorch.runtime import ShapeCheckError, checking, typed
from typedtorch.runtime.hook import checked

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()


def mix(
    x: Float[Tensor, "batch d"],
    w: Float[Tensor, "d k"],
    *rest: Float[Tensor, "#batch k"],
    scale: float = 2.0,
    mask: Int[Tensor, "batch"] | None = None,
) -> Float[Tensor, "batch k"]:
    y = scale * (x @ w)
    for other in rest:
        y = y + other
    return y if mask is None else y * mask[:, None]


class PlainBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(4))
        self.inner = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        for layer in self.inner:
            x = layer(x)
        return x @ self.weight


class TypedBlock(Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(4))
        self.inner = ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        for layer in self.inner:
            x = layer(x)
        return x @ self.weight


def compiled_run(function: Function, calls: list[tuple[Any, ...]], **options: Any) -> Counter[str]:
    """What dynamo counted while it compiled ``function`` for these calls."""
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager", **options)
    for call in calls:
        compiled(*call)
    assert not counters["graph_break"]
    return Counter(counters["stats"])


def batches(*sizes: int) -> list[tuple[Any, ...]]:
    return [(torch.ones(n, 4), torch.ones(4, 3), torch.ones(1, 3)) for n in sizes]


@pytest.mark.parametrize("called_before", [False, True])
@pytest.mark.parametrize("options", [{}, {"dynamic": True}, {"dynamic": False}])
def test_functions_compile_as_undecorated(called_before: bool, options: dict[str, bool]) -> None:
    decorated = typed(mix)
    if called_before:
        decorated(*batches(2)[0])
    calls = batches(2, 3, 5, 7)
    assert compiled_run(decorated, calls, **options) == compiled_run(mix, calls, **options)


@pytest.mark.parametrize("called_before", [False, True])
def test_modules_compile_as_undecorated(called_before: bool) -> None:
    ours = Sequential(TypedBlock(), nn.ReLU(), TypedBlock())
    plain = nn.Sequential(PlainBlock(), nn.ReLU(), PlainBlock())
    if called_before:
        ours(torch.ones(2, 4))
    calls = [(torch.ones(n, 4),) for n in (2, 3, 5, 7)]
    assert compiled_run(ours, calls) == compiled_run(plain, calls)


def test_calling_it_uncompiled_in_between_recompiles_nothing() -> None:
    block = TypedBlock()
    compiled = torch.compile(block, fullgraph=True, backend="eager", dynamic=True)
    compiled(torch.ones(2, 4))
    graphs = counters["stats"]["unique_graphs"]
    block(torch.ones(2, 4))
    with checking(False):
        compiled(torch.ones(3, 4))
    compiled(torch.ones(3, 4))
    assert counters["stats"]["unique_graphs"] == graphs == 1


def test_uncompiled_calls_are_still_checked() -> None:
    block = TypedBlock()
    torch.compile(block, fullgraph=True, backend="eager")(torch.ones(2, 4))
    compiled = torch.compile(typed(mix), backend="eager")
    compiled(*batches(2)[0])
    with pytest.raises(ShapeCheckError):
        typed(mix)(torch.ones(2, 4), torch.ones(3, 3))


@pytest.mark.parametrize("strict", [True, False])
def test_export_keeps_dimensions_dynamic(strict: bool) -> None:
    batch = torch.export.Dim("batch")
    program = torch.export.export(
        TypedBlock(), (torch.ones(3, 4),), dynamic_shapes={"x": {0: batch}}, strict=strict
    )
    for n in (2, 11):
        assert program.module()(torch.ones(n, 4)).shape == (n, 4)


def test_backward_through_compiled_code() -> None:
    block = TypedBlock()
    torch.compile(block, fullgraph=True, backend="aot_eager")(torch.ones(2, 4)).sum().backward()
    assert block.weight.grad is not None


def test_dataclasses_and_class_methods_compile() -> None:
    @typed
    @dataclass
    class Batch:
        x: Float[Tensor, "n d"]
        y: Float[Tensor, "n"]

        def scaled(self, by: float) -> Float[Tensor, "n d"]:
            return self.x * by

    def run(x: Tensor, y: Tensor) -> Tensor:
        batch = Batch(x, y)
        batch.x = batch.scaled(2.0)
        return batch.x.sum() + batch.y.sum()

    compiled = torch.compile(run, fullgraph=True, backend="eager")
    assert compiled(torch.ones(2, 3), torch.ones(2)).item() == 14
    with pytest.raises(ShapeCheckError):
        run(torch.ones(2, 3), torch.ones(3))


def test_functions_of_one_text_are_compiled_each_for_itself() -> None:
    def adder(amount: int) -> Function:
        @typed
        def add(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
            return x + amount

        return add

    for amount in (1, 2, 3):
        compiled = torch.compile(adder(amount), fullgraph=True, backend="eager")
        assert compiled(torch.zeros(2)).tolist() == [amount, amount]


def test_generators_compile() -> None:
    @typed
    def rows(x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d"]]:
        yield from x

    def run(x: Tensor) -> Tensor:
        return sum(rows(x), torch.zeros(x.shape[1]))

    assert torch.compile(run, fullgraph=True, backend="eager")(torch.ones(2, 3)).tolist() == [2, 2, 2]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_older_tracers() -> None:
    block = TypedBlock()
    assert torch.jit.trace(block, torch.ones(2, 4))(torch.ones(2, 4)).shape == (2, 4)
    assert torch.fx.symbolic_trace(block)(torch.ones(3, 4)).shape == (3, 4)


def test_vmap_checks_what_the_body_sees() -> None:
    @typed
    def dot(x: Float[Tensor, "d"], y: Float[Tensor, "d"]) -> Float[Tensor, ""]:
        return x @ y

    assert torch.func.vmap(dot)(torch.ones(5, 3), torch.ones(5, 3)).shape == (5,)
    with pytest.raises(ShapeCheckError, match="axis d: wanted 3, got 4"):
        torch.func.vmap(dot)(torch.ones(5, 3), torch.ones(5, 4))
    with pytest.raises(ShapeCheckError, match="wanted 1 axis, got 2"):
        dot(torch.ones(5, 3), torch.ones(5, 3))


def test_func_transforms() -> None:
    @typed
    def loss(w: Float[Tensor, "d"], x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
        return (x @ w).square().mean()

    w, x = torch.ones(3), torch.ones(2, 3)
    assert torch.func.grad(loss)(w, x).shape == (3,)
    assert torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x[None]).shape == (1, 3)
    assert torch.func.jacrev(loss)(w, x).shape == (3,)
    assert torch.func.hessian(loss)(w, x).shape == (3, 3)
    compiled = torch.compile(torch.func.grad(loss), fullgraph=True, backend="eager")
    assert compiled(w, x).shape == (3,)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpoint(use_reentrant: bool) -> None:
    block, x = TypedBlock(), torch.ones(2, 4, requires_grad=True)
    checkpoint(block, x, use_reentrant=use_reentrant).sum().backward()
    assert x.grad is not None
    with pytest.raises(ShapeCheckError):
        checkpoint(typed(mix), x, torch.ones(3, 3), use_reentrant=use_reentrant)


def test_functional_call_meta_and_fake_tensors() -> None:
    block = TypedBlock()
    parameters = {name: p.detach() for name, p in block.named_parameters()}
    assert torch.func.functional_call(block, parameters, (torch.ones(2, 4),)).shape == (2, 4)
    with torch.device("meta"):
        assert TypedBlock()(torch.ones(2, 4)).shape == (2, 4)
    with torch._subclasses.fake_tensor.FakeTensorMode():
        assert TypedBlock()(torch.ones(2, 4)).shape == (2, 4)
        with pytest.raises(ShapeCheckError):
            typed(mix)(torch.ones(2, 4), torch.ones(3, 3))


@pytest.mark.parametrize("decorator", [typed, checked])
def test_functions_defined_in_a_traced_function(decorator: Callable[[Function], Function]) -> None:
    def outer(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        @decorator
        def inner(y: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
            return y * 2

        doubled: Float[Tensor, "b d"] = inner(x)
        return x + doubled

    assert torch.compile(outer, fullgraph=True, backend="eager")(torch.ones(2, 3)).sum() == 18


DDP = """
import torch, torch.distributed as dist
from jaxtyping import Float
from torch import Tensor
from typedtorch.nn.module import Module
from typedtorch.runtime import ShapeCheckError
class Block(Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.eye(4))
    def forward(self, x: Float[Tensor, "batch d"], y: Float[Tensor, "batch"]) -> Float[Tensor, "batch d"]:
        return x @ self.weight + y[:, None]
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = torch.nn.parallel.DistributedDataParallel(Block())
model(torch.ones(2, 4), torch.ones(2)).sum().backward()
assert model.module.weight.grad is not None
try:
    model(torch.ones(2, 4), torch.ones(3))
except ShapeCheckError as error:
    print(error)
dist.destroy_process_group()
"""


def test_distributed_data_parallel() -> None:
    run = subprocess.run(
        [sys.executable, "-c", DDP], capture_output=True, text=True, check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert "argument 'y': axis batch: wanted 2, got 3" in run.stdout
