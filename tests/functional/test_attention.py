"""Attention against its naive form, value and gradient, with and without groups and masks."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from typedtorch import checking
from typedtorch.functional import attention, causal_attention, naive_attention, suffix_attention

quick = settings(deadline=None, max_examples=40)
HEADS = st.sampled_from([(1, 1), (4, 4), (4, 2), (6, 2), (4, 1)])


def qkv(seed: int, heads: tuple[int, int], q_seq: int, k_seq: int) -> tuple[Tensor, Tensor, Tensor]:
    source = torch.Generator().manual_seed(seed)
    options: dict[str, Any] = {"generator": source, "dtype": torch.float64}
    q = torch.randn(2, heads[0], q_seq, 4, **options)
    k, v = (torch.randn(2, heads[1], k_seq, 4, **options) for _ in range(2))
    return q.requires_grad_(), k.requires_grad_(), v.requires_grad_()


def agree(ours: Tensor, naive: Tensor, inputs: tuple[Tensor, ...]) -> None:
    torch.testing.assert_close(ours, naive)
    weight = torch.randn_like(naive)
    for one, other in zip(
        torch.autograd.grad((ours * weight).sum(), inputs),
        torch.autograd.grad((naive * weight).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


@quick
@given(st.integers(0, 999), HEADS, st.integers(1, 6), st.integers(1, 6), st.sampled_from([None, 0.3]))
def test_attention_is_the_naive_one(
    seed: int, heads: tuple[int, int], q_seq: int, k_seq: int, scale: float | None
) -> None:
    inputs = qkv(seed, heads, q_seq, k_seq)
    agree(attention(*inputs, scale=scale), naive_attention(*inputs, scale=scale), inputs)
    mask = torch.rand(q_seq, k_seq, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask[:, 0] = True
    agree(attention(*inputs, mask, scale=scale), naive_attention(*inputs, mask, scale=scale), inputs)


@quick
@given(st.integers(0, 999), HEADS, st.integers(1, 8))
def test_causal_attention_is_the_naive_one_below_the_diagonal(
    seed: int, heads: tuple[int, int], seq: int
) -> None:
    inputs = qkv(seed, heads, seq, seq)
    mask = torch.ones(seq, seq, dtype=torch.bool).tril()
    agree(causal_attention(*inputs), naive_attention(*inputs, mask), inputs)


@quick
@given(st.integers(0, 999), HEADS, st.integers(1, 8), st.data())
def test_suffix_attention_is_the_end_of_the_causal_one(
    seed: int, heads: tuple[int, int], k_seq: int, data: st.DataObject
) -> None:
    q, k, v = qkv(seed, heads, k_seq, k_seq)
    q_seq = data.draw(st.integers(1, k_seq))
    end = suffix_attention(q[..., -q_seq:, :], k, v)
    torch.testing.assert_close(end, causal_attention(q, k, v)[..., -q_seq:, :])


def test_a_query_that_may_look_nowhere_gets_zeros() -> None:
    q, k, v = (tensor.detach() for tensor in qkv(0, (2, 2), 3, 3))
    mask = torch.tensor([[True, False, False], [False, False, False], [True, True, True]])
    torch.testing.assert_close(attention(q, k, v, mask), naive_attention(q, k, v, mask))
    assert torch.equal(naive_attention(q, k, v, mask)[..., 1, :], torch.zeros(2, 2, 4, dtype=torch.float64))


def test_each_sequence_may_have_a_mask_of_its_own() -> None:
    q, k, v = qkv(0, (4, 2), 3, 5)
    lengths = torch.tensor([2, 5])
    padding = torch.arange(5) < lengths[:, None]
    ours = attention(q, k, v, padding[:, None, None, :])
    agree(ours, naive_attention(q, k, v, padding[:, None, None, :]), (q, k, v))
    short = attention(q[:1], k[:1, :, :2], v[:1, :, :2])
    torch.testing.assert_close(ours[:1], short)


def test_grouped_queries_read_the_head_of_their_group() -> None:
    q, k, v = qkv(0, (4, 2), 3, 3)
    for head in range(4):
        own = slice(head, head + 1), slice(head // 2, head // 2 + 1)
        alone = attention(q[:, own[0]], k[:, own[1]], v[:, own[1]])
        torch.testing.assert_close(attention(q, k, v)[:, own[0]], alone)


def test_what_does_not_fit_is_refused() -> None:
    q, k, v = (torch.ones(1, heads, 2, 4) for heads in (3, 2, 2))
    for function in (attention, causal_attention, naive_attention):
        with pytest.raises(ValueError, match="3 query heads are not a multiple of 2 key heads"):
            function(q, k, v)
    x = torch.zeros(1, 2, 3, 4)
    with checking(False), pytest.raises(ValueError, match="queries have 4 features and keys 5"):
        attention(x, torch.zeros(1, 2, 3, 5), x)
    with checking(False), pytest.raises(ValueError, match=r"\(\.\.\., heads, seq, head_dim\), got \(3, 4\)"):
        attention(x[0, 0], x[0, 0], x[0, 0])
    with checking(False), pytest.raises(TypeError, match=r"the mask is bool, .*, got torch\.float32"):
        attention(x, x, x, torch.ones(3, 3))
    with pytest.raises(ValueError, match="suffix_attention: 2 queries are not a suffix of 1 keys"):
        suffix_attention(q, q[..., :1, :], q[..., :1, :])
    with checking(False), pytest.raises(ValueError, match="1 queries and 2 keys; suffix_attention is for"):
        causal_attention(k[..., 1:, :], k, v)


def test_dropout_drops_weights() -> None:
    q = torch.zeros(1, 1, 1, 4)
    k, v = torch.zeros(1, 1, 1000, 4), torch.ones(1, 1, 1000, 4)
    torch.manual_seed(1)
    mixed = attention(q, k, v, dropout=0.5)
    assert not torch.allclose(mixed, torch.ones(1, 1, 1, 4), atol=1e-6)
    assert mixed[0, 0, 0, 0].item() == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("values", [(1, 1, 2000, 4), (1, 2, 3, 4)])
def test_each_key_has_one_value(values: tuple[int, ...]) -> None:
    q, k = torch.zeros(1, 2, 2, 4), torch.zeros(1, 1, 3, 4)
    for function in (attention, naive_attention):
        with checking(False), pytest.raises(ValueError, match="each key has one value"):
            function(q, k, torch.zeros(values))
