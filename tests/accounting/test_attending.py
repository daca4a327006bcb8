"""Attention is seen in any kernel: conventions count it, a decoding step says what it does not describe."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from typedtorch.accounting import AccountingError, account, presets
from typedtorch.accounting.attending import attentions

from .zoo import GPT


def triangle(seq: int) -> Bool[Tensor, "seq seq"]:
    return torch.ones(seq, seq, dtype=torch.bool).triu(1)


def written(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed: Tensor = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
    return mixed


def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(triangle(q.shape[-2]), -math.inf)
    return F.dropout(scores.softmax(-1), 0.1) @ v


def compared(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    place = torch.arange(q.shape[-2])
    scores = torch.where(place[:, None] >= place, torch.einsum("bhqd,bhkd->bhqk", q, k), -math.inf)
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)


def added(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    bias = torch.zeros(q.shape[-2], q.shape[-2]).masked_fill(triangle(q.shape[-2]), -math.inf)
    return (q @ k.mT + bias).exp() @ v


def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1)


def given(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=~triangle(q.shape[-2]))


def full(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v)


class Attention(nn.Module):
    """Attention with one way to mix."""

    def __init__(self, mix: object) -> None:
        super().__init__()
        self.mix = mix
        self.qkv, self.out = nn.Linear(64, 192, bias=False), nn.Linear(64, 64, bias=False)

    def forward(self, x: Float[Tensor, "batch seq 64"]) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, 4, 16)).permute(2, 0, 3, 1, 4)
        mixed: Tensor = self.mix(q, k, v)  # type: ignore[operator]  # one of the functions above
        return self.out(mixed.transpose(1, 2).flatten(2))


CAUSAL = (masked, compared, added, fused, dropped, given)


@pytest.mark.parametrize("mix", [*CAUSAL, written, full])
def test_conventions_count_attention_whatever_computes_it(mix: object) -> None:
    batch, seq = 3, 32
    found = account(Attention(mix), batch=batch, seq=seq)
    six = 6 * 4 * 64 * 64 * batch * seq
    dense = 12 * 64 * seq * batch * seq
    assert found.convention("6N") == six
    assert found.convention("palm") == found.convention("torchtitan") == six + dense
    unneeded = dense * (seq - 1) // (2 * seq) if mix in CAUSAL else 0
    assert found.convention("exact") - found.convention("causal") == unneeded
    assert found.counted(causal=True) == found.convention("causal")


def test_repeated_blocks_count_their_attention_as_often() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    found = account(nn.TransformerEncoder(layer, 9), torch.empty(2, 8, 16))
    assert found.convention("palm") - found.convention("6N") == 9 * 12 * 16 * 8 * 16


def test_a_whole_layer_in_one_kernel_counts_its_attention_alone() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    found = account(layer, torch.empty(2, 8, 16), phase="inference")
    assert found.convention("palm") - found.convention("6N") == 12 * 16 * 8 * 16


def test_products_that_are_no_attention_are_not_counted() -> None:
    class Routed(nn.Module):
        """Gates from a weight, a product without a softmax, a softmax that mixes nothing."""

        def __init__(self) -> None:
            super().__init__()
            self.gate, self.slots = nn.Linear(8, 6, bias=False), nn.Parameter(torch.zeros(6, 8))

        def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
            linear = (x @ x.mT) @ x
            return self.gate(x).softmax(-1) @ self.slots + linear + (x @ x.mT).softmax(-1).sum(-1, True)

    assert attentions(account(Routed(), batch=2, seq=5).trace) == []


def test_a_mask_from_outside_may_be_causal() -> None:
    def program(x: Float[Tensor, "batch seq 8"], mask: Bool[Tensor, "seq seq"]) -> Tensor:
        return (x @ x.mT).masked_fill(mask, -math.inf).softmax(-1) @ x

    def padded(x: Float[Tensor, "batch seq 8"], mask: Bool[Tensor, "batch 1 seq"]) -> Tensor:
        return (x @ x.mT).masked_fill(mask, -math.inf).softmax(-1) @ x

    with pytest.raises(
        AccountingError, match="mask that comes from an input or a buffer: whether it is causal"
    ):
        account(program, batch=2, seq=5).convention("causal")
    found = account(padded, batch=2, seq=5)
    assert found.convention("causal") == found.convention("exact")


def test_kaplan_leaves_embeddings_out() -> None:
    found = account(presets.build("gpt2"), batch=1, seq=1024)
    per_token = found.convention("kaplan") / 6 / 1024
    assert per_token == pytest.approx(12 * 12 * 768**2, rel=2e-3)  # but for biases and norms
    assert found.convention("6N") / 6 / 1024 == found.parameters.total


def heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (4, -1)).transpose(1, 2)


class Crossed(nn.Module):
    """A decoder's layer: its own past, then what was encoded."""

    def __init__(self) -> None:
        super().__init__()
        self.own, self.q, self.kv = Attention(fused), nn.Linear(64, 64), nn.Linear(64, 128)

    def forward(
        self, target: Float[Tensor, "batch to 64"], memory: Float[Tensor, "batch source 64"]
    ) -> Tensor:
        x = target + self.own(target)
        k, v = self.kv(memory).chunk(2, -1)
        return F.scaled_dot_product_attention(heads(self.q(x)), heads(k), heads(v))


