"""The pytest option and the import hook behind it, each in a pytest (or python) of its own.

The package is written with numpy, which starts quicker than torch.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = '''\
"""A package without a single decorator of ours."""
from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import overload

from jaxtyping import Float
from numpy import ndarray

Image = Float[ndarray, "c h w"]


def double(x: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    return 2 * x + (y[0] if len(y) else 0)


def by_alias(x: Image) -> int:
    return x.ndim


def no_arrays(x: int) -> int:
    return x


@functools.lru_cache
def cached(n: int) -> str:
    return "a" * n


@dataclass
class Batch:
    x: Float[ndarray, "n d"]
    y: Float[ndarray, "n"]


@dataclass
class Settings:
    rate: float = 1


class Layer:
    def __call__(self, x: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
        return x

    @property
    def size(self) -> Float[ndarray, "n n"]:
        raise RuntimeError("line 48")
'''

TESTS = """\
import inspect, linecache, traceback
import pytest
from numpy import ones
from mypackage import inner
from typedtorch.runtime import ShapeCheckError

def test_functions():
    inner.double(ones(2), ones(2))
    with pytest.raises(ShapeCheckError, match="double: argument 'y': axis n: wanted 2, got 3"):
        inner.double(ones(2), ones(3))
    with pytest.raises(ShapeCheckError):
        inner.by_alias(ones(2))

def test_methods_and_dataclasses():
    with pytest.raises(ShapeCheckError, match="Layer.__call__"):
        inner.Layer()(ones(2), ones(3))
    with pytest.raises(ShapeCheckError, match="Batch.__init__"):
        inner.Batch(ones((2, 3)), ones(3))
    with pytest.raises(ShapeCheckError, match="field 'y'"):
        inner.Batch(ones((2, 3)), ones(2)).y = ones((2, 2))

def test_what_holds_no_array_is_left_alone():
    assert inner.no_arrays("x") == "x"
    assert not hasattr(inner.no_arrays, "__wrapped__")
    assert inner.cached(2) == "aa"
    assert inner.Settings("fast").rate == "fast"

def test_lines_stay():
    assert inner.double.__wrapped__.__code__.co_firstlineno == 14
    try:
        inner.Layer().size
    except RuntimeError as error:
        assert traceback.extract_tb(error.__traceback__)[-1].lineno == 48
    assert inspect.getsource(inner.double).startswith("def double")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    package = tmp_path / "mypackage"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text(PACKAGE)
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def pytest_in(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )  # fmt: skip


def test_option_checks_a_package_without_decorators(project: Path) -> None:
    run = pytest_in(project, "-v", "--typedtorch-check=mypackage")
    assert run.returncode == 0, run.stdout
    assert "typedtorch: checking mypackage" in run.stdout


def test_without_the_option_nothing_is_checked(project: Path) -> None:
    run = pytest_in(project, "-k", "functions")
    assert "DID NOT RAISE" in run.stdout


@pytest.mark.parametrize("name", ["pytest.ini", "pyproject.toml"])
def test_ini_file(project: Path, name: str) -> None:
    text = {
        "pytest.ini": "[pytest]\ntypedtorch_check = mypackage.inner\n",
        "pyproject.toml": '[tool.pytest.ini_options]\ntypedtorch_check = ["other", "mypackage"]\n',
    }
    (project / name).write_text(text[name])
    run = pytest_in(project)
    assert run.returncode == 0, run.stdout
    assert ("nothing was imported from 'other'" in run.stdout) == (name == "pyproject.toml")


def test_several_packages_and_a_misspelt_one(project: Path) -> None:
    run = pytest_in(project, "--typedtorch-check", "mypackage, mypackge", "--typedtorch-check=json")
    assert "already imported" in run.stderr
    run = pytest_in(project, "--typedtorch-check", "mypackage, mypackge")
    assert run.returncode == 0
    assert "typedtorch: nothing was imported from 'mypackge': nothing checked" in run.stdout


def test_xdist_workers_check_too(project: Path) -> None:
    run = pytest_in(project, "-n", "1", "--typedtorch-check=mypackage")
    assert run.returncode == 0, run.stdout


