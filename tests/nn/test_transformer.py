"""The Transformer: causal, cached, tied, and the same whichever way it is run."""

import dataclasses
import io

import pytest
import torch
from torch import Tensor

from typedtorch import nn
from typedtorch.losses import cross_entropy, linear_cross_entropy

STYLES = {
    "llama": nn.LLAMA,
    "gpt2": nn.GPT2,
    "interleaved": nn.Style(positions=nn.Rotary(pairs="interleaved")),
    "mixed": nn.Style(norm=nn.Centred(bias=False), mlp=nn.Plain("relu", bias=False), positions=nn.Learned()),
}


def model(style: str = "llama", *, tie: bool = True, dropout: float = 0.0) -> nn.Transformer:
    torch.manual_seed(0)
    made = nn.Transformer(
        vocab=13,
        d_model=16,
        layers=2,
        heads=4,
        kv_heads=2,
        max_seq=12,
        tie=tie,
        dropout=dropout,
        style=STYLES[style],
    )
    for param in made.parameters():  # far from the start, where differences would be small
        torch.nn.init.normal_(param, std=0.5)
    return made


def tokens(batch: int = 2, seq: int = 9) -> Tensor:
    return torch.randint(13, (batch, seq), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("style", STYLES)
def test_a_position_sees_no_later_one(style: str) -> None:
    net, text = model(style), tokens()
    changed = text.clone()
    changed[:, 5] = (changed[:, 5] + 1) % 13
    before, after = net(text), net(changed)
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.allclose(before[:, 5:], after[:, 5:])


@pytest.mark.parametrize("style", STYLES)
def test_order_matters(style: str) -> None:
    net, text = model(style), tokens(1)
    swapped = text[:, [1, 0, *range(2, 9)]]
    assert not torch.allclose(net(text)[:, -1], net(swapped)[:, -1])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("splits", [[9], [1] * 9, [4, 5], [3, 1, 1, 4]])
def test_reading_in_pieces_with_a_cache_is_reading_at_once(style: str, splits: list[int]) -> None:
    net, text = model(style), tokens()
    caches = net.new_caches()
    pieces = [net.hidden(piece, caches) for piece in torch.split(text, splits, dim=1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), net.hidden(text), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("tie", [True, False])
def test_logits_are_the_hidden_states_times_the_unembedding(tie: bool) -> None:
    net, text = model(tie=tie), tokens()
    torch.testing.assert_close(net(text), net.hidden(text) @ net.unembedding_weight.T)
    assert (net.unembedding_weight is net.embedding.weight) == tie
    assert len(list(net.parameters())) == len(list(model(tie=True).parameters())) + (not tie)


def test_the_chunked_loss_trains_like_the_plain_one() -> None:
    text = tokens(4, 10)
    gradients = []
    for chunked in (False, True):
        net = model()
        if chunked:
            loss = linear_cross_entropy(
                net.hidden(text[:, :-1]), net.unembedding_weight, text[:, 1:], chunk=7
            )
        else:
            loss = cross_entropy(net(text[:, :-1]), text[:, 1:])
        gradients.append(torch.autograd.grad(loss, list(net.parameters())))
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_dropout_is_for_training_only() -> None:
    net, text = model(dropout=0.5), tokens()
    assert not torch.allclose(net(text), net(text))
    net.eval()
    assert torch.equal(net(text), net(text))


def test_a_configuration_makes_the_same_model_again() -> None:
    net = model("gpt2", tie=False)
    again = nn.Transformer.from_config(net.config)
    assert again.config == net.config
    again.load_state_dict(net.state_dict())
    assert torch.equal(again(tokens()), net(tokens()))
    assert dataclasses.replace(net.config, layers=1) != net.config


def test_a_model_made_on_meta_can_be_filled_later() -> None:
    net = nn.Transformer(vocab=13, d_model=16, layers=2, heads=4, max_seq=12, device="meta")
    net.to_empty(device="cpu")
    net.reset_parameters(generator=torch.Generator().manual_seed(5))
    fresh = nn.Transformer(vocab=13, d_model=16, layers=2, heads=4, max_seq=12)
    fresh.reset_parameters(generator=torch.Generator().manual_seed(5))
    assert torch.equal(net(tokens()), fresh(tokens()))  # nothing depends on a buffer left empty


def test_rotary_angles_stay_exact_in_half_precision() -> None:
    net = model().to(torch.bfloat16)
    rotation = net._rotation(torch.arange(1000, 1012))
    assert rotation is not None
    assert rotation.cos.dtype == torch.float32
    torch.testing.assert_close(rotation.cos[:, 0], torch.arange(1000.0, 1012).cos())


def test_a_model_survives_saving() -> None:
    net, stored = model(), io.BytesIO()
    torch.save(net.state_dict(), stored)
    stored.seek(0)
    again = nn.Transformer.from_config(net.config)
    again.load_state_dict(torch.load(stored, weights_only=True))
    assert torch.equal(again(tokens()), net(tokens()))


def test_positions_beyond_the_last_are_refused() -> None:
    with pytest.raises(ValueError, match="Transformer: 13 positions, but max_seq is 12"):
        model("gpt2")(tokens(1, 13))
    net = model("llama")
    assert net(tokens(1, 13)).shape == (1, 13, 13)  # rotations have no end
    caches = net.new_caches()
    with pytest.raises(ValueError, match="KVCache: 13 positions do not fit in 12"):
        net.hidden(tokens(1, 13), caches)


def test_sizes_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="Transformer: layers must be at least 1, got 0"):
        nn.TransformerConfig(vocab=1, d_model=1, layers=0, heads=1, max_seq=1)
    with pytest.raises(ValueError, match=r"Transformer: dropout must be in \[0, 1\), got 1.0"):
        nn.TransformerConfig(vocab=1, d_model=1, layers=1, heads=1, max_seq=1, dropout=1.0)
    with pytest.raises(
        TypeError, match=r"style is a Style, such as LLAMA or GPT2, got 'gpt2'|'style': wanted"
    ):
        nn.Transformer(vocab=1, d_model=2, layers=1, heads=1, max_seq=1, style="gpt2")  # type: ignore[arg-type]


def test_the_default_width_has_the_parameters_of_a_plain_layer_of_four() -> None:
    for d_model in (128, 768, 4096):
        gated = nn.Gated().default_width(d_model)
        assert gated % 64 == 0
        assert 0 <= 3 * gated - 8 * d_model < 3 * 64
        assert nn.Plain().default_width(d_model) == 4 * d_model


def test_one_graph_serves_every_length() -> None:
    torch._dynamo.reset()
    net = model("gpt2")
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(net, backend="eager", fullgraph=True, dynamic=True)
    for seq in (5, 7, 9):
        torch.testing.assert_close(compiled(tokens(2, seq)), net(tokens(2, seq)))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_a_small_model_learns_a_small_text_by_heart() -> None:
    torch.manual_seed(0)
    net = nn.Transformer(vocab=13, d_model=32, layers=2, heads=2, max_seq=12)
    text = tokens(1, 12)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(60):
        loss = cross_entropy(net(text[:, :-1]), text[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
    assert torch.equal(nn.sample(net, text[:, :3], 9, temperature=0.0), text)
