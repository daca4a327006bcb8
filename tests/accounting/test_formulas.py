"""Formulas: exact at the sizes, right at other sizes, and the same by both engines."""

from __future__ import annotations

import functools

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from typedtorch.accounting import Account, AccountingError, SizeError, SymbolError, account
from typedtorch.accounting.labels import choose
from typedtorch.accounting.reading import Decoder
from typedtorch.shapes.size import evaluate

from .zoo import GPT, MLP, Entry
from .zoo_more import ZOO


@functools.cache
def at_its_sizes(name: str) -> Account:
    """A model of the zoo at its sizes; its formulas are derived once for all tests."""
    return account(ZOO[name].build, sizes=ZOO[name].sizes)


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
    here = at_its_sizes(name)
    sizes = {
        axis: size + 1 if axis in ("batch", "seq", "tokens") else 2 * size
        for axis, size in entry.sizes.items()
    }
    there = account(entry.build, sizes=sizes)
    for figure, number in there.numbers.items():
        if "peak" not in figure:  # another moment may be the peak there
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
    found = account(MLP)
    assert str(found.formula("flops.forward")) == "4*batch*d_ff*d_model + 2*batch*d_ff**2"
    assert str(found.formula("parameters.total")) == "2*d_ff*d_model + d_ff**2 + 2*d_ff + d_model"
    assert found.unbound == ("d_model", "d_ff", "batch")
    with pytest.raises(SizeError, match=r"no numbers without a size for d_model, d_ff, batch"):
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


class Deep(nn.Module):
    def __init__(self, d_model: int, n_layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(n_layers))

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


@pytest.mark.parametrize("sizes", [{"d_model": 6, "n_layers": 4, "batch": 3}, {}])
def test_an_axis_that_counts_layers_is_an_axis_of_the_formula(sizes: dict[str, int]) -> None:
    found = account(Deep, sizes=sizes)
    assert str(found.formula("flops.forward")) == "2*batch*d_model**2*n_layers"
    assert str(found.formula("flops.backward")) == "4*batch*d_model**2*n_layers - 2*batch*d_model**2"
    there = {"d_model": 5, "n_layers": 9, "batch": 2}
    numbers = account(Deep, sizes=there).numbers
    for name in ("flops.forward", "flops.backward", "memory.saved", "parameters.total", "bytes.step"):
        formula = found.formula(name)
        assert formula.polynomial, name
        assert formula.subs(there) == numbers[name], name
    if sizes:
        assert found.formula("memory.peak").polynomial
        assert found.formula("memory.peak").subs(sizes) == found.memory.peak


def scan(x: Float[Tensor, "batch seq d"], w: Float[Tensor, "d d"]) -> Tensor:
    state = x[:, 0]
    for step in range(1, x.shape[1]):
        state = torch.tanh(state @ w + x[:, step])
    return state


def test_an_axis_the_program_loops_over_is_an_axis_of_the_formula() -> None:
    found = account(scan, batch=2, seq=7, d=5)
    assert str(found.formula("flops.forward")) == "2*batch*d**2*seq - 2*batch*d**2"
    for name, number in found.numbers.items():
        assert found.formula(name).polynomial, name
        assert found.formula(name).subs(found.sizes) == number, name
    assert str(account(scan).formula("flops.forward")) == "2*batch*d**2*seq - 2*batch*d**2"


def test_the_turns_of_a_loop_may_grow() -> None:
    def triangle(x: Float[Tensor, "batch seq d"]) -> Tensor:
        rows = [x[:, i : i + 1] @ x[:, : i + 1].transpose(1, 2) for i in range(x.shape[1])]
        return torch.stack([r.sum() for r in rows])

    found = account(triangle, batch=2, seq=7, d=5)
    assert str(found.formula("flops.forward")) == "batch*d*seq**2 + batch*d*seq"


def test_what_is_no_polynomial_says_so() -> None:
    def divisors(x: Float[Tensor, "batch n"], w: Float[Tensor, "n n"]) -> Tensor:
        for k in range(1, x.shape[1] + 1):
            if x.shape[1] % k == 0:
                x = x @ w
        return x

    formula = account(divisors, batch=2, n=16).formula("flops.forward")
    assert not formula.polynomial
    assert dict(formula.pinned) == {"n": 16}
    assert str(formula).startswith("2560*batch (only at n=16: ")
    assert formula.subs(batch=2, n=16) == 2 * 5 * 2 * 16 * 16
    with pytest.raises(SizeError, match="holds for n=16, not for n=21"):
        formula.subs(batch=2, n=21)


