"""Tables that are looked up: sparse gradients, and positions that are no rows of their table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from typedtorch.accounting import SizeError, account


class Sparse(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(100, 8, sparse=True), nn.Linear(8, 4)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq 4"]:
        out: Tensor = self.head(self.table(tokens))
        return out


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(100, 8, sparse=True)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch 8"]:
        out: Tensor = self.table(tokens)
        return out


def gradient_bytes(model: nn.Module, tokens: Tensor) -> int:
    """What real gradients hold, the tokens themselves not counted."""
    model(tokens).square().sum().backward()
    mine: dict[int, int] = {}
    for parameter in model.parameters():
        gradient = parameter.grad
        assert gradient is not None
        for part in (gradient._values(), gradient._indices()) if gradient.is_sparse else (gradient,):
            mine[part.untyped_storage().data_ptr()] = part.untyped_storage().nbytes()
    mine.pop(tokens.untyped_storage().data_ptr(), None)
    return sum(mine.values())


@pytest.mark.parametrize("build", [Sparse, Bag])
def test_a_sparse_gradient_has_the_rows_that_were_looked_up(build: Callable[[], nn.Module]) -> None:
    found = account(build(), batch=2, seq=5, loss=lambda out: out.square().sum())
    assert found.memory.gradients == gradient_bytes(build(), torch.arange(10).view(2, 5))
    assert found.uncounted == ()
    formula = found.formula("memory.gradients")
    assert formula.subs(batch=3, seq=7) == gradient_bytes(build(), torch.arange(21).view(3, 7))


@pytest.mark.parametrize(
    ("optimizer", "steps", "states"),
    [("sgd", 2, 0), ("adagrad", 8, 1), ("sparseadam", 15, 2)],  # of every looked up number; whole tables
)
def test_a_step_on_sparse_gradients(optimizer: str, steps: int, states: int) -> None:
    class Alone(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(100, 8, sparse=True)

        def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq 8"]:
            out: Tensor = self.table(tokens)
            return out

    found = account(Alone(), batch=2, seq=5, optimizer=optimizer)
    small = account(Alone(), batch=1, seq=1, optimizer=optimizer)
    assert found.flops.optimizer - small.flops.optimizer == steps * (80 - 8)
    assert found.uncounted == ()
    state = found.memory.optimizer - states * 100 * 8 * 4
    assert 0 <= state <= 4  # a count of steps


def test_an_optimizer_without_sparse_gradients_says_so() -> None:
    with pytest.raises(SizeError, match="Adam does not support sparse gradients"):
        account(Sparse(), batch=2, seq=5, optimizer="adamw")


class Positions(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.tokens, self.table = kind, nn.Embedding(50, 8), nn.Embedding(16, 8)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq 8"]:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        if self.kind == "looked up":
            there = self.table(places[None] + 0)
        elif self.kind == "indexed":
            there = self.table.weight[places]
        else:
            there = self.table.weight.index_select(0, places)
        out: Tensor = self.tokens(tokens) + there
        return out


@pytest.mark.parametrize("kind", ["looked up", "indexed", "selected"])
def test_positions_beyond_their_table_are_refused(kind: str) -> None:
    account(Positions(kind), batch=2, seq=16)
    with pytest.raises(SizeError, match=r"rows 0 to 16, .*positions.*in a table of 16 rows"):
        account(Positions(kind), batch=2, seq=17)
    with pytest.raises(IndexError):  # so does torch
        Positions(kind)(torch.zeros(2, 17, dtype=torch.long))
    assert account(Positions(kind)).formula("parameters.total").size == 66 * 8


def test_what_data_looks_up_is_not_known() -> None:
    assert account(Sparse(), batch=2, seq=500).flops.forward == 2 * 2 * 500 * 8 * 4
