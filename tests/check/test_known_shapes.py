"""How many tensor expressions have a known shape: in small programs, and in the package itself."""

from pathlib import Path

import pytest

import typedtorch
from typedtorch.check.run import Checker
from typedtorch.check.targets import targets
from typedtorch.shapes.config import Config
from typedtorch.shapes.findings import Coverage

_HEADER = """\
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

"""


def _coverage(names: list[str], root: Path) -> Coverage:
    result = Checker().run(targets(names, Config(root)))
    assert not result.findings
    return sum(result.coverage.values(), Coverage())


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        # the entry of the dictionary alone: the annotation says the rest
        (
            'def f(x: Shaped[Tensor, "*shape"], d: dict[str, Tensor]) -> Shaped[Tensor, "*shape"]:\n'
            '    old: Shaped[Tensor, "*shape"] = d["old"]\n'
            "    return old.lerp(x, 0.5)\n",
            1,
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
    ],
    ids=["entry", "optional entry", "flatten", "no tensor", "arms"],
)
def test_expressions_without_a_shape_in_a_small_program(tmp_path: Path, body: str, unknown: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(_HEADER + body)
    known = _coverage([str(program)], tmp_path)
    assert known.total >= max(unknown, 1)
    assert known.total - known.known == unknown


def test_the_shapes_of_the_package_itself_are_known() -> None:
    """Four of five; of most others nothing is to be known: entries of state dicts, lists of parameters."""
    package = Path(typedtorch.__file__).parent
    parts = ["losses.py", "functional", "nn", "optim", "data", "training"]
    known = _coverage([str(package / part) for part in parts], package.parent)
    assert known.total > 1000
    assert known.known / known.total >= 0.8
