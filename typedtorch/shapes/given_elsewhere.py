"""Attributes that other files of a program give to a class's objects.

``self.transformer.head = ...`` in one file makes ``self.head`` right in the other that defines the class,
and so does a subclass in a file that nothing here imports, and a class that is made in a function of those it
is given: ``class Model(architecture, weighting)``.  The texts of the whole project are searched, or
of the package where there is no project around it.
"""

from __future__ import annotations

import builtins
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from typedtorch.shapes.neighbours import Neighbours, neighbours
from typedtorch.shapes.sources import is_installed

# Each starts with plain characters, and gives nothing back: every text of a package is searched, often.
_ASSIGNED = re.compile(r"\.(?<!\bself\.)(\w++)[ \t]*+(?::[^=\n]++)?=(?!=)")
_BY_NAME = re.compile(
    r"(?:\bsetattr\(([^,()]+)(?:\([^()]*\))?,"
    r"|(?<!\bself)(?<!\bsuper\(\))\.(register_(?:parameter|buffer|module)|add_module)\()"
    r"\s*+(?:name\s*=\s*)?(?:([fF]?)[\"']([\w{%][^\"'\n]*)[\"']\s*([,)]?))?"
)
_QUOTED = re.compile(r"[\"'](\w++)[\"']")
_GIVING = ("setattr(", ".register_", ".add_module(")
_ALL_OF_ANOTHER = re.compile(r"(?<!\bself)\.__dict__(?:\.update\(|[ \t]*=(?!=))")
_BUILT_IN = frozenset(dir(builtins))
_NOTHING = re.compile("(?!)")
_COMPUTED = re.compile(r"\{[^{}]*\}|%[^a-zA-Z%]*[a-zA-Z]")
_BASES = re.compile(r"class[ \t]++\w++\s*+\(([^)]*+)")
_CLASSES = re.compile(r"class[ \t]++(\w++)")
_MADE_INSIDE = re.compile(r"\n[ \t]++class[ \t]++\w++\s*+\(([^()]*+)\)")
_IMPORTED = re.compile(r"\bimport[ \t]++(?:\(([^)]*+)|(.*+))")
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


class Given(NamedTuple):
    """What one source gives to objects that are not its own ``self``, and the classes it derives from.

    >>> Given.by("model.decoder.head = self.neck = None").names
    frozenset({'head'})
    >>> Given.by("block.register_buffer(f'{kind}_scale', scale)").patterns
    frozenset({'\\\\w*_scale'})
    >>> Given.by("for name in names: setattr(net, name, None)").by_text
    True
    >>> sorted(Given.by("class Mine(base.Decoder):\\n    head = None").bases)
    ['Decoder', 'base']
    """

    names: frozenset[str]
    bases: frozenset[str]
    patterns: frozenset[str] = frozenset()  # of names that are partly computed
    anything: bool = False  # all attributes that some other object has, or of names that are computed
    by_text: bool = False  # attributes whose names are a text somewhere
    to_anyone: bool = False  # parts of a module, under names that are computed
    mixes: bool = False  # makes classes of such as it is given

    @classmethod
    def by(cls, text: str) -> Given:
        """What a file with this text gives other files."""
        by_name = _BY_NAME.findall(text) if any(word in text for word in _GIVING) else []
        names, patterns, computed = set(_ASSIGNED.findall(text)), set[str](), set[str]()
        for owner, method, formatted, name, end in by_name:
            if end and not formatted:
                names.add(name)
            elif owner == "self" or owner.startswith(("'", '"')):
                continue  # its class knows; a test patches
            elif not name:
                computed.add(method or "setattr")
            elif any(map(_WORD.search, parts := _COMPUTED.split(name))):
                patterns.add(r"\w*".join(map(re.escape, parts)) + ("" if end else r"\w*"))
        bases = frozenset(_WORD.findall(" ".join(_BASES.findall(text))))
        anything = bool(computed) or ("__dict__" in text and _ALL_OF_ANOTHER.search(text) is not None)
        to_anyone = bool(computed - {"setattr", "add_module"})
        return cls(
            frozenset(names), bases, frozenset(patterns), anything, bool(computed), to_anyone, _mixes(text)
        )


def _mixes(text: str) -> bool:
    """Whether functions make classes of others that they are given.

    >>> _mixes("def model(head, body):\\n    class Model(body, head): pass")
    True
    >>> _mixes("from torch import nn\\ndef model():\\n    class Model(nn.Module, Exception): pass")
    False
    """
    inside = [base.strip() for bases in _MADE_INSIDE.findall(text) for base in bases.split(",")]
    given = {base for base in inside if base.isidentifier()} - _BUILT_IN
    if not given:
        return False
    imported = " ".join(" ".join(found) for found in _IMPORTED.findall(text))
    return "*" not in imported and not given.issubset([*_WORD.findall(imported), *_CLASSES.findall(text)])


