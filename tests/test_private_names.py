"""A name that begins with an underscore is used in its own module only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "typedtorch"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")
}
PACKAGES = {name.removesuffix(".__init__") for name in MODULES if name.endswith(".__init__")}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def taken(source: str) -> Iterator[str]:
    """The private names that a module imports from another one of ours, or reads as its attributes."""
    tree = ast.parse(source)
    ours: dict[str, str] = {}  # modules of ours under the names that they have here
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE.name:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in MODULES or whole in PACKAGES:
                    ours[alias.asname or alias.name] = whole
                elif is_private(alias.name):
                    yield whole
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in ours and is_private(
                attribute
            ):
                yield f"{ours[name]}.{attribute}"


def test_private_names_stay_in_their_module() -> None:
    found = [
        f"{module} uses {name}: give it a public name where it is defined"
        for module, path in sorted(MODULES.items())
        for name in taken(path.read_text(encoding="utf-8"))
    ]
    assert len(MODULES) > 1
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "from typedtorch.shapes.size import Poly, _key",
        "from typedtorch.shapes import size\nsize._key",
        "def late():\n    from typedtorch.shapes import size as s\n    return s._key",
    ],
)
def test_private_names_of_other_modules_are_seen(source: str) -> None:
    assert list(taken(source)) == ["typedtorch.shapes.size._key"]


@pytest.mark.parametrize(
    "source",
    ["import torch\ntorch._C", "from typedtorch.shapes import size\nsize.__name__", "self._own", "_own()"],
)
def test_other_names_are_not(source: str) -> None:
    assert not list(taken(source))
