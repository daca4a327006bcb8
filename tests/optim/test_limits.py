"""Clipping, averages and parameter groups."""

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from typedtorch.optim import clip_by_global_norm, clip_by_value, decay_groups, ema, ema_decay, global_norm


def _grads(seed: int = 0) -> list[torch.Tensor]:
    source = torch.Generator().manual_seed(seed)
    return [
        torch.randn(3, 4, generator=source),
        torch.randn((), generator=source),
        torch.randn(5, generator=source).to(torch.bfloat16),
    ]


@given(st.integers(0, 1000), st.floats(0.01, 10.0))
def test_the_norm_is_torchs_and_the_clipped_norm_is_the_limit(seed: int, limit: float) -> None:
    grads = _grads(seed)
    expected = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    before = [g.clone() for g in grads]
    found = clip_by_global_norm(grads, limit)
    assert found.norm.item() == pytest.approx(expected, rel=1e-5)
    if expected <= limit * (1 - 1e-6):
        assert all(torch.equal(a, b) for a, b in zip(grads, before, strict=True))
    elif expected >= limit * (1 + 1e-6):
        assert global_norm(grads).item() == pytest.approx(limit, rel=1e-2)


def test_below_the_limit_every_bit_stays() -> None:
    # a factor below but near 1, as norm / (norm + eps) would give, rounds most elements
    grads = [torch.randn(1000)]
    before = grads[0].clone()
    clip_by_global_norm(grads, global_norm(grads).item() * 1.001)
    assert torch.equal(grads[0], before)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_reported_and_left_alone(bad: float) -> None:
    grads = [torch.tensor([1.0, bad]), torch.tensor([100.0])]
    found = clip_by_global_norm(grads, 1.0)
    assert not found.finite
    assert grads[1].item() == 100.0
    assert clip_by_global_norm([torch.ones(2)], 1.0).finite


def test_half_precision_does_not_overflow() -> None:
    grads = [torch.full((10,), 1000.0, dtype=torch.float16)]
    assert clip_by_global_norm(grads, 1.0).norm.item() == pytest.approx(1000 * math.sqrt(10), rel=1e-3)
    assert global_norm(grads).item() == pytest.approx(1.0, rel=1e-2)


def test_no_gradients_have_norm_0() -> None:
    assert clip_by_global_norm([], 1.0).norm.item() == 0.0


def test_an_infinite_limit_only_measures() -> None:
    grads = [torch.tensor([3.0, 4.0])]
    assert clip_by_global_norm(grads, math.inf).norm.item() == 5.0
    assert grads[0].tolist() == [3.0, 4.0]


@pytest.mark.parametrize("clip", [clip_by_global_norm, clip_by_value])
@pytest.mark.parametrize("limit", [0.0, -1.0, math.nan])
def test_a_limit_is_above_0(clip: object, limit: float) -> None:
    assert callable(clip)
    with pytest.raises(ValueError, match="limit must be greater than 0, got"):
        clip([torch.ones(1)], limit)


@pytest.mark.parametrize("clip", [clip_by_global_norm, clip_by_value])
def test_parameters_in_place_of_gradients_are_refused_and_left(clip: Callable[..., object]) -> None:
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    with pytest.raises(TypeError, match="expected gradients, got parameters; pass"):
        clip(layer.parameters(), 1e-3)
    assert torch.equal(layer.weight, before)
    clip((p.grad for p in layer.parameters()), 1e-3)  # none yet: nothing to do


def test_complex_gradients_have_no_largest_value_to_clamp_to() -> None:
    with pytest.raises(TypeError, match="a gradient is complex; clip_by_global_norm scales those"):
        clip_by_value([torch.ones(2), torch.ones(2, dtype=torch.complex64)], 1.0)


