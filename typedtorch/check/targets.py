"""What the user asked to check: files, folders and module names, as files with their module names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from typedtorch.check.finder import Finder, module_of, project_roots
from typedtorch.shapes.config import Config
from typedtorch.shapes.sources import sources_under

_BUILT = {"build", "dist"}  # copies of the sources


class TargetError(ValueError):
    """A target that is neither a file, nor a folder, nor a module."""


@dataclass(frozen=True, slots=True)
class Target:
    """One file to check.  ``shown`` is its path as the user would write it; imports start from ``root``.

    ``disabled`` are the codes that the project's options switch off there.  ``data`` is what standard input
    held; None for what is on disk.
    """

    path: Path
    shown: str
    module: str
    root: Path
    disabled: frozenset[str] = frozenset()
    data: bytes | None = None


def targets(names: Sequence[str], config: Config) -> list[Target]:
    """Every file that the names stand for, once each, in order of path.

    Raises:
        TargetError: a name is no file, folder or module, or a folder holds no Python.
    """
    found = {path.absolute(): path for name in names for path in _files(name)}
    return [_target(path, config) for path in sorted(found) if not config.excludes(path)]


def unsaved(path: Path, data: bytes, config: Config) -> list[Target]:
    """A file with the unsaved text of an editor; nothing where the options exclude it."""
    path = path.absolute()
    return [] if config.excludes(path) else [_target(path, config, data)]


def _target(path: Path, config: Config, data: bytes | None = None) -> Target:
    return Target(path, _shown(path), *module_of(path), config.disabled(path), data)


def _files(name: str) -> Iterable[Path]:
    path = Path(name)
    if path.is_dir():
        found = list(_sources_under(path))
        if not found:
            notebooks = "; name the notebooks that are to be checked" if any(path.glob("*.ipynb")) else ""
            raise TargetError(f"{name}: no Python files in this folder{notebooks}")
        return found
    if path.is_file():
        return [path]
    module = Finder([Path(), *project_roots(Path())])(name) if not name.endswith(".py") else None
    if module is not None:
        return _sources_under(module.parent) if module.stem == "__init__" else [module]
    raise TargetError(f"{name}: no such file or folder, and no module of this name is found from here")


def _sources_under(folder: Path) -> Iterator[Path]:
    found = sources_under(folder, but=_BUILT)
    return (path for path in found if path.is_file())  # an editor's lock may be a link to nothing


def _shown(path: Path) -> str:
    """The path relative to the current folder, if it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
