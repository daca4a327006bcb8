"""Attributes that other files of a program give to a class's objects.

``self.transformer.head = ...`` in one file makes ``self.head`` right in the other that defines the class,
and so does a subclass in a file that nothing here imports.  The texts of the whole project are searched, or
of the package where there is no project around it.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from typedtorch.shapes.sources import is_installed, sources_under
from typedtorch.shapes.texts import of_text

MAX_FILES = 20_000
# A project's folder holds one of these, and is at most so far above the folder that imports start from.
LEVELS = 3
_OF_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "README.md", ".git")
# What was read so lately is what the files hold; of large packages for ten times as long as reading took.
SECONDS, TIMES = 1.0, 10

# Each starts with plain characters, and gives nothing back: every text of a package is searched, often.
_ASSIGNED = re.compile(r"\.(?<!\bself\.)(\w++)[ \t]*+(?::[^=\n]++)?=(?!=)")
_BY_NAME = re.compile(
    r"(?:setattr\([^,()]+(?:\([^()]*\))?,|(?<!\bself)\.(?:register_(?:parameter|buffer|module)|add_module)\()"
    r"\s*([fF]?)[\"']([\w{][^\"'\n]*)[\"']"
)
_GIVING = ("setattr(", ".register_", ".add_module(")
_ALL_OF_ANOTHER = re.compile(r"(?<!\bself)\.__dict__(?:\.update\(|[ \t]*=(?!=))")
_NOTHING = re.compile("(?!)")
_COMPUTED = re.compile(r"\{[^{}]*\}")
_BASES = re.compile(r"class[ \t]++\w++\s*+\(([^)]*+)")
_CLASSES = re.compile(r"class[ \t]++(\w++)")
_WORD = re.compile(r"\w++")
_READ = re.compile(r"\.(\w++)")
_OWN = re.compile(r"self\.(\w++)([ \t]*+(?::[^=\n]++)?=(?!=))?")
_METHODS = re.compile(r"def[ \t]++(\w++)")
# What every module has, as far as its own methods ask for it often.
_OF_MODULES = {
    "training", "register_buffer", "register_parameter", "register_module", "add_module", "parameters",
    "modules", "children", "named_parameters", "named_modules", "buffers", "apply", "train", "eval", "to",
    "state_dict", "load_state_dict",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Given:
    """What one source gives to objects that are not its own ``self``, and the classes it derives from.

    >>> Given.by("model.decoder.head = self.neck = None").names
    frozenset({'head'})
    >>> Given.by("block.register_buffer(f'{kind}_scale', scale)").patterns
    frozenset({'\\\\w*_scale'})
    >>> sorted(Given.by("class Mine(base.Decoder):\\n    head = None").bases)
    ['Decoder', 'base']
    """

    names: frozenset[str]
    bases: frozenset[str]
    patterns: frozenset[str] = frozenset()  # of names that are partly computed
    anything: bool = False  # all attributes that some other object has

    @classmethod
    def by(cls, text: str) -> Given:
        """What a file with this text gives other files."""
        by_name = _BY_NAME.findall(text) if any(word in text for word in _GIVING) else []
        names = frozenset(_ASSIGNED.findall(text)).union(name for computed, name in by_name if not computed)
        patterns = frozenset(
            r"\w*".join(map(re.escape, parts))
            for computed, name in by_name
            if computed and any(map(_WORD.search, parts := _COMPUTED.split(name)))
        )
        bases = frozenset(_WORD.findall(" ".join(_BASES.findall(text))))
        anything = "__dict__" in text and _ALL_OF_ANOTHER.search(text) is not None
        return cls(names, bases, patterns, anything)


@dataclass(slots=True)
class _Package:
    """The sources of one package, listed when they are asked for and read again where they have changed."""

    stamps: dict[Path, tuple[int, int]] = field(default_factory=dict)
    files: dict[Path, tuple[tuple[int, int], Given]] = field(default_factory=dict)
    by_name: defaultdict[str, set[Path]] = field(default_factory=lambda: defaultdict(set))
    by_pattern: defaultdict[str, set[Path]] = field(default_factory=lambda: defaultdict(set))
    by_base: defaultdict[str, set[Path]] = field(default_factory=lambda: defaultdict(set))
    any_pattern: re.Pattern[str] = _NOTHING
    of_anything: list[Path] = field(default_factory=list)
    words: dict[Path, frozenset[str]] = field(default_factory=dict)
    read: bool = False  # since it was listed
    state: str = ""  # a digest of all stamps
    holds: float = 0.0  # until when

    def list(self, found: Iterator[Path]) -> None:
        """Which files there are, and their states."""
        start = time.monotonic()
        known, self.stamps = self.stamps, {}
        for path in sorted(set(found))[:MAX_FILES]:
            with suppress(OSError):
                status = path.stat()
                self.stamps[path] = (status.st_mtime_ns, status.st_size)
        if known != self.stamps:
            self.read, self.state = False, ""
        end = time.monotonic()
        self.holds = end + max(SECONDS, TIMES * (end - start))

    def refresh(self) -> None:
        """Read what has changed."""
        if self.read:
            return
        known, self.files = self.files, {}
        for path, stamp in self.stamps.items():
            old = known.get(path)
            if old is None or old[0] != stamp:
                self.words.pop(path, None)
                with suppress(OSError, UnicodeDecodeError):
                    self.files[path] = (stamp, Given.by(_text(path)))
            else:
                self.files[path] = old
        self.by_name.clear()
        self.by_pattern.clear()
        self.by_base.clear()
        for path, (_, given) in self.files.items():
            for name in given.names:
                self.by_name[name].add(path)
            for pattern in given.patterns:
                self.by_pattern[pattern].add(path)
            for base in given.bases:
                self.by_base[base].add(path)
        self.any_pattern = re.compile("|".join(sorted(self.by_pattern))) if self.by_pattern else _NOTHING
        self.of_anything = [path for path, (_, given) in self.files.items() if given.anything]
        self.read = True

    def givers(self, attribute: str, but: Path) -> bool:
        if self.by_name.get(attribute, set()) - {but}:
            return True
        return self.any_pattern.fullmatch(attribute) is not None and any(
            paths - {but} and re.fullmatch(pattern, attribute) for pattern, paths in self.by_pattern.items()
        )

    def copiers(self, class_name: str) -> Iterator[Path]:
        """Files that speak of a class and give an object all that another one has."""
        return (path for path in self.of_anything if class_name in self.words_of(path))

    def derived(self, class_name: str, but: Path) -> set[Path]:
        return self.by_base.get(class_name, set()) - {but}

    def words_of(self, path: Path) -> frozenset[str]:
        """Every name in a file."""
        if path not in self.words:
            try:
                self.words[path] = frozenset(_WORD.findall(_text(path)))
            except (OSError, UnicodeDecodeError):
                self.words[path] = frozenset()
        return self.words[path]


_packages: dict[tuple[Path, Path | None], _Package] = {}


def given_elsewhere(module: str, path: Path, class_name: str, attribute: str) -> bool:
    """Whether another file assigns the attribute to an object, or derives a class that speaks of it."""
    path = path.absolute()
    package = _package(module, path)
    package.refresh()
    return (
        package.givers(attribute, path)
        or any(attribute in package.words_of(other) for other in package.derived(class_name, path))
        or (not is_installed(path) and any(package.copiers(class_name)))
    )


def given_around(module: str, path: Path, text: str) -> list[str]:
    """Of the attributes that a source reads those that other files give: findings may rest on them.

    It is what ``given_elsewhere`` answers, for all attributes at once and for no class in particular.
    """
    path = path.absolute()
    package = _package(module, path)
    package.refresh()
    read = set(_READ.findall(text))
    asked = package.by_name.keys() & read | set(filter(package.any_pattern.fullmatch, read))
    found = {name for name in asked if package.givers(name, path)}
    if any(next(package.copiers(name), None) for name in set(_CLASSES.findall(text))):
        found |= read
    derived = [package.derived(name, path) for name in package.by_base.keys() & set(_CLASSES.findall(text))]
    if any(derived):
        own = set(_OWN.findall(text))
        lacks = {name for name, assigned in own if not assigned} - {
            name for name, assigned in own if assigned
        }
        lacks -= _OF_MODULES.union(_METHODS.findall(text))
        if lacks:
            found.update(*(lacks & package.words_of(other) for other in set().union(*derived)))
    return sorted(found)


def state_around(module: str, path: Path) -> str:
    """A digest that changes when any file does that may give something to a module's objects.

    It is of the files' states, none of which is read.
    """
    package = _package(module, path.absolute())
    if not package.state:
        package.state = of_text(repr([(str(path), *stamp) for path, stamp in package.stamps.items()]))
    return package.state


def look_again() -> None:
    """Files may have changed, however little time has passed."""
    for package in _packages.values():
        package.holds = 0.0


def _package(module: str, path: Path) -> _Package:
    depth = min(module.count(".") + (path.stem == "__init__"), len(path.parents) - 1)
    folder, top = path.parents[depth], path.parents[depth - 1] if depth else None
    project = _project(folder)
    package = _packages.setdefault((project or folder, None if project else top), _Package())
    if time.monotonic() > package.holds:
        package.list(sources_under(project) if project else _sources(folder, top))
    return package


@cache
def _project(folder: Path) -> Path | None:
    """The folder of the project that a folder belongs to."""
    if is_installed(folder / "__init__.py"):
        return None
    above = [folder, *folder.parents][: 1 + LEVELS]
    return next((p for p in above if any((p / name).exists() for name in _OF_PROJECTS)), None)


def _sources(folder: Path, package: Path | None) -> Iterator[Path]:
    """The sources of the package, and those in the folder that it stands in."""
    yield from folder.glob("*.py")
    if package is not None:
        yield from sources_under(package)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
