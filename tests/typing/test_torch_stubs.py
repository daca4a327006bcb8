"""The generated ``torch-stubs``, installed: without our plugin, checkers see what a module's call gives."""

from __future__ import annotations

import ast
import inspect
import os
import re
import runpy
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from test_examples import ROOT, Seen, mypy, pyrefly, pyright, ty, wanted

GENERATE = ROOT / "stubs" / "generate.py"
EXAMPLE = Path(__file__).parent / "with_torch_stubs" / "called.py"
# Their forward has no annotations in torch, or there is none.
UNTYPED = {"Container", "DataParallel", "Module", "RNNBase", "RNNCellBase", "Sequential"}
UNTYPED |= {"ModuleDict", "ModuleList", "ParameterDict", "ParameterList"}
# What they give depends on return_indices, and torch does not say what.
POOLS = {f"{kind}{n}d" for kind in ("MaxPool", "AdaptiveMaxPool") for n in (1, 2, 3)} | {
    f"FractionalMaxPool{n}d" for n in (2, 3)
}


@pytest.fixture(scope="session")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(GENERATE))


@pytest.fixture(scope="session")
def python(pytestconfig: pytest.Config, generator: dict[str, Any]) -> str:
    """An interpreter that has what this one has, and the stubs; kept, so that mypy's cache holds."""
    assert pytestconfig.cache is not None
    # each process of the tests has its own: one would write the stubs while another reads them
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    folder = pytestconfig.cache.mkdir("torch_stubs") / worker
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    generator["generate"](generator["installed"](), packages)
    (packages / "pyproject.toml").unlink()
    here = [path for path in map(Path, sys.path) if path.name == "site-packages"]
    (packages / "here.pth").write_text("\n".join(map(str, here)))
    return str(folder / "bin" / "python")


@pytest.mark.slow
@pytest.mark.parametrize("checker", [mypy, pyright, pyrefly, ty], ids=lambda checker: str(checker.__name__))
def test_calls_have_the_type_of_forward(
    checker: Callable[[Path, Path, str], Seen], python: str, tmp_path: Path
) -> None:
    expected, seen = wanted(EXAMPLE), checker(EXAMPLE, tmp_path, python)
    assert seen.types == expected.types
    assert seen.errors == expected.errors
    assert len(expected.errors) > 5


@pytest.mark.slow
def test_every_layer_of_torch_is_called_with_its_own_forward(python: str, tmp_path: Path) -> None:
    layers = sorted(
        name
        for name, value in vars(torch.nn).items()
        if inspect.isclass(value) and issubclass(value, torch.nn.Module) and name not in UNTYPED
    )
    lines = ["from typing import reveal_type", "from torch import nn"]
    for name in layers:
        lines += [f"def use_{name}(m: nn.{name}) -> None:", "    reveal_type(m.__call__)"]
    program = tmp_path / "layers.py"
    program.write_text("\n".join(lines))
    types = mypy(program, tmp_path, python).types
    assert len(types) == len(layers) > 130
    untyped = {name for name, shown in zip(layers, types.values(), strict=True) if not _typed(shown)}
    assert untyped == POOLS


def _typed(shown: str) -> bool:
    """Whether a callable takes and gives something known."""
    return bool(re.match(r"(def|Overload)\b", shown)) and "*args: Any" not in shown and "-> Any" not in shown


def test_stubs_have_every_name_of_the_module_they_replace(generator: dict[str, Any]) -> None:
    module = torch.nn.modules.module
    stub = ast.parse(generator["typed_call"](generator["module_stub"](Path(module.__file__)), "0"))
    own = {
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    }
    assert _declared(stub.body) >= {*own, *module.__all__, "Parameter", "Tensor", "RemovableHandle"}
    (shown,) = (node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Module")
    assert _declared(shown.body) >= {name for name in vars(module.Module) if not name.startswith("__")}


def _declared(body: list[ast.stmt]) -> set[str]:
    names: set[str] = set()
    for node in body:
        match node:
            case ast.ImportFrom():
                names |= {alias.asname for alias in node.names if alias.asname}
            case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
                names.add(name)
            case ast.FunctionDef() | ast.ClassDef():
                names.add(node.name)
    return names


def test_wrong_torch_is_named(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(GENERATE), str(tmp_path / "out"), "--torch", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert f"error: {tmp_path} is not a torch package" in run.stderr
    assert not (tmp_path / "out").exists()


def test_module_that_looks_different_is_refused(generator: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"declares Module.__call__ in a way that is not known"):
        generator["typed_call"]("class Module:\n    def __call__(self): ...\n", "9.9")
