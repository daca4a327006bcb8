"""Sampling: greedy is the argmax, draws follow the distribution, and text may outgrow the context."""

import pytest
import torch

from typedtorch import nn


def model(max_seq: int = 8) -> nn.Transformer:
    torch.manual_seed(0)
    made = nn.Transformer(vocab=7, d_model=16, layers=2, heads=2, max_seq=max_seq, dropout=0.1)
    for param in made.parameters():
        torch.nn.init.normal_(param, std=0.5)
    return made


def source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_greedy_text_is_the_argmax_of_the_uncached_model() -> None:
    net, text = model(), torch.tensor([[1, 2], [3, 4]])
    sampled = nn.sample(net, text, 6, temperature=0.0)
    net.eval()
    for _ in range(6):
        text = torch.cat([text, net(text)[:, -1:].argmax(-1)], dim=1)
    assert torch.equal(sampled, text)


def test_text_longer_than_the_context_goes_on_from_its_second_half() -> None:
    net, text = model(max_seq=4), torch.tensor([[1, 2, 3, 4, 5, 6]])
    sampled = nn.sample(net, text, 9, temperature=0.0)
    assert torch.equal(sampled[:, :6], text)
    net.eval()
    start = 2  # the last four tokens of the prompt
    for end in range(6, 15):
        if end - start > 4:
            start = end - 2
        assert sampled[0, end] == net(sampled[:, start:end])[0, -1].argmax()


def test_sampling_is_repeatable_and_leaves_the_mode() -> None:
    net, text = model(), torch.tensor([[1, 2]])
    one, other = (nn.sample(net, text, 20, generator=source(3)) for _ in range(2))
    assert torch.equal(one, other)
    assert not torch.equal(one, nn.sample(net, text, 20, generator=source(4)))
    assert net.training
    net.eval()
    nn.sample(net, text, 1)
    assert not net.training


def test_the_mode_comes_back_after_a_failure() -> None:
    net = model()
    with pytest.raises(IndexError):
        nn.sample(net, torch.tensor([[99]]), 1)
    assert net.training


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_follow_the_softmax_at_the_temperature(temperature: float) -> None:
    logits = torch.tensor([0.0, 1.0, 2.0])
    drawn = nn.choose(logits.expand(20_000, 3), temperature=temperature, generator=source())
    shares = torch.bincount(drawn, minlength=3) / 20_000
    torch.testing.assert_close(shares, torch.softmax(logits / temperature, 0), rtol=0, atol=0.015)


def test_top_p_draws_from_the_fewest_that_reach_it() -> None:
    logits = torch.tensor([[0.5, 0.1, 0.3, 0.1]]).log().expand(4000, 4)
    for top_p, kept in ((0.01, {0}), (0.45, {0}), (0.7, {0, 2}), (1.0, {0, 1, 2, 3})):
        drawn = nn.choose(logits, top_p=top_p, generator=source())
        assert set(drawn.tolist()) == kept
    both = nn.choose(logits, top_k=2, top_p=0.7, generator=source())  # of the two, 0 has 0.625
    assert set(both.tolist()) == {0, 2}
    assert (both == 0).float().mean().item() == pytest.approx(0.625, abs=0.03)
    assert set(nn.choose(logits, top_k=2, top_p=0.6, generator=source()).tolist()) == {0}
    for wrong in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="top_p is a probability above 0, got"):
            nn.sample(model(), torch.tensor([[1]]), 1, top_p=wrong)


def test_top_k_draws_from_the_likeliest_alone() -> None:
    logits = torch.tensor([0.0, 3.0, 1.0, 2.0]).expand(1000, 4)
    drawn = nn.choose(logits, top_k=2, generator=source())
    assert set(drawn.tolist()) == {1, 3}
    assert set(nn.choose(logits, top_k=1).tolist()) == {1}
    assert set(nn.choose(logits, top_k=99, generator=source()).tolist()) == {0, 1, 2, 3}


def test_nothing_to_add_is_the_prompt() -> None:
    text = torch.tensor([[1, 2]])
    assert torch.equal(nn.sample(model(), text, 0), text)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="sample: the prompt has no token to start from"):
        nn.sample(model(), torch.zeros(1, 0, dtype=torch.long), 1)
    # where annotations are enforced, they are what refuses
    wanted = r"the prompt is \(batch, prompt\), got \(2,\)|'prompt': wanted 2 axes, got 1"
    with pytest.raises((ValueError, TypeError), match=wanted):
        nn.sample(model(), torch.tensor([1, 2]), 1)
    with pytest.raises(ValueError, match=r"top_k at least 1, got 1, 1.0 and 0"):
        nn.sample(model(), torch.tensor([[1]]), 1, top_k=0)
    with pytest.raises(ValueError, match="n and temperature must be at least 0"):
        nn.sample(model(), torch.tensor([[1]]), -1)
    with pytest.raises(ValueError, match=r"top_k at least 1, got 1, nan and None"):
        nn.sample(model(), torch.tensor([[1]]), 1, temperature=float("nan"))


def test_each_part_is_in_its_own_mode_afterwards() -> None:
    net = model().train()
    net.blocks[0].eval()
    nn.sample(net, torch.tensor([[1]]), 2)
    assert (net.training, net.blocks[0].training) == (True, False)


def test_arguments_that_make_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="sample: temperature must be 0 or at least 1e-30, got 1e-42"):
        nn.sample(model(), torch.tensor([[1]]), 1, temperature=1e-42)
    with pytest.raises(TypeError, match=r"sample: .*prompt.*got.*uint8"):
        nn.sample(model(), torch.tensor([[1]], dtype=torch.uint8), 1)