class Experts(nn.Module):
    """Two of eight experts for each token, by capacity, and a layer that runs twice."""

    def __init__(self) -> None:
        super().__init__()
        self.attention, self.router = Attention(fused), nn.Linear(64, 8, bias=False)
        self.up, self.down = (nn.Parameter(torch.zeros(8, *s)) for s in ((64, 128), (128, 64)))
        self.twice = nn.Linear(64, 64, bias=False)

    def forward(self, x: Float[Tensor, "batch seq 64"]) -> Tensor:
        flat = self.twice(self.twice(x + self.attention(x))).flatten(0, 1)
        gates, rows = self.router(flat).softmax(-1).t().topk(2 * flat.shape[0] // 8)
        mixed = torch.bmm(torch.bmm(flat[rows], self.up).relu(), self.down) * gates[..., None]
        return flat.index_add(0, rows.flatten(), mixed.flatten(0, 1)).view_as(x)


@pytest.mark.parametrize(
    ("model", "sizes", "told"),
    [
        (
            Crossed(),
            {"batch": 1, "to": 8, "source": 8},
            "got cross attention: its keys depend on other inputs",
        ),
        (Attention(dropped), {"batch": 1, "seq": 8}, "got separate products.*dropout"),
        (Attention(masked), {"batch": 1, "seq": 8}, "got separate products"),
        (Attention(full), {"batch": 1, "seq": 8}, "got attention without a causal mask"),
        (nn.Linear(64, 64), {"_": 8}, "got a forward without attention"),
    ],
)
def test_a_decoding_step_refuses_what_it_does_not_describe(
    model: nn.Module, sizes: dict[str, int], told: str
) -> None:
    examples = () if "batch" in sizes else (torch.empty(8, 64),)
    found = account(model, *examples, sizes={} if examples else sizes)
    with pytest.raises(AccountingError, match=f"decoding: wanted causal self-attention .*{told}"):
        found.decoding(context=16)


def test_a_decoding_step_runs_as_many_experts_as_the_forward() -> None:
    found = account(Experts(), batch=2, seq=16)
    assert found.decoding(context=16).flops == found.flops.forward // 32
    experts, rest = 2 * 8 * 64 * 128, found.parameters.total - 2 * 8 * 64 * 128
    for batch, share in ((1, 1 / 4), (2, 1 / 2), (3, 3 / 4), (4, 1), (9, 1)):
        step = found.decoding(context=16, batch=batch)
        assert step.bytes == 2 * (rest + share * experts + batch * 2 * 64 * 16)


def test_a_head_on_the_last_position_runs_for_every_token() -> None:
    class Last(GPT):
        def forward(self, tokens: Int[Tensor, "batch seq"]) -> Tensor:
            x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x[:, -1]))

    every, last = (account(m(100, 4, 8), batch=2, seq=24) for m in (GPT, Last))
    assert every.decoding(context=24).flops == last.decoding(context=24).flops


def test_a_context_beyond_the_table_of_positions_is_refused() -> None:
    found = account(presets.build("gpt2"), batch=64, seq=256)
    step = found.decoding(context=1024)
    assert step == found.decoding(context=1024, batch=1)
    weights = found.parameters.total - 1024 * 768
    assert step.flops == 2 * weights + 4 * 12 * 768 * 1024
    assert step.bytes == 2 * (weights + 2 * 12 * 768 * 1024)
    with pytest.raises(AccountingError, match=r"does not run with seq=1025: .* a table of 1024 rows"):
        found.decoding(context=1025)
