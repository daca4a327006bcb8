"""Source files as text: which of them can concern tensors at all, and what their comments switch off.

Parsing and interpreting a module costs a hundred times what reading it does, and most modules of most
programs have nothing to do with tensors.  A module can concern them only if its text names one of a few
packages, or if it imports, however indirectly, a module of the program that does.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Find = Callable[[str], Path | None]

_PACKAGES = re.compile(rb"\b(?:torch|jaxtyping|einops|typedtorch)\b")
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<base>[.\w]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n]*)"
    rb"|import[ \t]+(?P<modules>[\w., \t]+))",
    re.M,
)
_INSTALLED = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "purelib", "platlib")})


@dataclass(frozen=True, slots=True)
class _Scan:
    stamp: tuple[int, int]
    tensors: bool
    imports: tuple[str, ...]


class Relevance:
    """Answers whether a module can concern tensors; files are read once for as long as they don't change."""

    def __init__(self, find: Find) -> None:
        self.find = find
        self._scans: dict[Path, _Scan] = {}
        self._known: dict[str, tuple[tuple[Path, ...], bool]] = {}

    def __call__(self, module: str, path: Path, text: str | None = None) -> bool:
        """Follow the imports of a module until one names a tensor package, or none is left."""
        stack, seen = [(module, path)], {module}
        while stack:
            name, where = stack.pop()
            scan = self._scan(name, where, text if where == path else None)
            if scan is None:
                continue
            if scan.tensors:
                return True
            # Of an installed package only what is imported directly counts: programs pass it tensors by name.
            if name != module and is_installed(where):
                continue
            for imported in scan.imports:
                if imported not in seen:
                    seen.add(imported)
                    found = self.find(imported)
                    if found is not None:
                        stack.append((imported, found))
        return False

    def _scan(self, module: str, path: Path, text: str | None) -> _Scan | None:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._scans.get(path)
            if known is not None and known.stamp == stamp and text is None:
                return known
            data = path.read_bytes() if text is None else text.encode()
        except OSError:
            return None
        tensors = _PACKAGES.search(data) is not None
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        scan = _Scan(stamp, tensors, () if tensors else tuple(imports(data, package)))
        if text is None:
            self._scans[path] = scan
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
    return "/site-packages/" in text or "/dist-packages/" in text or text.startswith(_INSTALLED)
