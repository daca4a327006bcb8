"""Source files as text: which of them can concern tensors at all, and what their comments switch off.

Parsing and interpreting a module costs a hundred times what reading it does, and most modules of most
programs have nothing to do with tensors.  A module can concern them only if its text names one of a few
packages, or if it imports, however indirectly, a module of the program that does.
"""

from __future__ import annotations

import os
import re
import tokenize
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import NamedTuple

Find = Callable[[str], Path | None]

_PACKAGES = re.compile(rb"\b(?:torch|jaxtyping|einops|typedtorch)\b")
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<base>[.\w]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n]*)"
    rb"|import[ \t]+(?P<modules>[\w., \t]+))",
    re.M,
)
_FOREIGN = {"__pycache__", "node_modules", "site-packages"}
_STDLIB = f"{Path(os.__file__).parent.as_posix()}/"


def text_of(path: Path) -> str:
    """The text of a source, in the encoding that it declares, as Python reads it.

    Raises:
        OSError: it cannot be read, or declares an encoding that there is not.
        UnicodeDecodeError: it is in another encoding.
    """
    try:
        with tokenize.open(path) as file:
            return file.read()
    except SyntaxError as error:
        raise OSError(str(error)) from error


class _Scan(NamedTuple):
    stamp: tuple[int, int]
    tensors: bool
    imports: tuple[str, ...]


class Sources:
    """What the texts of a program's modules say of each other; a file is read again only if it changed."""

    def __init__(self, find: Find) -> None:
        self.find = find
        self._scans: dict[tuple[str, Path], _Scan] = {}

    def relevant(self, module: str, path: Path) -> bool:
        """Whether a module can concern tensors: it, or one that it imports however indirectly, names them."""
        return any(scan.tensors for _, scan in self._reachable(module, path))

    def names_tensors(self, module: str, path: Path) -> bool:
        """Whether the text of a module itself does."""
        scan = self._scan(module, path)
        return scan is not None and scan.tensors

    def followed(self, module: str, path: Path) -> bool:
        """Whether calls into a module are followed: of installed packages, only what names tensors.

        What calls the rest, a logger or a parser of commands, learns nothing of shapes there.
        """
        if not is_installed(path.absolute()) or path.stem == "__init__":
            return True
        return self.names_tensors(module, path)

    def _reachable(self, module: str, path: Path) -> Iterator[tuple[str, _Scan]]:
        stack, seen = [(module, path)], {module}
        while stack:
            name, where = stack.pop()
            scan = self._scan(name, where)
            if scan is None:
                continue
            yield name, scan
            # Of an installed package only what is imported directly counts.
            if name != module and is_installed(where):
                continue
            for imported in scan.imports:
                if imported not in seen:
                    seen.add(imported)
                    found = self.find(imported)
                    if found is not None:
                        stack.append((imported, found))

    def _scan(self, module: str, path: Path) -> _Scan | None:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._scans.get((module, path))
            if known is not None and known.stamp == stamp:
                return known
            data = path.read_bytes()
        except OSError:
            return None
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        scan = _Scan(stamp, _PACKAGES.search(data) is not None, tuple(imports(data, package)))
        self._scans[module, path] = scan
        return scan


def imports(data: bytes, package: str) -> Iterator[str]:
    """Dotted names that a source imports, read without parsing it; some of them may be no modules.

    >>> list(imports(b"from . import layers, heads as h\\nimport os, sys as s\\nfrom a.b import c", "net"))
    ['net', 'net.layers', 'net.heads', 'os', 'sys', 'a.b', 'a.b.c']
    """
    for match in _IMPORT.finditer(data):
        if match["modules"] is not None:
            yield from _words(match["modules"])
            continue
        base = absolute(match["base"].decode(), package)
        if base is not None:
            yield base
            yield from (f"{base}.{name}" for name in _words(match["names"].strip(b"()")))


def _words(names: bytes) -> Iterator[str]:
    """``a, b as c`` as a, b; comments and wildcards dropped."""
    for line in names.decode(errors="ignore").splitlines():
        for item in line.partition("#")[0].split(","):
            name = item.strip().partition(" ")[0]
            if name and name != "*":
                yield name


def absolute(name: str, package: str) -> str | None:
    """A relative module name, from the package it stands in; None where it climbs too far.

    >>> absolute("..heads", "net.blocks")
    'net.heads'
    """
    dots = len(name) - len(name.lstrip("."))
    if dots == 0:
        return name
    parts = package.split(".") if package else []
    if dots - 1 > len(parts):
        return None
    kept = parts[: len(parts) - (dots - 1)]
    return ".".join([*kept, *filter(None, [name[dots:]])]) or None


def is_installed(path: Path) -> bool:
    """Whether a file belongs to an installed package or the standard library, not to the program."""
    text = path.as_posix()
    return "/site-packages/" in text or "/dist-packages/" in text or text.startswith(_STDLIB)


def sources_under(folder: Path, *, but: Container[str] = ()) -> Iterator[Path]:
    """Python files below a folder, without environments, caches and folders of the names ``but``."""
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in but and not _is_foreign(Path(where, name))]
        yield from (Path(where, name) for name in files if name.endswith(".py"))


def _is_foreign(folder: Path) -> bool:
    return (
        folder.name.startswith(".")
        or folder.name in _FOREIGN
        or folder.name.endswith(".egg-info")
        or (folder / "pyvenv.cfg").is_file()
    )


def speaks_of_shapes(path: Path) -> bool:
    """Whether an installed module has shape annotations of its own, or may pass on those of its package."""
    if path.stem == "__init__":
        return True
    try:
        return b"jaxtyping" in path.read_bytes()
    except OSError:
        return False