def test_clipping_by_value_clamps_each_element() -> None:
    grads = [torch.tensor([-5.0, 0.1, 5.0]), torch.tensor(2.0), torch.empty(0)]
    found = clip_by_value(grads, 1.0)
    assert grads[0].tolist() == pytest.approx([-1.0, 0.1, 1.0])
    assert grads[1].item() == 1.0
    assert found.finite
    assert found.largest.item() == 5.0
    assert clip_by_value([], 1.0).largest.item() == 0.0
    assert clip_by_value(grads, math.inf).largest.item() == 1.0  # only measures


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_clipping_by_value_is_torchs_where_all_is_finite(dtype: torch.dtype) -> None:
    grads = [*_grads(), torch.randn(40).to(dtype)]
    theirs = [nn.Parameter(torch.zeros_like(g)) for g in grads]
    for param, grad in zip(theirs, grads, strict=True):
        param.grad = grad.clone()
    nn.utils.clip_grad_value_(theirs, 0.3)
    clip_by_value(grads, 0.3)
    assert all(torch.equal(g, p.grad) for g, p in zip(grads, theirs, strict=True) if p.grad is not None)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_clipping_by_value_reports_what_is_not_finite_and_leaves_it(bad: float, dtype: torch.dtype) -> None:
    grads = [torch.tensor([1.0, bad]), torch.tensor([100.0], dtype=dtype)]
    found = clip_by_value(grads, 1.0)
    assert not found.finite
    assert str(grads[0].tolist()) == str([1.0, bad])
    assert grads[1].item() == 100.0


@pytest.mark.parametrize("clip", [clip_by_global_norm, clip_by_value])
def test_nothing_is_read_back_from_a_device(clip: Callable[..., object]) -> None:
    # a tensor without data can not be read: where that were tried, this would fail
    clip([torch.empty(3, 4, device="meta"), torch.empty(5, device="meta", dtype=torch.bfloat16)], 1.0)


@pytest.mark.parametrize("donate", [False, True])
def test_an_average_of_a_constant_approaches_it(donate: bool) -> None:
    averages, params = [torch.zeros(3)], [torch.ones(3, dtype=torch.bfloat16)]
    start = averages[0]
    for step in range(1, 11):
        averages = ema(averages, params, decay=0.9, donate=donate)
        torch.testing.assert_close(averages[0], torch.full((3,), 1 - 0.9**step))
    assert (averages[0] is start) == donate
    assert averages[0].dtype == torch.float32


def test_averages_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="ema: 1 averages of 2 parameters"):
        ema([torch.ones(1)], [torch.ones(1), torch.ones(1)], decay=0.9)
    with pytest.raises(ValueError, match=r"ema: average 0 is \(1,\), its parameter \(2,\)"):
        ema([torch.ones(1)], [torch.ones(2)], decay=0.9)
    with pytest.raises(ValueError, match=r"ema: decay must be in \[0, 1\], got 1.5"):
        ema([torch.ones(1)], [torch.ones(1)], decay=1.5)
    assert ema_decay(10**9, 0.999) == 0.999


def test_norms_and_biases_do_not_decay() -> None:
    model = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 4), nn.LayerNorm(4))
    decayed, spared = decay_groups(model, 0.1)
    assert decayed["param_names"] == ["0.weight", "1.weight"]
    assert spared["param_names"] == ["1.bias", "2.weight", "2.bias"]
    assert (decayed["weight_decay"], spared["weight_decay"]) == (0.1, 0.0)


def test_every_trainable_parameter_is_in_one_group_once() -> None:
    model = nn.Sequential(nn.Embedding(4, 4), nn.Linear(4, 4, bias=False), nn.LayerNorm(4))
    model[1].weight = model[0].weight  # tied
    model[2].bias.requires_grad_(False)
    found = [id(p) for group in decay_groups(model, 0.1) for p in group["params"]]
    assert sorted(found) == sorted(id(p) for p in model.parameters() if p.requires_grad)


def test_the_rule_may_be_ones_own() -> None:
    model = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 4))
    decayed, spared = decay_groups(model, 0.1, decays=lambda name, _: name.startswith("1."))
    assert spared["param_names"] == ["0.weight"]
    assert decayed["param_names"] == ["1.weight", "1.bias"]


def test_a_frozen_model_has_no_groups() -> None:
    with pytest.raises(ValueError, match="decay_groups: Linear has no parameter that requires a gradient"):
        decay_groups(nn.Linear(2, 2).requires_grad_(False), 0.1)


@pytest.mark.parametrize("clip", [clip_by_global_norm, clip_by_value])
def test_a_sparse_gradient_is_refused(clip: Callable[..., object]) -> None:
    table = torch.nn.Embedding(4, 2, sparse=True)
    table(torch.tensor([1])).sum().backward()
    with pytest.raises(ValueError, match=rf"{clip.__name__}: a gradient is sparse; make it dense"):
        clip([torch.ones(2), table.weight.grad], 1.0)
