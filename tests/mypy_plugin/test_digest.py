"""What of a source decides whether its importers are checked again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from typedtorch.mypy_plugin import digest
from typedtorch.shapes.config import Config
from typedtorch.shapes.given_elsewhere import given_around
from typedtorch.shapes.module_facts import SourceFacts
from typedtorch.shapes.neighbours import look_again

SOURCE = """import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        self.layer = nn.Linear(3, 4)
        self.blocks = nn.ModuleList([nn.Linear(3, 4)])
        self.register_buffer("table", torch.ones(3))

    def forward(self, x: Float[Tensor, "b 3"]) -> Float[Tensor, "b 4"]:
        y = self.blocks[0](x)
        return y


def helper(x):
    return x.T


def main() -> None:
    print(Net())
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.layer = ", "self.other = "),
        ("class Net(nn.Module)", "class Net(Base)"),
        ("class Net(nn.Module)", "@decorated\nclass Net(nn.Module)"),
        ("[nn.Linear(3, 4)]", "[nn.Conv2d(3, 4, 5)]"),
        ("y = self.blocks[0](x)", "self.y = y = x"),
        ('"table", torch.ones(3)', '"table", None'),
        ("return x.T", "x.given = 3"),
    ],
)
def test_what_other_modules_can_see_changes_the_interface(old: str, new: str) -> None:
    assert old in SOURCE
    assert _interface(SOURCE) != _interface(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return y", "return y + 0"),
        ("y = self.blocks[0](x)", "z = x.relu()\n        y = z"),
        ("print(Net())", "pass"),
        ('"b 4"', '"b 5"'),  # it is findings that rest on shapes
        ("return x.T", "return x"),
    ],
)
def test_what_happens_inside_functions_does_not(old: str, new: str) -> None:
    assert old in SOURCE
    assert _interface(SOURCE) == _interface(SOURCE.replace(old, new))


def config_data(module: str, path: str, config: Config, *, shows_errors: bool = True) -> list[str] | None:
    around = partial(given_around, module, Path(path))
    return digest.config_data(module, path, config, lambda: "interface", around, shows_errors=shows_errors)


def _interface(text: str) -> str:
    return SourceFacts.read(text).interface


def test_modules_without_tensors_store_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("x = 1\n")
    assert config_data("plain", str(path), Config(tmp_path)) is None
    assert config_data("numpy.linalg", "/anywhere", Config(tmp_path)) is None


def test_options_and_exclusion_enter(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(SOURCE)
    plain = config_data("net", str(path), Config(tmp_path))
    assert plain is not None
    assert config_data("net", str(path), Config(tmp_path, disable=frozenset({"dtype"}))) != plain
    assert config_data("net", str(path), Config(tmp_path, exclude=("net.py",))) != plain
    assert config_data("net", str(path), Config(tmp_path, exclude=("other",))) == plain


READER = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        return self.head(self.layer(x))
"""


@pytest.mark.parametrize(
    ("other", "given"),
    [
        ("net.head = None\n", ["head"]),
        ("class Mine(net.Net):\n    layer: object\n    head: object\n", ["head"]),
        ("net.other = None\n", []),
        ("class Mine(Base):\n    head: object\n", []),
        ("net.add_module('head', None)\n", ["head"]),
        ("net.register_buffer(name='head', tensor=None)\n", ["head"]),
        ("setattr(net, 'he%s' % rest, None)\n", ["head"]),
        ("net.register_buffer('he' + rest, None)\n", ["head"]),
        ("for name in NAMES:\n    setattr(net, name, None)\nNAMES = ['head']\n", ["head"]),
        ("for name in NAMES:\n    setattr(net, name, None)\nNAMES = ['other']\n", []),
        ("def give(self, name):\n    self.register_buffer(name, None)\n", []),
        ("class Mine:\n    def __init__(self):\n        self.head = None\n", []),
    ],
)
def test_what_other_files_give_to_its_objects_enters(tmp_path: Path, other: str, given: list[str]) -> None:
    path = tmp_path / "package" / "net.py"
    path.parent.mkdir()
    path.write_text(READER)
    alone = config_data("package.net", str(path), Config(tmp_path))
    assert alone is not None
    (path.parent / "other.py").write_text(other)
    look_again()
    assert config_data("package.net", str(path), Config(tmp_path)) == [*alone, *given]
    assert config_data("package.net", str(path), Config(tmp_path), shows_errors=False) == alone


def test_environments_in_a_package_give_nothing(tmp_path: Path) -> None:
    path = tmp_path / "package" / "net.py"
    for folder in (".venv", "node_modules/x", "site-packages", "env", "part"):
        (path.parent / folder).mkdir(parents=True)
        (path.parent / folder / "other.py").write_text("net.head = None\n")
    (path.parent / "env" / "pyvenv.cfg").touch()
    path.write_text(READER)
    found = config_data("package.net", str(path), Config(tmp_path))
    assert found is not None
    assert found[-1] == "head"
    (path.parent / "part" / "other.py").unlink()
    look_again()
    assert config_data("package.net", str(path), Config(tmp_path)) == found[:-1]
