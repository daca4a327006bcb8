"""Exported programs take every size the annotations leave open, and no other."""

from pathlib import Path

import pytest
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from typedtorch import nn
from typedtorch.nn import interop


def transformer() -> nn.Transformer:
    torch.manual_seed(0)
    return nn.Transformer(vocab=11, d_model=16, layers=2, heads=2, max_seq=32).eval()


def tokens(batch: int, seq: int) -> Tensor:
    return torch.randint(11, (batch, seq), generator=torch.Generator().manual_seed(batch * seq))


@pytest.mark.parametrize("strict", [False, True])
def test_a_transformer_runs_with_other_sizes(strict: bool, tmp_path: Path) -> None:
    model = transformer()
    program = interop.export(model, strict=strict)
    torch.export.save(program, tmp_path / "model.pt2")
    for run in (program.module(), torch.export.load(tmp_path / "model.pt2").module()):
        for batch, seq in ((1, 1), (1, 32), (2, 3), (7, 5), (5, 32)):
            text = tokens(batch, seq)
            torch.testing.assert_close(run(text), model(text))
    with pytest.raises((AssertionError, RuntimeError), match="32"):
        program.module()(tokens(2, 33))  # more than max_seq


def test_an_open_axis_has_the_name_the_annotation_gives_it() -> None:
    program = interop.export(transformer(), sizes={"batch": 3, "seq": 8}, ranges={"batch": (2, 64)})
    (placeholder,) = [n for n in program.graph.nodes if n.name == "tokens"]
    first, second = placeholder.meta["val"].shape
    bounds = {symbol: (r.lower, r.upper) for symbol, r in program.range_constraints.items()}
    assert bounds[first.node.expr] == (2, 64)
    assert bounds[second.node.expr][1] == 32
    with pytest.raises((AssertionError, RuntimeError), match="64"):
        program.module()(tokens(65, 4))


class Pair(nn.Module):
    """Two inputs that share an axis, one axis twice as long as another, and a mask."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.weight = torch.nn.Parameter(torch.ones(d_model))

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        mask: Bool[Tensor, "batch seq"],
        wide: Float[Tensor, "batch 2*seq 3"],
        scale: float = 2.0,
    ) -> Float[Tensor, "batch seq"]:
        halves: Tensor = wide.unflatten(1, (2, -1)).sum((1, 3))
        sums: Tensor = (x * self.weight).sum(-1) * mask * scale
        return sums + halves


def arguments(batch: int, seq: int, double: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
    wide = torch.randn(batch, 2 * seq if double is None else double, 3)
    return torch.randn(batch, seq, 4), torch.rand(batch, seq) < 0.5, wide


def test_the_same_name_is_one_axis_and_an_expression_follows_it() -> None:
    model = Pair(4)
    program = interop.export(model)
    for batch, seq in ((2, 3), (1, 7), (9, 2)):
        inputs = arguments(batch, seq)
        torch.testing.assert_close(program.module()(*inputs), model(*inputs))
    for wrong in (
        (arguments(2, 3)[0], arguments(4, 3)[1], arguments(2, 3)[2]),
        arguments(2, 3, double=8),
        (torch.ones(2, 3, 5), *arguments(2, 3)[1:]),
    ):
        with pytest.raises((AssertionError, RuntimeError)):
            program.module()(*wrong)


def test_examples_are_taken_where_given() -> None:
    class Free(nn.Module):
        def forward(self, x: Float[Tensor, "*batch d"], other: Tensor) -> Float[Tensor, "*batch"]:
            return x.sum(-1) + other.sum()

    with pytest.raises(interop.ExportError, match="parameter 'other' does not say its axes; annotate it"):
        interop.export(Free())
    program = interop.export(Free(), torch.ones(2, 3, 4), torch.ones(5))
    x = torch.randn(6, 2, 9)
    torch.testing.assert_close(program.module()(x, torch.ones(5)), Free()(x, torch.ones(5)))
    with pytest.raises(interop.ExportError, match=r"x is 'batch', got an example of shape \(2, 2\)"):
        interop.export(OneAxis(), torch.ones(2, 2))


class OneAxis(nn.Module):
    def forward(self, x: Float[Tensor, "batch"]) -> Float[Tensor, "batch"]:
        return x + 1


class Fixes(nn.Module):
    """Says that ``batch`` is open, and is not."""

    def forward(self, x: Int[Tensor, "batch"]) -> Int[Tensor, "batch"]:
        return x + torch.arange(3)  # type: ignore[shape]  # what the checker sees, torch.export must too


def test_an_axis_the_code_fixes_is_an_error_with_its_name() -> None:
    with pytest.raises(
        interop.ExportError, match=r"(?s)Fixes.forward: an axis .* is fixed by the code.*batch"
    ):
        interop.export(Fixes(), sizes={"batch": 3})


@pytest.mark.parametrize("asked", [{"sizes": {"sequence": 3}}, {"ranges": {"d_model": (1, 2)}}])
def test_a_name_that_is_no_open_axis_is_refused(asked: dict[str, dict[str, object]]) -> None:
    with pytest.raises(interop.ExportError, match=r"is no dynamic axis; there are batch, seq"):
        interop.export(Pair(4), **asked)  # type: ignore[arg-type]  # one or the other


def test_weights_of_a_training_module_and_its_dtype_are_kept() -> None:
    model = nn.Linear(4, 3, dtype=torch.float64)
    program = interop.export(model)
    x = torch.randn(6, 4, dtype=torch.float64)
    assert torch.equal(program.module()(x), model(x))
