"""What of a source decides whether its importers are checked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.mypy_plugin.digest import config_data, interface_digest
from typedtorch.shapes.config import Config
from typedtorch.shapes.given_elsewhere import look_again

SOURCE = b"""from jaxtyping import Float
from torch import Tensor, nn

WIDTH = "b d"


class Net(nn.Module):
    def __init__(self) -> None:
        self.layer = nn.Linear(3, 4)

    def forward(
        self,
        x: Float[Tensor, "b 3"],
    ) -> Float[Tensor, "b 4"]:
        y = self.layer(x)

        return y


def helper(x):
    return x.T


def main() -> None:
    print(Net())
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"b 3"', b'"b 5"'),
        (b'"b 4"', b'"b 5"'),
        (b'"b d"', b'"b e"'),
        (b"nn.Linear(3, 4)", b"nn.Linear(3, 5)"),
        (b"x.T", b"x"),
        (b"class Net(nn.Module)", b"class Net(Base)"),
    ],
)
def test_what_callers_see_changes_it(old: bytes, new: bytes) -> None:
    assert old in SOURCE
    assert interface_digest(SOURCE) != interface_digest(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"return y", b"return y + 0"),
        (b"print(Net())", b"pass"),
        (b"y = self.layer(x)\n", b"y = x\n        y = y\n"),
    ],
)
def test_bodies_whose_shapes_the_signature_settles_do_not(old: bytes, new: bytes) -> None:
    assert old in SOURCE
    assert interface_digest(SOURCE) == interface_digest(SOURCE.replace(old, new))


def test_a_signature_that_cannot_be_read_keeps_its_body() -> None:
    source = SOURCE.replace(b'"b 3"],', b'"b 3"],  # one "quote')
    assert interface_digest(source) != interface_digest(source.replace(b"return y", b"return y + 0"))


def test_modules_without_tensors_store_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("x = 1\n")
    assert config_data("plain", str(path), Config(tmp_path)) is None
    assert config_data("numpy.linalg", "/anywhere", Config(tmp_path)) is None


def test_options_and_exclusion_enter(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_bytes(SOURCE)
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