def test_what_the_checks_need_themselves_is_refused(project: Path) -> None:
    run = pytest_in(project, "--typedtorch-check=torch")
    assert run.returncode == 4
    assert "cannot check torch: the checks themselves need it; name your own package" in run.stderr


def test_package_imported_too_early_is_an_error(project: Path) -> None:
    run = pytest_in(project, "-p", "mypackage.inner", "--typedtorch-check=mypackage")
    assert run.returncode == 4
    wanted = "--typedtorch-check: cannot check mypackage: already imported: mypackage, mypackage.inner"
    assert wanted in run.stderr


def test_switched_off_by_the_environment(project: Path) -> None:
    run = pytest_in(project, "--typedtorch-check=mypackage", "-k", "functions", TYPEDTORCH_CHECK="off")
    assert "DID NOT RAISE" in run.stdout


def test_bytecode_is_neither_read_nor_written(project: Path) -> None:
    assert pytest_in(project, "--typedtorch-check=mypackage").returncode == 0
    assert not list(project.glob("mypackage/__pycache__/inner*"))
    assert "DID NOT RAISE" in pytest_in(project, "-k", "functions").stdout
    assert pytest_in(project, "--typedtorch-check=mypackage").returncode == 0


def python(code: str, **environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    return run.stdout + run.stderr


LOADED = "import sys; print(sorted({'torch', 'beartype', 'numpy', 'jaxtyping'} & set(sys.modules)))"


@pytest.mark.parametrize("module", ["typedtorch", "typedtorch.runtime", "typedtorch.pytest_plugin"])
def test_loads_without_torch(module: str) -> None:
    assert python(f"import {module}; {LOADED}") == "[]\n"


def test_the_test_above_can_fail() -> None:
    assert python(f"import typedtorch.runtime, numpy; {LOADED}") == "['numpy']\n"


def test_a_session_that_checks_a_package_loads_no_torch_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("")  # quicker than the real one, and found first
    for first, code in (("import sys", 0), ("import sys, torch", 1)):
        (tmp_path / "test_it.py").write_text(f"{first}\ndef test(): assert 'torch' not in sys.modules\n")
        assert pytest_in(tmp_path, "--typedtorch-check=typedtorch").returncode == code


WITHOUT_BEARTYPE = """
import sys
sys.modules["beartype"] = None  # importing it fails
import torch
from jaxtyping import Float
from typedtorch.nn.module import Module
from typedtorch.runtime import typed
@typed
def f(x: list[Float[torch.Tensor, "n"]] | None) -> Float[torch.Tensor, "n"]: return x[0]
f([torch.ones(2), torch.ones(2)])
try: f([torch.ones(2), torch.ones(3)])
except TypeError as error: print(error)
"""


def test_works_without_beartype() -> None:
    assert python(WITHOUT_BEARTYPE).startswith("f: argument 'x'[1]: axis n: wanted 2, got 3")


@pytest.mark.parametrize(
    ("value", "said"), [("off", "True"), ("on", "False"), ("OFF", "True"), ("", "False")]
)
def test_environment(value: str, said: str) -> None:
    code = "from typedtorch.runtime import typed\ndef f(x: int) -> int: return x\nprint(typed(f) is f)"
    assert python(code, TYPEDTORCH_CHECK=value) == said + "\n"


def test_environment_misspelt() -> None:
    code = "from typedtorch.runtime import typed\n@typed\ndef f(x: int) -> int: return x"
    assert "TYPEDTORCH_CHECK: wanted 'on' or 'off', got 'maybe'" in python(code, TYPEDTORCH_CHECK="maybe")


COMPILED = """
from __future__ import annotations
import torch
from torch import Tensor

@torch.library.custom_op("typedtorch_tests::twice", mutates_args=())
def twice(x: Tensor) -> Tensor:
    return x * 2
"""


def test_operators_that_torch_reads_from_text_stay_readable(tmp_path: Path) -> None:
    (tmp_path / "operators.py").write_text(COMPILED)
    code = "from typedtorch.runtime import hook; hook.install(['operators']); import operators, torch"
    assert "2." in python(f"{code}; print(operators.twice(torch.ones(1)))", PYTHONPATH=str(tmp_path))
