"""Repeated blocks are run five times; the account must be that of all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.accounting import account
from typedtorch.accounting import result as results
from typedtorch.accounting.answers import Account
from typedtorch.accounting.fold import runs
from typedtorch.accounting.program import record
from typedtorch.accounting.timeline import series

from .zoo import GPT, LlamaBlock


def in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "record", lambda c, s, u, w: record(c, s, u, replace(w, foldable=False)))


class Stack(nn.Module):
    """Blocks, and something between them."""

    def __init__(self, layers: int, between: bool = False) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(LlamaBlock(1, 2, 4, 12) for _ in range(layers))
        self.between = between

    def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
        for block in self.blocks:
            x = block(x)
            if self.between:
                x = x * 0.5
        return x


def same(folded: Account, full: Account) -> None:
    assert [op.name for op in folded.trace.ops] == [op.name for op in full.trace.ops]
    assert series(folded.trace) == series(full.trace)
    for category in ("parameter", "gradient", "optimizer", "activation", "cast"):
        assert series(folded.trace, category) == series(full.trace, category)
    assert folded.numbers == full.numbers
    assert folded.modules == full.modules
    assert folded.memory == full.memory


@pytest.mark.parametrize("autocast", [None, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("optimizer", [None, "sgd", "adamw", "adamw:foreach", "adamw:fused"])
def test_folding_changes_nothing(
    optimizer: str | None, autocast: torch.dtype | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> Account:
        model = GPT(50, 2, 8, layers=9)
        return account(model, sizes={"batch": 2, "seq": 8}, optimizer=optimizer, autocast=autocast)

    folded = run()
    in_full(monkeypatch)
    same(folded, run())


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("checkpoint", [(), "blocks"])
def test_other_blocks_and_work_between_them(
    *, between: bool, checkpoint: str | tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> Account:
        return account(Stack(11, between), sizes={"batch": 2, "seq": 8}, checkpoint=checkpoint)

    folded = run()
    in_full(monkeypatch)
    same(folded, run())


def test_a_sequential_folds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> Account:
        layers = [nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(8)]
        model = nn.Sequential(nn.Linear(8, 8), nn.Sequential(*layers))
        return account(model, torch.zeros(3, 8), optimizer="adamw")

    assert runs(nn.Sequential(*[nn.Linear(2, 2) for _ in range(8)]))
    folded = run()
    in_full(monkeypatch)
    same(folded, run())


def test_work_grows_with_the_kinds_of_blocks_and_not_with_their_number() -> None:
    counts = []
    for layers in (8, 80):
        ran = 0

        class Counting(Stack):
            def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
                for block in self.blocks:
                    nonlocal ran
                    ran += 1
                    x = block(x)
                return x

        model = Counting(layers)
        # the source refers to nothing but the loop, so it folds
        account(model, batch=2, seq=8)
        counts.append(ran)
    assert counts == [5, 5]


class ByIndex(Stack):
    def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
        for index in range(len(self.blocks)):
            x = self.blocks[index](x)
        return x


class Tapped(Stack):
    def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
        kept = x
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index == 6:
                kept = x
        return x + kept


@pytest.mark.parametrize("kind", [ByIndex, Tapped])
def test_programs_that_ask_where_a_block_stands_are_run_in_full(kind: type[Stack]) -> None:
    assert runs(kind(9)) == []
    assert account(kind(9), batch=2, seq=8).modules["blocks.8"].forward > 0


class Skips(Stack):
    """Every block also reads what entered the first one."""

    def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
        first = x * 1.0
        for block in self.blocks:
            x = block(x + first)
        return x


class Dense(Stack):
    """Every block reads the results of all blocks before it."""

    def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
        seen = [x]
        for block in self.blocks:
            seen.append(block(torch.stack(seen).sum(0)))
        return seen[-1]


@pytest.mark.parametrize("kind", [Skips, Dense])
def test_blocks_that_reach_further_are_right_all_the_same(
    kind: type[Stack], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> Account:
        return account(kind(9), sizes={"batch": 2, "seq": 8})

    folded = run()
    in_full(monkeypatch)
    same(folded, run())


def test_blocks_that_differ_or_share_weights_do_not_fold() -> None:
    mixed = Stack(9)
    for block in list(mixed.blocks)[::2]:
        block.down = nn.Linear(12, 8)
    assert runs(mixed) == []
    tied = Stack(9)
    for block in tied.blocks:
        block.down = tied.blocks[0].down
    assert runs(tied) == []


def test_an_existing_optimizer_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    model = GPT(50, 2, 8, layers=9)
    decay: list[Tensor] = [p for p in model.parameters() if p.dim() > 1]
    other: list[Tensor] = [p for p in model.parameters() if p.dim() < 2]
    groups: list[dict[str, object]] = [{"params": decay}, {"params": other, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups)
    folded = account(model, batch=2, seq=8, optimizer=optimizer)
    in_full(monkeypatch)
    full = account(model, batch=2, seq=8, optimizer=optimizer)
    assert folded.numbers == full.numbers
    assert series(folded.trace) == series(full.trace)
