"""`Module` and its containers are nn.Modules: hooks, state, copies, pickles; and `forward` is checked."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import copy
import inspect
import io
import pickle
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.nn.containers import ModuleDict, ModuleList, Sequential
from typedtorch.nn.module import Module
from typedtorch.runtime import CheckError, ShapeCheckError, checking


class Scale(Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        return x * self.weight


class Wrong(Scale):
    """A forward of its own, checked anew."""

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        return super().forward(x)[..., :1]


class Inherits(Scale):
    """No forward of its own."""


def test_forward_is_checked() -> None:
    assert Scale(3)(torch.ones(2, 3)).shape == (2, 3)
    with pytest.raises(ShapeCheckError, match=r"Scale\.forward: argument 'x': wanted at least 1 axis, got 0"):
        Scale(3)(torch.tensor(1.0))
    with pytest.raises(ShapeCheckError, match=r"Wrong\.forward: return value: axis d: wanted 3, got 1"):
        Wrong(3)(torch.ones(2, 3))
    assert Inherits.forward is Scale.forward
    with checking(False):
        assert Wrong(3)(torch.ones(2, 3)).shape == (2, 1)


def test_the_message_names_the_line_that_called_the_module() -> None:
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]  # CPython has frames
    with pytest.raises(ShapeCheckError) as caught:
        Scale(3)(torch.tensor(1.0))
    assert str(caught.value).endswith(f"called  {__file__}:{line} in {line_owner()}")


def line_owner() -> str:
    return "test_the_message_names_the_line_that_called_the_module"


def test_nothing_stands_between_a_module_and_its_call() -> None:
    assert Module.__call__ is nn.Module.__call__
    assert Sequential.__call__ is nn.Module.__call__
    for ours, torchs in ((ModuleList, nn.ModuleList), (ModuleDict, nn.ModuleDict)):
        own = {name for name, value in vars(ours).items() if inspect.isfunction(value)}
        assert own == set(), f"{ours} has methods of its own"
        assert issubclass(ours, torchs)


def test_hooks_run() -> None:
    module, log = Scale(3), []
    module.register_forward_pre_hook(lambda m, args: log.append("before"))
    module.register_forward_hook(lambda m, args, out: log.append("after"))
    module.register_full_backward_hook(lambda m, gi, go: log.append("backward"))
    module(torch.ones(2, 3, requires_grad=True)).sum().backward()
    assert log == ["before", "after", "backward"]


def test_a_hook_may_repair_what_is_checked() -> None:
    module = Scale(3)
    module.register_forward_pre_hook(lambda m, args: (args[0][None],))
    assert module(torch.ones(3)).shape == (1, 3)


def test_copies_pickles_and_state() -> None:
    module = Sequential(Scale(3), nn.Linear(3, 2))
    for made in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(made(torch.ones(1, 3)), module(torch.ones(1, 3)))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other = Sequential(Scale(3), nn.Linear(3, 2))
    other.load_state_dict(torch.load(file, weights_only=True))
    assert list(other.state_dict()) == ["0.weight", "1.weight", "1.bias"]
    assert torch.equal(other(torch.ones(1, 3)), module(torch.ones(1, 3)))


def test_containers_behave_as_torchs() -> None:
    blocks = ModuleList([Scale(3)])
    blocks.append(Scale(2))
    blocks += [Inherits(1)]
    assert [type(b) for b in blocks[1:]] == [Scale, Inherits]
    assert isinstance(blocks[1:], ModuleList)
    assert isinstance(ModuleList[Scale](), ModuleList)
    experts = ModuleDict({"a": Scale(3)})
    experts["b"] = Scale(2)
    assert list(experts) == ["a", "b"]
    chain = Sequential(Scale(3), nn.ReLU())
    assert isinstance(chain[0], Scale)
    assert isinstance(chain[:1], Sequential)
    assert [name for name, _ in chain.named_parameters()] == ["0.weight"]


def test_a_subclass_of_sequential_may_have_a_forward() -> None:
    class Twice(Sequential[Tensor, Tensor]):
        def forward(self, input: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
            return super().forward(super().forward(input))

    assert Twice(Scale(3))(torch.ones(2, 3)).shape == (2, 3)
    with pytest.raises(ShapeCheckError):
        Twice(Scale(3))(torch.ones(3))


class Linear(Module, scope="instance"):
    """Axes of the instance: ``d_in`` from the int, ``d_out`` from the annotated parameter."""

    weight: Float[nn.Parameter, "d_out d_in"]

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in = d_in
        self.weight = nn.Parameter(torch.ones(d_out, 1))
        self.weight.data = torch.ones(d_out, d_in)

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        return x[..., :1] * self.weight[:, 0]


class Narrow(Linear):
    """The scope is inherited."""

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        return super().forward(x)[..., :1]


def test_axes_of_one_instance() -> None:
    first, second = Linear(3, 4), Linear(5, 2)
    assert first(torch.ones(7, 3)).shape == (7, 4)
    assert second(torch.ones(5)).shape == (2,)  # two instances do not mix
    with pytest.raises(ShapeCheckError) as caught:
        first(torch.ones(7, 5))
    assert str(caught.value).splitlines()[:4] == [
        "Linear.forward: argument 'x': axis d_in: wanted 3, got 5",
        '  wanted  Float[Tensor, "*batch d_in"]',
        "  got     float32 (7, 5)",
        "  d_in = 3 from self.d_in",
    ]
    with pytest.raises(ShapeCheckError, match=r"d_out = 4 from self\.weight: float32 "):
        Narrow(3, 4)(torch.ones(7, 3))


def test_attributes_that_contradict_each_other() -> None:
    module = Linear(3, 4)
    module.d_in = 8
    with pytest.raises(ShapeCheckError, match=r"Linear\.forward: self\.weight: axis d_in: wanted 8, got 3"):
        module(torch.ones(7, 8))


def test_names_that_coincide_by_accident_stay_free() -> None:
    class Head(Module):
        def __init__(self, vocab: int) -> None:
            super().__init__()
            self.vocab = vocab

        def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n vocab"]:
            return x.new_zeros(len(x), self.vocab + 1)

    assert Head(5)(torch.ones(2, 3)).shape == (2, 6)


def test_a_forward_that_is_no_function_is_left_alone() -> None:
    class Borrowed(Module):
        forward = torch.relu

    assert Borrowed.forward is torch.relu


@pytest.mark.parametrize("bad", [3, "x", None, [torch.ones(2)]])
def test_wrong_types(bad: Any) -> None:
    with pytest.raises(CheckError, match="argument 'x': wanted Tensor, got"):
        Scale(3)(bad)
