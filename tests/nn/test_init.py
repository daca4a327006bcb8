"""Initial weights: truncated where they say, as wide as they say."""

import math

import pytest
import torch

from typedtorch.nn import Embedding, Linear, Transformer, init, lecture

# deviation of a standard normal cut at 3: sqrt(1 - 2*3*phi(3) / (2*Phi(3) - 1))
CUT = math.sqrt(1 - 6 * math.exp(-4.5) / math.sqrt(2 * math.pi) / math.erf(3 / math.sqrt(2)))


def source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("std", [1e-3, 0.02, 1.0, 50.0])
def test_truncated_normal_is_cut_at_three_deviations(std: float) -> None:
    weight = init.truncated_normal(torch.empty(300, 1000), std, generator=source())
    assert weight.abs().max() <= 3 * std
    assert weight.abs().max() > 2.9 * std  # and not before
    assert weight.std().item() == pytest.approx(CUT * std, rel=0.01)
    assert weight.mean().item() == pytest.approx(0.0, abs=0.01 * std)


@pytest.mark.parametrize(("d_out", "d_in"), [(300, 1000), (1000, 300)])
def test_fan_in_normal_keeps_the_size_of_what_passes_through(d_out: int, d_in: int) -> None:
    weight = init.fan_in_normal(torch.empty(d_out, d_in), generator=source())
    assert weight.std().item() == pytest.approx(CUT / math.sqrt(d_in), rel=0.01)
    out = torch.randn(500, d_in, generator=source(1)) @ weight.T
    assert out.std().item() == pytest.approx(1.0, rel=0.03)


def test_a_width_of_0_is_zeros_and_a_negative_one_is_refused() -> None:
    assert torch.equal(init.truncated_normal(torch.ones(3), 0.0), torch.zeros(3))
    with pytest.raises(ValueError, match="truncated_normal: std must be at least 0, got -1"):
        init.truncated_normal(torch.ones(3), -1.0)
    with pytest.raises(ValueError, match="residual_gain: layers must be at least 1, got 0"):
        init.residual_gain(0)


def test_drawing_does_not_touch_autograd_and_can_be_repeated() -> None:
    layer = Linear(8, 8)
    layer.reset_parameters(generator=source(7))
    first = layer.weight.detach().clone()
    layer.reset_parameters(generator=source(7))
    assert torch.equal(layer.weight, first)
    assert layer.weight.requires_grad
    assert layer.weight.is_leaf


def test_the_lectures_linear_has_deviation_one_over_root_d_in() -> None:
    torch.manual_seed(0)
    assert lecture.Linear(400, 500).w.std().item() == pytest.approx(1 / 20, rel=0.02)


def test_what_writes_to_the_residual_stream_starts_smaller() -> None:
    model = Transformer(vocab=64, d_model=128, layers=8, heads=4, max_seq=8)
    model.reset_parameters(generator=source())
    block = model.blocks[3]
    gain = CUT / math.sqrt(16)
    assert block.attention.q.weight.std().item() == pytest.approx(CUT / math.sqrt(128), rel=0.05)
    assert block.attention.out.weight.std().item() == pytest.approx(gain / math.sqrt(128), rel=0.05)
    assert block.mlp.down.weight.std().item() == pytest.approx(gain / math.sqrt(model.config.width), rel=0.05)


def test_an_untrained_model_knows_nothing() -> None:
    torch.manual_seed(0)
    model = Transformer(vocab=256, d_model=64, layers=4, heads=4, max_seq=32)
    logits = model(torch.randint(256, (4, 32)))
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.randint(256, (128,)))
    assert loss.item() == pytest.approx(math.log(256), abs=0.1)


def test_embeddings_draw_with_their_own_deviation() -> None:
    torch.manual_seed(0)
    assert Embedding(500, 100, std=0.5).weight.std().item() == pytest.approx(0.5 * CUT, rel=0.02)
