"""How many tensor expressions have a known shape: in small programs, and in the package itself."""

from functools import reduce
from pathlib import Path

import pytest

import typedtorch
from typedtorch.check.run import Checker
from typedtorch.check.targets import targets
from typedtorch.shapes.config import Config
from typedtorch.shapes.findings import Coverage

_HEADER = """\
from typing import NamedTuple

import einops
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

"""


def _coverage(names: list[str], root: Path) -> Coverage:
    result = Checker().run(targets(names, Config(root)))
    assert not result.findings
    return reduce(Coverage.plus, result.coverage.values(), Coverage())


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        # where something stands in a text is a number
        (
            'def f(x: Float[torch.Tensor, "*b 3 3"], which: str) -> Float[torch.Tensor, "*b"]:\n'
            '    i = "xyz".index(which)\n'
            "    return x[..., i, 1 - i]\n",
            0,
        ),
        # however far it is rolled
        (
            'def f(x: Float[torch.Tensor, "b d"], shift) -> Float[torch.Tensor, "b d"]:\n'
            "    return x.roll(shift, 1) + x.roll(shift)\n",
            0,
        ),
        # what the annotation says is said of the entry of the dictionary too
        (
            'def f(x: Shaped[Tensor, "*shape"], d: dict[str, Tensor]) -> Shaped[Tensor, "*shape"]:\n'
            '    old: Shaped[Tensor, "*shape"] = d["old"]\n'
            "    return old.lerp(x, 0.5)\n",
            0,
        ),
        (
            'def f(x: Shaped[Tensor, "*shape"], d: dict[str, Tensor]) -> Shaped[Tensor, "*shape"]:\n'
            '    old: Shaped[Tensor, "*shape"] | None = d.get("old")\n'
            "    return x if old is None else old + x\n",
            0,
        ),
        (
            'def f(x: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "rows vocab"]:\n'
            "    return x.flatten(0, -2)\n",
            0,
        ),
        # what is no tensor is not counted
        ("def f(x: Tensor) -> int:\n    return x.untyped_storage().nbytes() + x.data_ptr()\n", 2),
        # the arms of a returned choice are counted as they are
        (
            'def f(x: float | Float[Tensor, "*steps"]) -> float | Float[Tensor, "*steps"]:\n'
            "    return x.cos() if isinstance(x, Tensor) else x\n",
            0,
        ),
        # a run of axes that no argument binds has its name
        (
            'def f(path: str) -> Shaped[Tensor, "*shape"]:\n'
            "    raise OSError(path)\n"
            'def g(path: str) -> Float[Tensor, ""]:\n'
            "    x = f(path)\n"
            '    rows: Float[Tensor, "*rows dim"] = f(path)\n'
            "    return (x * 2).sum() + rows.flatten(0, -2).sum() + rows.softmax(-1).mean()\n",
            0,
        ),
        # a number for a number, a tensor for a tensor
        (
            'def f(x: float | Float[Tensor, "*steps"]) -> float | Float[Tensor, "*steps"]:\n'
            "    return x / 2\n"
            'def g(x: float | Float[Tensor, "*steps"]) -> float | Float[Tensor, "*steps"]:\n'
            "    return 1.0 - f(x)\n",
            0,
        ),
        (
            'def f(x: Float[Tensor, "*shape"], n: int) -> tuple[Float[Tensor, "*shape"], list[Tensor]]:\n'
            "    return x, []\n"
            'def g(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:\n'
            "    y, rest = f(x, 2)\n"
            "    return y.cos()\n",
            0,
        ),
        # x is what it was where the branches meet
        (
            'def f(x: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "*batch vocab"]:\n'
            "    rows = x.flatten(0, -2) if x.ndim > 1 else x[None]\n"
            "    return x - rows.mean()\n",
            0,
        ),
        (
            'def f(x: Float[Tensor, "*shape"], y: Tensor) -> Float[Tensor, "*shape"]:\n'
            "    if y.shape != x.shape:\n"
            "        raise ValueError\n"
            "    return y.lerp(x, 0.5)\n",
            1,
        ),
        (
            'def f(x: Float[Tensor, "rows dim"], numbers: list[list[int]]) -> None:\n'
            "    some = slice(2, len(numbers))\n"
            "    x[some] += torch.tensor(numbers) + torch.tensor(list(b'abc'))\n",
            0,
        ),
        # fields of a named tuple that a call gives; numbers of processes
        (
            "class Sum(NamedTuple):\n"
            '    total: Float[Tensor, ""]\n'
            "    items: int\n"
            "def f(path: str) -> Sum: ...\n"
            'def g(path: str) -> Float[Tensor, ""]:\n'
            "    total, items = f(path)\n"
            "    return total / items * torch.distributed.get_world_size()\n",
            0,
        ),
        # an argument of which nothing is known binds nothing
        (
            'def f(x: Shaped[Tensor, "*shape"], y: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:\n'
            "    return x + y\n"
            'def g(x: list[Tensor], y: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:\n'
            "    return f(x[0], y) * f(x[0], x[1]).sum()\n",
            3,
        ),
        # what a pattern counts has so many axes from there on, also where it was not known to be a tensor
        (
            "def f(x: Tensor, batch) -> Tensor:\n"
            '    y = einops.rearrange(x, "b n d -> b d n")\n'
            "    z = torch.einsum('bij,bjk->bik', batch['q'], y)\n"
            "    return einops.rearrange(batch['k'], '(b h) d n -> b (h d) n', h=2) + x.mT + z\n",
            1,
        ),
        (
            "class Rule:\n"
            '    rate: Float[Tensor, "*one"]\n'
            "    def f(self) -> Tensor:\n"
            "        return (self.rate * 2).exp()\n",
            0,
        ),
    ],
    ids=[
        "place in a text",
        "rolled",
        "entry",
        "optional entry",
        "flatten",
        "no tensor",
        "arms",
        "unbound run",
        "number or tensor",
        "partly plain tuple",
        "one axis or more",
        "equal shapes",
        "lists and slices",
        "named tuple",
        "unknown argument",
        "pattern",
        "attribute",
    ],
)
def test_expressions_without_a_shape_in_a_small_program(tmp_path: Path, body: str, unknown: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(_HEADER + body)
    known = _coverage([str(program)], tmp_path)
    assert known.total >= max(unknown, 1)
    assert known.total - known.known == unknown


def test_the_shapes_of_the_package_itself_are_known() -> None:
    """Six of seven; of most others nothing is to be known: entries of state dicts, lists of parameters."""
    package = Path(typedtorch.__file__).parent
    parts = ["accounting", "losses.py", "functional", "nn", "optim", "data", "training"]
    known = _coverage([str(package / part) for part in parts], package.parent)
    assert known.total > 1000
    assert known.known / known.total >= 6 / 7
