"""A resized vocabulary keeps what was learned about the tokens that stay."""

import pytest
import torch

from typedtorch import nn, optim
from typedtorch.losses import cross_entropy


def trained(tie: bool, make: type[optim.Facade]) -> tuple[nn.Transformer, optim.Facade]:
    torch.manual_seed(0)
    model = nn.Transformer(vocab=9, d_model=8, layers=1, heads=2, max_seq=6, tie=tie)
    optimizer = make(model.parameters(), lr=0.1)  # type: ignore[call-arg]  # each facade has its own
    for _ in range(3):
        step(model, optimizer)
    return model, optimizer


def step(model: nn.Transformer, optimizer: torch.optim.Optimizer) -> None:
    text = torch.tensor([[1, 2, 3, 4, 5, 6]])
    cross_entropy(model(text), text.roll(1)).backward()
    optimizer.step()
    optimizer.zero_grad()


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("make", [optim.AdamW, optim.Adafactor])
@pytest.mark.parametrize("vocab", [7, 12])
def test_rows_that_stay_keep_weights_ties_and_state(tie: bool, make: type[optim.Facade], vocab: int) -> None:
    model, optimizer = trained(tie, make)
    text = torch.tensor([[1, 2, 3]])
    before = model(text)
    kept = {name: value.clone() for name, value in optimizer.state[model.embedding.weight].items()}
    nn.resize_vocab(model, vocab, optimizer=optimizer)
    rows = min(vocab, 9)
    torch.testing.assert_close(model(text)[..., :rows], before[..., :rows])
    assert model(text).shape[-1] == vocab
    assert (model.unembedding_weight is model.embedding.weight) == tie
    held = {id(param) for group in optimizer.param_groups for param in group["params"]}
    assert held == {id(param) for param in model.parameters()}
    state = optimizer.state[model.embedding.weight]
    for name, value in kept.items():
        now = state[name]
        if value.ndim == 2 and value.shape[0] == 9:
            assert now.shape == (vocab, value.shape[1])
            assert torch.equal(now[:rows], value[:rows])
            assert not now[rows:].any()
        else:
            assert torch.equal(now, value)
    step(model, optimizer)
    assert model(text).isfinite().all()


def test_new_rows_are_drawn_like_the_others() -> None:
    model = nn.Transformer(vocab=9, d_model=100, layers=1, heads=2, max_seq=6)
    nn.resize_vocab(model, 500, generator=torch.Generator().manual_seed(0))
    assert model.embedding.weight[9:].std().item() == pytest.approx(0.02, rel=0.05)


def test_a_vocabulary_has_a_token() -> None:
    model = nn.Transformer(vocab=9, d_model=8, layers=1, heads=2, max_seq=6)
    with pytest.raises(ValueError, match="vocab must be at least 1, got 0"):
        nn.resize_vocab(model, 0)
    assert model.config.vocab == 9