class _Package:
    """What the sources around a module give; one is read again where it has changed."""

    def __init__(self) -> None:
        self.stamps: dict[Path, tuple[int, int]] = {}  # when they were read
        self.files: dict[Path, tuple[tuple[int, int], Given]] = {}
        self.by_name: defaultdict[str, set[Path]] = defaultdict(set)
        self.by_pattern: defaultdict[str, set[Path]] = defaultdict(set)
        self.by_base: defaultdict[str, set[Path]] = defaultdict(set)
        self.any_pattern: re.Pattern[str] = _NOTHING
        self.of_anything: list[Path] = []
        self.by_text = False
        self.to_anyone = False
        self.mixes = False
        self.words: dict[Path, frozenset[str]] = {}
        self.quoted: dict[Path, frozenset[str]] = {}
        self.all_quoted: frozenset[str] | None = None  # of all files, once it is asked for
        self.all_own: frozenset[str] | None = None  # what any class has, likewise

    def refresh(self, stamps: dict[Path, tuple[int, int]]) -> None:
        """Read what has changed."""
        if self.stamps is stamps:
            return
        self.stamps = stamps
        known, self.files = self.files, {}
        self.all_quoted = self.all_own = None
        for path, stamp in stamps.items():
            old = known.get(path)
            if old is None or old[0] != stamp:
                self.words.pop(path, None)
                self.quoted.pop(path, None)
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
        self.by_text = any(given.by_text for _, given in self.files.values())
        self.to_anyone = any(given.to_anyone for _, given in self.files.values())
        self.mixes = any(given.mixes for _, given in self.files.values())

    def givers(self, attribute: str, but: Path) -> bool:
        if self.by_name.get(attribute, set()) - {but}:
            return True
        return self.any_pattern.fullmatch(attribute) is not None and any(
            paths - {but} and re.fullmatch(pattern, attribute) for pattern, paths in self.by_pattern.items()
        )

    def computes(self, attribute: str) -> bool:
        """Whether it may be among those names that some file computes, or that a base beside it has."""
        return (
            self.to_anyone
            or (self.by_text and attribute in self.texts())
            or (self.mixes and attribute in self.own())
        )

    def copiers(self, class_name: str) -> Iterator[Path]:
        """Files that speak of a class and give an object all that another one has."""
        return (path for path in self.of_anything if class_name in self.words_of(path))

    def derived(self, class_name: str, but: Path) -> set[Path]:
        return self.by_base.get(class_name, set()) - {but}

    def texts(self) -> frozenset[str]:
        """Names that are a text in some file: what gives attributes by name may be given them anywhere."""
        if self.all_quoted is None:
            for path in self.files.keys() - self.quoted.keys():
                with suppress(OSError, UnicodeDecodeError):
                    self.quoted[path] = frozenset(_QUOTED.findall(_text(path)))
            self.all_quoted = frozenset().union(*(self.quoted.get(path, ()) for path in self.files))
        return self.all_quoted

    def own(self) -> frozenset[str]:
        """What the methods of some class assign to its objects, and the methods themselves."""
        if self.all_own is None:
            found = set[str]()
            for path in self.files:
                with suppress(OSError, UnicodeDecodeError):
                    text = _text(path)
                    found.update(name for name, assigned in _OWN.findall(text) if assigned)
                    found.update(_METHODS.findall(text))
            self.all_own = frozenset(found)
        return self.all_own

    def words_of(self, path: Path) -> frozenset[str]:
        """Every name in a file."""
        if path not in self.words:
            try:
                self.words[path] = frozenset(_WORD.findall(_text(path)))
            except (OSError, UnicodeDecodeError):
                self.words[path] = frozenset()
        return self.words[path]


_packages: dict[Neighbours, _Package] = {}


def given_elsewhere(module: str, path: Path, class_name: str, attribute: str) -> bool:
    """Whether another file assigns the attribute to an object, or derives a class that speaks of it."""
    path = path.absolute()
    package = _package(module, path)
    return (
        package.givers(attribute, path)
        or any(attribute in package.words_of(other) for other in package.derived(class_name, path))
        or (not is_installed(path) and (package.computes(attribute) or any(package.copiers(class_name))))
    )


def given_around(module: str, path: Path, text: str) -> list[str]:
    """Of the attributes that a source reads those that other files give: findings may rest on them.

    It is what ``given_elsewhere`` answers, for all attributes at once and for no class in particular.
    """
    path = path.absolute()
    package = _package(module, path)
    read = set(_READ.findall(text))
    asked = package.by_name.keys() & read | set(filter(package.any_pattern.fullmatch, read))
    found = {name for name in asked if package.givers(name, path)}
    found |= set(filter(package.computes, read))
    if any(next(package.copiers(name), None) for name in set(_CLASSES.findall(text))):
        found |= read
    derived = [package.derived(name, path) for name in package.by_base.keys() & set(_CLASSES.findall(text))]
    if any(derived):
        own = set(_OWN.findall(text))
        lacks = {name for name, assigned in own if not assigned} - {
            name for name, assigned in own if assigned
        }
        lacks -= _OF_MODULES.union(_METHODS.findall(text))
        if "dataclass" in text or "NamedTuple" in text:
            lacks |= read  # of parameters that are records
        if lacks:
            found.update(*(lacks & package.words_of(other) for other in set().union(*derived)))
    return sorted(found)


def _package(module: str, path: Path) -> _Package:
    around = neighbours(module, path)
    package = _packages.setdefault(around, _Package())
    package.refresh(around.stamps)
    return package


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
