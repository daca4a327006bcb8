"""Products in eight bits: what they compute, what they keep, and where they are refused."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from typedtorch.nn import Transformer
from typedtorch.training import ConfigError, LoopSettings, LossSum, TrainConfig, Trainer, fp8
from typedtorch.training.fp8 import BACKWARD, FORWARD, eligible, fp8_linear, quantise, require_fp8, use_fp8
from typedtorch.training.resolve import resolve

from .parts import make_trainer


def operands(rows: int = 32, d_in: int = 48, d_out: int = 64) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(rows, d_in, generator=generator) * 3
    weight = torch.randn(d_out, d_in, generator=generator) / 7
    grad = torch.randn(rows, d_out, generator=generator) * 1e-4
    return x, weight, grad


def rounded(x: Tensor, dtype: torch.dtype) -> Tensor:
    """What eight bits make of ``x``, in float64."""
    factor = torch.finfo(dtype).max / x.abs().max()
    return (x * factor).to(dtype).double() / factor.double()


def test_results_and_gradients_are_the_products_of_the_rounded_operands() -> None:
    x, weight, grad = operands()
    x.requires_grad_(), weight.requires_grad_()
    found = fp8_linear(x, weight)
    found.backward(grad)
    with torch.no_grad():
        xs, ws, gs = rounded(x, FORWARD), rounded(weight, FORWARD), rounded(grad, BACKWARD)
    assert x.grad is not None
    assert weight.grad is not None
    for mine, exact in ((found, xs @ ws.T), (x.grad, gs @ ws), (weight.grad, gs.T @ xs)):
        assert mine.dtype == torch.float32
        # eight-bit operands, sums of float32: nothing else is rounded
        assert (mine.double() - exact).abs().max() < 1e-5 * exact.abs().max()


def test_the_error_is_that_of_three_bits_of_mantissa() -> None:
    x, weight, _ = operands(256, 512, 256)
    exact = x @ weight.T
    error = (fp8_linear(x, weight) - exact).norm() / exact.norm()
    assert 0.005 < error < 0.06  # 2**-4 a value at most, and values are many


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_any_magnitude_fills_the_range(scale: float) -> None:
    x = torch.tensor([1.0, -0.25, 0.0]) * scale
    data, back = quantise(x, FORWARD)
    assert data.float().abs().max() == torch.finfo(FORWARD).max
    torch.testing.assert_close(data.float() * back, x, rtol=2**-4, atol=0)


def test_zeros_stay_zeros_and_what_is_not_finite_stays_so() -> None:
    x, weight, _ = operands()
    assert not fp8_linear(torch.zeros_like(x), weight).any()
    for bad in (math.nan, math.inf):
        x[3, 4] = bad
        assert not fp8_linear(x, weight)[3].isfinite().any()


def test_a_bias_and_leading_axes_and_autocast() -> None:
    x, weight, _ = operands()
    bias = torch.arange(64.0)
    whole = fp8_linear(x, weight, bias)
    assert torch.equal(fp8_linear(x.view(2, 16, 48), weight, bias).view(32, 64), whole)
    torch.testing.assert_close(whole - bias, fp8_linear(x, weight), rtol=0, atol=1e-4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert fp8_linear(x, weight, bias).dtype == torch.bfloat16


@pytest.mark.parametrize(("rows", "d_in", "d_out"), [(31, 48, 64), (32, 40, 64), (32, 48, 60)])
def test_sides_the_kernels_do_not_take_are_ordinary_products(rows: int, d_in: int, d_out: int) -> None:
    x, weight, _ = operands(rows, d_in, d_out)
    assert torch.equal(fp8_linear(x, weight), nn.functional.linear(x, weight))


def test_what_is_kept_for_the_backward_pass_has_eight_bits() -> None:
    kept: list[Tensor] = []

    def pack(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    x, weight, _ = operands()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        fp8_linear(x.requires_grad_(), weight.requires_grad_())
    assert {t.dtype for t in kept if t.numel() > 1} == {FORWARD}


def transformer() -> Transformer:
    torch.manual_seed(0)
    return Transformer(vocab=61, d_model=32, layers=2, heads=2, max_seq=16)


def test_the_layers_of_the_blocks_are_converted_and_no_other() -> None:
    model = transformer()
    inside = {id(layer) for block in model.blocks for layer in block.modules()}
    found = eligible(model)
    assert len(found) == 2 * 7  # q, k, v, out, and the three of the gated layer
    assert all(id(layer) in inside for layer in found)
    names = set(model.state_dict())
    plain = copy.deepcopy(model)
    assert use_fp8(model) == 14
    assert set(model.state_dict()) == names
    tokens = torch.randint(61, (2, 16))
    difference = (model(tokens) - plain(tokens)).abs().max()
    assert 0 < difference < 0.1


def test_a_model_with_nothing_to_convert_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"precision fp8: Linear has no list of blocks"):
        use_fp8(nn.Linear(16, 16))


def test_training_learns_what_it_learns_in_full_precision() -> None:
    text = torch.arange(17).repeat(4, 1)

    def loss(model: nn.Module, batch: Any) -> LossSum:
        logits = model(batch[:, :-1]).flatten(0, 1)
        return LossSum(
            nn.functional.cross_entropy(logits.float(), batch[:, 1:].flatten(), reduction="sum"), 64
        )

    def losses(precision: Any) -> list[float]:
        model = transformer()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        settings = LoopSettings(steps=30, precision=precision, handle_signals=False)
        return Trainer(model, loss, [text], optimizer, settings).fit().losses

    eight, full = losses("fp8"), losses("fp32")
    assert eight[-1] < 0.5 * eight[0]
    assert eight != full
    assert eight == pytest.approx(full, rel=0.1, abs=0.05)


def test_compiled_it_is_one_graph_with_the_same_result() -> None:
    x, weight, _ = operands()
    whole = torch.compile(fp8_linear, fullgraph=True, backend="aot_eager")
    assert torch.equal(whole(x, weight), fp8_linear(x, weight))


# --- hardware that has no such products


def test_an_older_gpu_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 0))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "A100")
    message = r"expected a GPU of compute capability 8.9 or more .*, A100 has 8.0; use bf16"
    with pytest.raises(ConfigError, match=message):
        require_fp8(torch.device("cuda"))


def test_a_machine_without_the_kernels_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> Tensor:
        raise NotImplementedError("Could not run 'aten::_scaled_mm'\nmore")

    monkeypatch.setattr(fp8, "_product", missing)
    message = r"this cpu cannot multiply float8 matrices \(Could not run 'aten::_scaled_mm'\); use bf16"
    with pytest.raises(ConfigError, match=message):
        resolve(TrainConfig().override(precision="fp8"), torch.device("cpu"))
    with pytest.raises(ConfigError, match=message):
        make_trainer(precision="fp8")
