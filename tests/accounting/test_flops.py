"""FLOPs against counts written from the layer equations, and against torch's counter where it is right."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from typedtorch.accounting import UncountedError, account, register_formula

from .truth import inputs_of
from .zoo import MLP, Entry
from .zoo_more import ZOO


@pytest.mark.parametrize("entry", ZOO.values(), ids=ZOO)
def test_forward_and_training_flops_are_those_of_the_equations(entry: Entry) -> None:
    found = account(entry.model(), **entry.inputs())
    assert found.flops.forward == entry.forward(**entry.sizes)
    assert found.flops.forward + found.flops.backward == entry.training(**entry.sizes)
    assert found.uncounted == ()
    assert found.flops.step == found.flops.forward + found.flops.backward + found.flops.optimizer


@pytest.mark.parametrize("name", ["mlp", "deep linear", "convnext", "unet", "lora", "moe", "gru"])
def test_equal_to_torchs_counter_where_it_sees_every_operator(name: str) -> None:
    entry = ZOO[name]
    if name == "convnext":
        pytest.skip("its depthwise backward is counted several times too high")
    model = entry.model()
    found = account(model, **entry.inputs())
    inputs = inputs_of(found)
    with FlopCounterMode(display=False) as counter:
        model(*inputs).sum().backward()
    assert found.flops.forward + found.flops.backward == counter.get_total_flops()


class Conv(nn.Module):
    def __init__(self, c_in: int, c_out: int, *, groups: int, stride: int, transposed: bool) -> None:
        super().__init__()
        kind = nn.ConvTranspose2d if transposed else nn.Conv2d
        self.first = nn.Conv2d(c_in, c_in, 1)
        self.conv = kind(c_in, c_out, 3, stride=stride, padding=1, groups=groups)

    def forward(self, x: Float[Tensor, "batch c height width"]) -> Tensor:
        out: Tensor = self.conv(self.first(x))
        return out


@settings(max_examples=20, deadline=None)
@given(
    groups=st.sampled_from([1, 2, 4]), stride=st.integers(1, 3), transposed=st.booleans(),
    batch=st.integers(1, 3), height=st.integers(3, 9), width=st.integers(3, 9), scale=st.integers(1, 3),
)  # fmt: skip
def test_a_convolution_costs_its_weight_per_position(
    *, groups: int, stride: int, transposed: bool, batch: int, height: int, width: int, scale: int
) -> None:
    c_in, c_out = 4 * scale, 8
    model = Conv(c_in, c_out, groups=groups, stride=stride, transposed=transposed)
    found = account(model, batch=batch, c=c_in, height=height, width=width)
    out = model(torch.zeros(batch, c_in, height, width))
    positions = height * width if transposed else out.shape[2] * out.shape[3]
    conv = 2 * batch * positions * 9 * c_in * c_out // groups
    first = 2 * batch * height * width * c_in * c_in
    assert found.flops.forward == conv + first
    assert found.flops.backward == 2 * conv + first  # the data needs no gradient


@settings(max_examples=15, deadline=None)
@given(
    widths=st.lists(st.integers(1, 9), min_size=2, max_size=5), batch=st.integers(1, 5), bias=st.booleans(),
    activation=st.sampled_from([nn.ReLU, nn.GELU, nn.Tanh]),
)  # fmt: skip
def test_random_perceptrons_equal_torchs_counter_and_their_formula(
    widths: list[int], batch: int, *, bias: bool, activation: type[nn.Module]
) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            pairs = pairwise(widths)
            layers = [m for a, b in pairs for m in (nn.Linear(a, b, bias=bias), activation())]
            self.layers = nn.Sequential(*layers)

        def forward(self, x: Float[Tensor, "batch d"]) -> Tensor:
            out: Tensor = self.layers(x)
            return out

    model = Net()
    found = account(model, batch=batch, d=widths[0])
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(batch, widths[0])).sum().backward()
    assert found.flops.forward + found.flops.backward == counter.get_total_flops()
    for name in ("flops.forward", "flops.backward", "memory.saved", "memory.peak"):
        assert found.formula(name).subs(found.sizes) == found.numbers[name]


def test_a_step_of_the_lecture_is_three_forwards_without_the_first_input_gradient() -> None:
    entry = ZOO["deep linear"]
    batch, width = entry.sizes["batch"], entry.sizes["d_model"]
    found = account(entry.model(), batch=batch)
    total = found.flops.forward + found.flops.backward
    assert total == 3 * found.flops.forward - 2 * batch * width**2


def test_grouped_convolution_is_not_overcounted_as_by_torch() -> None:
    entry = ZOO["convnext"]
    model = entry.model()
    found = account(model, **entry.inputs())
    with FlopCounterMode(display=False) as counter:
        model(*inputs_of(found)).sum().backward()
    assert counter.get_total_flops() > 1.9 * (found.flops.forward + found.flops.backward)


def test_flash_attention_counts_what_torch_leaves_out_on_the_cpu() -> None:
    entry = ZOO["gpt"]
    model = entry.model()
    found = account(model, **entry.inputs())
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(2, 24, dtype=torch.int64))
    d, heads = 32, 4
    attention = 3 * 4 * 2 * heads * 24 * 24 * (d // heads)
    assert found.flops.forward == counter.get_total_flops() + attention


def test_scores_a_causal_mask_discards_are_known_apart() -> None:
    entry = ZOO["gpt"]
    found = account(entry.model(), **entry.inputs())
    seq, attention = 24, 3 * 4 * 2 * 24 * 24 * 32
    kept = attention * (seq + 1) // (2 * seq)
    assert found.counted(causal=True) == found.counted() - 3 * (attention - kept)


@pytest.mark.parametrize(
    ("function", "shapes", "flops"),
    [
        (torch.mv, [(3, 4), (4,)], 2 * 12),
        (torch.dot, [(5,), (5,)], 10),
        (torch.outer, [(3,), (4,)], 0),
        (torch.bmm, [(2, 3, 4), (2, 4, 5)], 2 * 2 * 3 * 4 * 5),
        (torch.addmm, [(3, 5), (3, 4), (4, 5)], 2 * 60),
        (torch.baddbmm, [(2, 3, 5), (2, 3, 4), (2, 4, 5)], 2 * 120),
        (lambda a, b: torch.einsum("bij,bjk->bik", a, b), [(2, 3, 4), (2, 4, 5)], 2 * 120),
        (torch.linalg.cholesky, [(4, 4)], 4 * 5 * 9 // 6),
        (torch.linalg.inv, [(4, 4)], 2 * 64),
        (torch.linalg.solve, [(4, 4), (4, 3)], 4 * 3 * 17 // 6 + 2 * 4 * 12),
        (lambda a, b: torch.cdist(a, b, p=1.0), [(2, 30, 4), (2, 5, 4)], 0),
        (torch.cdist, [(2, 6, 4), (2, 5, 4)], 0),
        (torch.cdist, [(2, 30, 4), (2, 5, 4)], 2 * 2 * 30 * 5 * (4 + 2)),  # as one product
        (nn.functional.conv1d, [(2, 4, 9), (6, 4, 3)], 2 * 2 * 7 * 6 * 4 * 3),
        (nn.functional.conv3d, [(1, 2, 4, 4, 4), (3, 2, 3, 3, 3)], 2 * 8 * 3 * 2 * 27),
    ],
)
def test_operators_one_by_one(function: Any, shapes: list[tuple[int, ...]], flops: int) -> None:
    found = account(function, *(torch.empty(s) for s in shapes), phase="inference")
    assert found.flops.forward == flops
    assert found.uncounted == ()


def test_nothing_is_silently_zero() -> None:
    def decompose(x: Float[Tensor, "n n"]) -> Tensor:
        values: Tensor = torch.linalg.svd(x).S
        return values

    found = account(decompose, n=4, phase="inference")
    assert [u.operator for u in found.uncounted] == ["aten._linalg_svd.default"]
    assert found.uncounted[0].calls == 1
    assert found.uncounted[0].bytes > 0
    with pytest.raises(UncountedError, match=r"_linalg_svd.*1 calls.*register_formula"):
        account(decompose, n=4, phase="inference", strict=True)


def test_an_own_operator_gets_its_formula() -> None:
    @torch.library.custom_op("typedtorch_test::cube", mutates_args=())
    def cube(x: Tensor) -> Tensor:
        y: Tensor = x @ x @ x
        return y

    @cube.register_fake
    def _(x: Tensor) -> Tensor:
        return torch.empty_like(x)

    def run(x: Float[Tensor, "n n"]) -> Tensor:
        out: Tensor = cube(x)
        return out

    assert account(run, n=4, phase="inference").uncounted[0].operator == "typedtorch_test.cube.default"
    register_formula("typedtorch_test.cube", lambda op: 4 * op.ins[0].numel * op.ins[0].shape[0])
    assert account(run, n=4, phase="inference").flops.forward == 4 * 64


def test_the_same_optimizer_counts_the_same_in_a_loop_over_lists_and_fused() -> None:
    counts = {
        account(MLP(8, 12), batch=2, optimizer=name).flops.optimizer
        for name in ("adamw", "adamw:foreach", "adamw:fused")
    }
    assert len(counts) == 1
    assert counts.pop() >= 14 * sum(p.numel() for p in MLP(8, 12).parameters())


def test_accumulation_repeats_the_micro_batch_and_not_the_optimizer() -> None:
    once = account(MLP(8, 12), batch=2, optimizer="sgd")
    four = account(MLP(8, 12), batch=2, optimizer="sgd", accumulate=4)
    assert four.flops.forward == 4 * once.flops.forward
    assert four.flops.backward == 4 * once.flops.backward
    assert four.flops.optimizer == once.flops.optimizer
    assert four.tokens == 4 * once.tokens


def test_modules_and_operators_add_up_to_the_whole() -> None:
    entry = ZOO["gpt"]
    found = account(entry.model(), **entry.inputs())
    root = found.modules[""]
    assert (root.forward, root.backward) == (found.flops.forward, found.flops.backward)
    assert root.parameters == found.parameters.total
    blocks = [found.modules[f"blocks.{i}"] for i in range(3)]
    assert found.modules["blocks"].forward == sum(b.forward for b in blocks)
    both = found.flops.forward + found.flops.backward + found.flops.recompute
    assert sum(cost.flops for cost in found.operators.values()) == both
