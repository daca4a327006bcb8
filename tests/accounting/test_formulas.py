"""Formulas: exact at the sizes, right at other sizes, and the same by both engines."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from typedtorch.accounting import AccountingError, SizeError, SymbolError, account
from typedtorch.accounting.labels import Decoder, choose
from typedtorch.shapes.size import evaluate

from .zoo import GPT, MLP, Entry
from .zoo_more import ZOO


@pytest.mark.parametrize("entry", ZOO.values(), ids=ZOO)
def test_every_figure_is_its_formula_at_the_sizes(entry: Entry) -> None:
    found = account(entry.build, sizes=entry.sizes, optimizer="adamw:fused")
    for name, number in found.numbers.items():
        formula = found.formula(name)
        assert formula.subs(found.sizes) == number, name
        assert not formula.pinned, name


@pytest.mark.parametrize("name", ["mlp", "gpt", "vit", "resnet", "moe", "unet", "lora", "encoder-decoder"])
def test_a_formula_holds_at_every_other_size(name: str) -> None:
    entry = ZOO[name]
    here = account(entry.build, sizes=entry.sizes)
    sizes = {
        axis: size + 1 if axis in ("batch", "seq", "tokens") else 2 * size
        for axis, size in entry.sizes.items()
    }
    there = account(entry.build, sizes=sizes)
    for figure, number in there.numbers.items():
        if not figure.startswith("memory.peak"):  # another moment may be the peak there
            assert here.formula(figure).subs(sizes) == number, figure


@pytest.mark.parametrize("ones", [("batch",), ("seq",), ("batch", "seq"), ("heads",), ("vocab",)])
def test_sizes_of_one_are_exact(ones: tuple[str, ...]) -> None:
    entry = ZOO["gpt"]
    sizes = {**entry.sizes, **dict.fromkeys(ones, 1)}
    found = account(entry.build, sizes=sizes, optimizer="sgd")
    for name, number in found.numbers.items():
        assert found.formula(name).subs(sizes) == number, name
    assert found.flops.forward == entry.forward(**sizes)


def test_formulas_read_in_the_authors_names() -> None:
    found = account(MLP, batch=8)
    assert str(found.formula("flops.forward")) == "4*batch*d_ff*d_model + 2*batch*d_ff**2"
    assert str(found.formula("parameters.total")) == "2*d_ff*d_model + d_ff**2 + 2*d_ff + d_model"
    assert found.unbound == ("d_model", "d_ff")
    with pytest.raises(SizeError, match=r"no number without a size for d_model, d_ff"):
        _ = found.flops


def test_no_sizes_at_all_leave_the_formulas() -> None:
    found = account(MLP(32, 48))
    assert str(found.formula("flops.forward")) == "10752*batch"
    assert found.formula("flops.backward").subs(batch=3) == account(MLP(32, 48), batch=3).flops.backward
    with pytest.raises(SizeError, match="pass batch="):
        _ = found.memory


def test_a_built_module_keeps_its_own_sizes_as_numbers() -> None:
    found = account(GPT(100, 4, 8), batch=2, seq=24)
    formula = found.formula("flops.forward")
    assert formula.names == {"batch", "seq"}
    assert formula.subs({"batch": 2, "seq": 24}) == found.flops.forward


def test_a_position_table_limits_the_labels_and_not_the_formula() -> None:
    class Short(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(torch.zeros(16, 8))
            self.out = nn.Linear(8, 8)

        def forward(self, x: Float[Tensor, "batch seq 8"]) -> Tensor:
            out: Tensor = self.out(x + self.table[: x.shape[1]])
            return out

    found = account(Short(), batch=3, seq=12)
    assert str(found.formula("flops.forward")) == "128*batch*seq"
    assert found.formula("memory.peak").subs(found.sizes) == found.memory.peak


def test_sizes_that_are_sums_are_read_as_sums() -> None:
    def shifted(tokens: Int[Tensor, "batch seq"], table: Float[Tensor, "vocab d"]) -> Tensor:
        rows = F.embedding(tokens[:, :-1], table)
        return rows @ table.T

    found = account(shifted, batch=4, seq=9, vocab=11, d=6)
    assert str(found.formula("flops.forward")) == "2*batch*d*seq*vocab - 2*batch*d*vocab"


def test_a_size_divided_by_another_stays_exact() -> None:
    class Heads(nn.Module):
        def __init__(self, d_model: int, heads: int) -> None:
            super().__init__()
            if d_model % heads:
                raise ValueError("heads must divide d_model")
            self.heads, self.qk = heads, nn.Linear(d_model, 2 * d_model)

        def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Tensor:
            batch, seq, d_model = x.shape
            q, k = self.qk(x).view(batch, seq, 2, self.heads, d_model // self.heads).permute(2, 0, 3, 1, 4)
            scores: Tensor = q @ k.transpose(-1, -2)
            return scores

    found = account(Heads, d_model=24, heads=3, batch=2, seq=5)
    assert str(found.formula("flops.forward")) == "2*batch*d_model*seq**2 + 4*batch*d_model**2*seq"
    assert found.formula("memory.peak").subs(found.sizes) == found.memory.peak


def test_an_axis_that_counts_layers_keeps_its_size_and_says_so() -> None:
    class Deep(nn.Module):
        def __init__(self, d_model: int, n_layers: int) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(n_layers))

        def forward(self, x: Float[Tensor, "batch d_model"]) -> Tensor:
            for layer in self.layers:
                x = layer(x)
            return x

    found = account(Deep, d_model=6, n_layers=4, batch=3)
    formula = found.formula("flops.forward")
    assert str(formula) == "8*batch*d_model**2"
    assert dict(formula.pinned) == {"n_layers": 4}
    assert formula.subs(batch=3, d_model=6, n_layers=4) == found.flops.forward
    with pytest.raises(SizeError, match="holds for n_layers=4, not for n_layers=5"):
        formula.subs(batch=3, d_model=6, n_layers=5)


def test_an_axis_the_program_loops_over_is_pinned() -> None:
    def scan(x: Float[Tensor, "batch seq d"], w: Float[Tensor, "d d"]) -> Tensor:
        state = x[:, 0]
        for step in range(1, x.shape[1]):
            state = torch.tanh(state @ w + x[:, step])
        return state

    found = account(scan, batch=2, seq=7, d=5)
    formula = found.formula("flops.forward")
    assert formula.names == {"batch", "d"}
    assert formula.subs(found.sizes) == found.flops.forward == 6 * 2 * 2 * 25


def test_unknown_figures_and_missing_sizes_are_told() -> None:
    found = account(MLP(8, 12), batch=2)
    with pytest.raises(
        AccountingError, match=r"formula\('flops.sideways'\): the figures are .*flops.forward"
    ):
        found.formula("flops.sideways")
    with pytest.raises(SizeError, match=r"flops\.forward: no size for batch"):
        found.formula("flops.forward").subs({})


def test_a_formula_is_sympys_too() -> None:
    formula = account(MLP(8, 12), batch=2).formula("flops.forward")
    assert int(formula.sympy().subs({"batch": 2}).doit()) == formula.subs(batch=2)


SYMBOLS = [name for name in ZOO if name not in ("lstm", "gru")]


@pytest.mark.parametrize("name", SYMBOLS)
def test_the_two_engines_agree(name: str) -> None:
    """Operator by operator where FLOPs are spent, and in every figure both streams share."""
    entry = ZOO[name]
    found = account(entry.build, sizes=entry.sizes)
    primes, symbols = found.symbolic("primes"), found.symbolic("symbols")
    assert _work(symbols.trace) == _work(primes.trace)
    sizes = {axis: size if axis in symbols.pinned else 3 * size for axis, size in entry.sizes.items()}
    for figure in ("flops.forward", "flops.backward", "flops.recompute", "memory.saved", "parameters.total"):
        ours, theirs = found.formula(figure), found.formula(figure, engine="symbols")
        assert ours.subs(sizes) == theirs.subs(sizes), figure
        assert ours.subs(entry.sizes) == theirs.subs(entry.sizes) == found.numbers[figure], figure


def _work(trace: object) -> list[str]:
    from typedtorch.accounting.flops import FORMULAS, family

    return [op.name for op in trace.ops if family(op.name) in FORMULAS]  # type: ignore[attr-defined]  # a Trace


@pytest.mark.parametrize("name", ["lstm", "gru"])
def test_recurrent_kernels_want_numbers_and_say_so(name: str) -> None:
    entry = ZOO[name]
    with pytest.raises(SymbolError, match="no formula from symbolic integers"):
        account(entry.build, sizes=entry.sizes).symbolic("symbols")


def test_a_reading_that_fits_one_run_only_is_refused() -> None:
    labels = choose({"a": 8, "b": 6})
    decoder = Decoder(labels, {"a": 8, "b": 6})
    with pytest.raises(SymbolError, match="not a product of axes"):
        decoder.decode(labels.values["a"] * 1000 + 777, 13)


def test_labels_read_back_every_kind_of_size() -> None:
    sizes = {"a": 8, "b": 6, "c": 5}
    labels = choose(sizes)
    decoder = Decoder(labels, sizes)

    def seen(at: dict[str, int]) -> list[int]:
        a, b, c = at["a"], at["b"], at["c"]
        return [3 * a * b, a * (b + 1), a * a, a + b, 2 * b - 1, a // 2, 12, a * b * c + a * b]

    for here, there in zip(seen(dict(labels.values)), seen(sizes), strict=True):
        assert evaluate(decoder.decode(here, there), sizes) == there
        assert evaluate(decoder.decode(here, there), dict(labels.values)) == here
