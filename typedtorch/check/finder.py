"""Finds the source of a module by its name, the way Python would, without importing anything."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from typedtorch.shapes.sources import is_installed, speaks_of_shapes

# A project's own folder is marked by one of these.
_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class Finder:
    """Looks in a program's own folders first, then among installed packages.

    Of installed packages only those with shape annotations are read; the rest is unknown.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = tuple(dict.fromkeys(roots))
        self._found: dict[str, Path | None] = {}

    def __call__(self, module: str) -> Path | None:
        if module not in self._found:
            self._found[module] = self._find(module)
        return self._found[module]

    def found(self) -> list[Path]:
        """The files of the modules that were asked for and are there."""
        return [path for path in self._found.values() if path is not None]

    def _find(self, module: str) -> Path | None:
        parts = module.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        for root in self.roots:
            found = _source(root, parts)
            if found is not None:
                return found
        for folder in _installed(parts[0]):
            found = _source(folder.parent, parts) if folder.is_dir() else folder
            if found is not None and (not is_installed(found) or speaks_of_shapes(found)):
                return found
        return None


def _source(root: Path, parts: Sequence[str]) -> Path | None:
    """``root/a/b.py`` or ``root/a/b/__init__.py``."""
    stem = root.joinpath(*parts)
    for path in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
        if path.is_file():
            return path
    return None


@cache
def _installed(package: str) -> tuple[Path, ...]:
    """The folder, or the file, of a top-level package on this interpreter's path."""
    if package in sys.builtin_module_names or package in sys.stdlib_module_names:
        return ()
    try:
        spec = importlib.util.find_spec(package)  # of a top-level name: looks, and imports nothing
    except (ImportError, ValueError, AttributeError):
        return ()
    if spec is not None and spec.submodule_search_locations:
        return tuple(Path(folder) for folder in spec.submodule_search_locations)
    origin = spec.origin if spec is not None else None
    return (Path(origin),) if origin is not None and origin.endswith(".py") else ()


def module_of(path: Path) -> tuple[str, Path]:
    """The dotted name of a file, and the folder that its imports start from.

    Folders with ``__init__.py`` are packages.  A file outside of any is a script, found by its neighbours.
    """
    path = path.absolute()
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


def project_roots(folder: Path) -> list[Path]:
    """Where the packages of the project around a folder may lie: ``src``, and the project itself."""
    folder = folder.absolute()
    for parent in (folder, *folder.parents):
        if any((parent / mark).exists() for mark in _MARKS):
            source = parent / "src"
            return [source, parent] if source.is_dir() else [parent]
    return []
