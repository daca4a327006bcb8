"""Attributes that other files of a program give to a class's objects.

``self.transformer.head = ...`` in one file makes ``self.head`` right in the other that defines the class,
and so does a subclass in a file that nothing here imports.  The texts of the whole package are searched,
and only when a finding is about to be made.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_FILES = 20_000
SECONDS = 1.0  # what was read so lately is what the files hold

_ASSIGNED = re.compile(r"(?<!\bself)\.(\w+)[ \t]*(?::[^=\n]+)?=(?!=)")
_BY_NAME = re.compile(r"setattr\([^,()]+(?:\([^()]*\))?,\s*[\"'](\w+)[\"']")
_BASES = re.compile(r"^[ \t]*class\s+\w+\s*\(([^)]*)", re.M)


@dataclass(frozen=True, slots=True)
class Given:
    """What one source gives to objects that are not its own ``self``, and the classes it derives from.

    >>> Given.by("model.decoder.head = self.neck = None").names
    frozenset({'head'})
    >>> sorted(Given.by("class Mine(base.Decoder):\\n    head = None").bases)
    ['Decoder', 'base']
    """

    names: frozenset[str]
    bases: frozenset[str]

    @classmethod
    def by(cls, text: str) -> Given:
        names = frozenset(_ASSIGNED.findall(text)).union(_BY_NAME.findall(text))
        return cls(names, frozenset(re.findall(r"\w+", " ".join(_BASES.findall(text)))))


@dataclass(slots=True)
class _Package:
    """The sources of one package, read when they are asked for and again when they have changed."""

    files: dict[Path, tuple[tuple[int, int], Given]] = field(default_factory=dict)
    looked: float = -SECONDS

    def refresh(self, found: Iterator[Path]) -> None:
        known, self.files = self.files, {}
        for path in sorted(set(found))[:MAX_FILES]:
            try:
                status = path.stat()
                stamp = (status.st_mtime_ns, status.st_size)
                old = known.get(path)
                self.files[path] = old if old and old[0] == stamp else (stamp, Given.by(_text(path)))
            except (OSError, UnicodeDecodeError):
                continue
        self.looked = time.monotonic()


_packages: dict[tuple[Path, Path | None], _Package] = {}


def given_elsewhere(module: str, path: Path, class_name: str, attribute: str) -> bool:
    """Whether another file assigns the attribute to an object, or derives a class that speaks of it."""
    depth = min(module.count(".") + (path.stem == "__init__"), len(path.parents) - 1)
    top = path.parents[depth - 1] if depth else None
    package = _packages.setdefault((path.parents[depth], top), _Package())
    if time.monotonic() - package.looked > SECONDS:
        package.refresh(_sources(path.parents[depth], top))
    for other, (_, given) in package.files.items():
        if other == path:
            continue
        if attribute in given.names or (class_name in given.bases and _speaks_of(other, attribute)):
            return True
    return False


def _sources(folder: Path, package: Path | None) -> Iterator[Path]:
    """The sources of the package, and those in the folder that it stands in."""
    yield from folder.glob("*.py")
    if package is not None:
        yield from package.rglob("*.py")


def _speaks_of(path: Path, attribute: str) -> bool:
    try:
        return re.search(rf"\b{re.escape(attribute)}\b", _text(path)) is not None
    except (OSError, UnicodeDecodeError):
        return False


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