def test_a_special_case_has_the_polynomial_active_there() -> None:
    def doubling(x: Float[Tensor, "batch n"], w: Float[Tensor, "n n"]) -> Tensor:
        width = 1
        while width < x.shape[1]:
            x, width = x @ w, 2 * width
        return x

    formula = account(doubling, batch=2, n=20).formula("flops.forward")
    assert str(formula) == "10*batch*n**2 (n from 17 to 32)"
    assert formula.subs(batch=2, n=17) == account(doubling, batch=2, n=17).flops.forward
    with pytest.raises(SizeError, match=r"holds for n .*, not for n=33: other operators run there"):
        formula.subs(batch=2, n=33)


def test_odd_image_sizes_are_rounded_as_the_convolution_rounds() -> None:
    class Strided(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(*(nn.Conv2d(3, 3, 3, stride=2, padding=1) for _ in range(3)))

        def forward(self, image: Float[Tensor, "batch 3 height width"]) -> Tensor:
            out: Tensor = self.layers(image)
            return out

    found = account(Strided(), batch=2, height=225, width=200)
    for name, number in found.numbers.items():
        assert found.formula(name).names <= {"batch", "height", "width"}
        assert not found.formula(name).why, name
        assert found.formula(name).subs(found.sizes) == number, name
    there = {"batch": 3, "height": 161, "width": 72}  # as divisible as the sizes given
    assert found.formula("flops.forward").subs(there) == account(Strided(), sizes=there).flops.forward


def test_modules_and_operators_have_formulas() -> None:
    found = account(GPT, vocab=100, heads=4, head_dim=8, batch=2, seq=24, optimizer="sgd")
    for path, cost in found.modules.items():
        for field in ("parameters", "forward", "backward", "bytes", "calls"):
            assert found.formula(field, module=path).subs(found.sizes) == getattr(cost, field), (path, field)
    for name, spent in found.operators.items():
        assert found.formula("flops", operator=name).subs(found.sizes) == spent.flops, name
    assert str(found.formula("forward", module="head")) == "2*batch*head_dim*heads*seq*vocab"
    with pytest.raises(AccountingError, match="not both"):
        found.formula("flops", module="head", operator="aten.mm.default")
    with pytest.raises(AccountingError, match=r"no module is 'tail': there are '', 'blocks'"):
        found.formula("forward", module="tail")


@pytest.mark.parametrize("name", ZOO)
def test_without_sizes_every_model_answers_in_formulas(name: str) -> None:
    entry = ZOO[name]
    found = account(entry.build)
    assert set(found.unbound) == set(entry.sizes)
    assert found.formula("flops.forward").subs(entry.sizes) == entry.forward(**entry.sizes)
    both = found.formula("flops.forward").subs(entry.sizes) + found.formula("flops.backward").subs(
        entry.sizes
    )
    assert both == entry.training(**entry.sizes)
    built = account(entry.model())
    inputs = {n: s for n, s in entry.sizes.items() if n in (*built.sizes, *built.unbound)}
    assert built.formula("flops.forward").subs(inputs) == entry.forward(**entry.sizes)


class Careful(nn.Module):
    """Asserts what it wants, as published models do, and fails in its own ways at other sizes."""

    def __init__(self, dim: int, heads: int, block: int) -> None:
        super().__init__()
        assert dim % heads == 0
        self.heads, self.block = heads, block
        self.table, self.place = nn.Linear(dim, dim), nn.Embedding(block, dim)

    def forward(self, x: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch seq dim"]:
        seq, dim = x.shape[1:]
        assert seq <= self.block, f"{seq} positions, at most {self.block}"
        if dim % 2:
            raise ValueError("an odd width")
        scale: float = (dim // self.heads) ** -0.25
        out: Tensor = self.table(x + self.place(torch.arange(seq)))
        return out * scale


def test_what_a_model_asserts_holds_for_the_labels_too() -> None:
    for sizes in ({}, {"dim": 12, "heads": 3, "block": 16, "batch": 2, "seq": 8}):
        found = account(Careful, sizes=sizes)
        assert str(found.formula("flops.forward")) == "2*batch*dim**2*seq"
        assert str(found.formula("parameters.total")) == "block*dim + dim**2 + dim"
    with pytest.raises(SizeError, match="AssertionError: 18 positions, at most 16"):
        account(Careful, dim=12, heads=3, block=16, batch=2, seq=18)
    with pytest.raises(SizeError, match=r"building it .* failed: AssertionError"):
        account(Careful, dim=12, heads=5, block=16, batch=2, seq=8)
    with pytest.raises(SizeError, match="an odd width"):
        account(Careful, dim=15, heads=3, block=16, batch=2, seq=8)


def test_a_constructor_with_its_arguments_has_numbers_of_parameters() -> None:
    class Tied(GPT):
        """Looks rows of a plain parameter up."""

        def __init__(self, vocab: int, heads: int, head_dim: int) -> None:
            super().__init__(vocab, heads, head_dim)
            self.table = nn.Parameter(torch.zeros(7, heads * head_dim))

        def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
            return super().forward(tokens) + self.table[tokens].sum()

    real = Tied(100, 4, 8)
    found = account(Tied, vocab=100, heads=4, head_dim=8)
    assert found.unbound == ("batch", "seq")
    assert found.parameters.total == sum(p.numel() for p in real.parameters())
    assert found.parameters.embedding == account(real, batch=2, seq=6).parameters.embedding > 7 * 32


def test_some_sizes_leave_formulas_and_the_numbers_that_need_no_more() -> None:
    found = account(GPT(100, 4, 8), batch=8)
    assert found.unbound == ("seq",)
    assert found.formula("flops.forward").names == {"batch", "seq"}
    assert found.parameters.total == sum(p.numel() for p in GPT(100, 4, 8).parameters())
    for ask in (lambda: found.flops, lambda: found.memory, lambda: found.time("h100"), found.to_dict):
        with pytest.raises(SizeError, match=r"no numbers without a size for seq: pass seq=\.\.\."):
            ask()
    with pytest.raises(SizeError, match=r"no numbers without a size for vocab, heads, head_dim, batch, seq"):
        _ = account(GPT).parameters
    with pytest.raises(AccountingError, match="which moment is the peak depends on the sizes"):
        found.formula("memory.peak")


def test_unknown_figures_and_missing_sizes_are_told() -> None:
    found = account(MLP(8, 12), batch=2)
    with pytest.raises(
        AccountingError, match=r"formula\('flops.sideways'\): .*the figures are .*flops.forward"
    ):
        found.formula("flops.sideways")
    with pytest.raises(SizeError, match=r"flops\.forward: no size for batch"):
        found.formula("flops.forward").subs({})


def test_a_formula_is_sympys_too() -> None:
    formula = account(MLP(8, 12), batch=2).formula("flops.forward")
    assert int(formula.sympy().subs({"batch": 2}).doit()) == formula.subs(batch=2)


# what the second engine cannot follow: kernels that take their sizes as plain numbers keep these axes ...
NUMBERS_WANTED = {
    "lstm": {"hidden"},  # the fused layer's hidden_size
    "gru": {"batch", "hidden"},  # in pieces it keeps more: only FLOPs are free of all axes
    "moe": {"experts", "capacity"},  # one_hot's num_classes
}
# ... and figures that differ because other operators run on symbolic integers
ANOTHER_STREAM = {
    "lstm": {"memory.saved", "memory.peak", "memory.peak_activations", "memory.first_peak", "bytes.step"},
    "vit": {"bytes.step"},
    "linear attention": {"bytes.step"},
}


@pytest.mark.parametrize("name", ZOO)
def test_the_two_engines_agree(name: str) -> None:
    """Operator by operator where FLOPs are spent, and in every figure, the peak too."""
    entry = ZOO[name]
    found = at_its_sizes(name)
    if name not in ("lstm", "gru"):
        assert _work(found.symbolic("symbols").trace) == _work(found.symbolic("primes").trace)
    kept = NUMBERS_WANTED.get(name, set())
    other = {axis: size if axis in kept else 4 * size for axis, size in entry.sizes.items()}
    for figure, number in found.numbers.items():
        ours = found.formula(figure)
        if figure in ANOTHER_STREAM.get(name, ()):
            with pytest.raises(SymbolError, match="other operators run on symbolic integers than on numbers"):
                found.formula(figure, engine="symbols")
            continue
        theirs = found.formula(figure, engine="symbols")
        assert set(theirs.pinned) <= kept, figure
        assert ours.subs(other) == theirs.subs(other), figure
        assert ours.subs(entry.sizes) == theirs.subs(entry.sizes) == number, figure
    if name == "gru":
        assert not found.formula("flops.step", engine="symbols").pinned


def _work(trace: object) -> list[str]:
    from typedtorch.accounting.flops import FORMULAS, family

    return [op.name for op in trace.ops if family(op.name) in FORMULAS]  # type: ignore[attr-defined]  # a Trace


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
