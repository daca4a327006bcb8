"""Options of the static checker: the table ``[tool.typedtorch]`` of the nearest ``pyproject.toml``.

Three options::

    [tool.typedtorch]
    disable = ["broadcast"]        # error codes that are never reported
    exclude = ["tests/legacy/*"]   # files and folders whose shapes are not checked

    [tool.typedtorch.per-file-ignores]
    "tests" = ["shape", "dtype"]   # error codes that are not reported in some files

A wrong name or value is an error that says what was meant, not a silent default.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

OPTIONS = ("disable", "exclude", "per-file-ignores")
_EXAMPLES = {"disable": 'disable = ["broadcast"]', "exclude": 'exclude = ["tests/legacy/*"]'}
_PER_FILE = 'per-file-ignores = {"tests" = ["shape"]}'


class ConfigError(ValueError):
    """``[tool.typedtorch]`` says something that is not an option; the text starts with file and line."""


class Config(NamedTuple):
    """What the table says.  ``root`` is the folder that holds it: patterns are relative to that."""

    root: Path
    disable: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    per_file: tuple[tuple[str, frozenset[str]], ...] = ()

    def excludes(self, path: Path) -> bool:
        """Whether a file is named by ``exclude``, itself or by a folder above it.

        >>> Config(Path("/p"), exclude=("legacy", "*_old.py")).excludes(Path("/p/legacy/net.py"))
        True
        """
        return any(self._names(path, pattern) for pattern in self.exclude)

    def disabled(self, path: Path) -> frozenset[str]:
        """The codes that are not reported in a file.

        >>> config = Config(Path("/p"), per_file=(("tests", frozenset({"shape"})),))
        >>> sorted(config.disabled(Path("/p/tests/net.py")))
        ['shape']
        """
        return self.disable.union(*(codes for pattern, codes in self.per_file if self._names(path, pattern)))

    def _names(self, path: Path, pattern: str) -> bool:
        """Whether a pattern is that of a file, or of a folder above it."""
        try:
            relative = path.absolute().relative_to(self.root)
        except ValueError:
            return False
        return any(
            fnmatch(name.as_posix(), pattern.strip("/")) or fnmatch(name.name, pattern)
            for name in [relative, *relative.parents][:-1]
        )


def load(folder: Path, codes: Iterable[str]) -> Config:
    """The options that hold for a folder; defaults where no ``pyproject.toml`` above it has the table.

    Raises:
        ConfigError: the file is not TOML, or the table has an unknown option, value or code.
    """
    for parent in (folder.absolute(), *folder.absolute().parents):
        path = parent / "pyproject.toml"
        if path.is_file():
            return parse(path, _text(path), codes)
    return Config(folder.absolute())


def parse(path: Path, text: str, codes: Iterable[str]) -> Config:
    """The options that one file holds.

    >>> try:
    ...     parse(Path("pyproject.toml"), "[tool.typedtorch]\\ndisabel = ['shape']", ["shape"])
    ... except ConfigError as error:
    ...     print(error)
    pyproject.toml:2: [tool.typedtorch] has no option "disabel"; did you mean "disable"?
    """
    if "typedtorch" not in text:
        return Config(path.parent.absolute())
    table = _table(path, text)
    _check_names(path, text, table)
    where = functools.partial(_where, path, text)
    disable = _codes(where, "disable", table.get("disable", []), codes)
    exclude = _strings(where, "exclude", table.get("exclude", []))
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, Mapping):
        raise ConfigError(
            f"{where('per-file-ignores')}: per-file-ignores is a table, for example {_PER_FILE}"
        )
    ignored = tuple((pattern, _codes(where, pattern, listed, codes)) for pattern, listed in per_file.items())
    return Config(path.parent.absolute(), disable, tuple(exclude), ignored)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None


def _table(path: Path, text: str) -> Mapping[str, object]:
    """``[tool.typedtorch]``; empty where there is none."""
    import tomllib  # noqa: PLC0415  # most projects need no options, and mypy's warm start is short

    try:
        tools = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    table = tools.get("typedtorch", {}) if isinstance(tools, Mapping) else {}
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: [tool.typedtorch] is a table, not {type(table).__name__}")
    return table


def _check_names(path: Path, text: str, table: Mapping[str, object]) -> None:
    for name in table:
        if name not in OPTIONS:
            wanted = _nearest(name, OPTIONS)
            raise ConfigError(
                f'{_where(path, text, name)}: [tool.typedtorch] has no option "{name}"; {wanted}'
            )


def _strings(where: Callable[[str], str], name: str, value: object) -> list[str]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ConfigError(
        f"{where(name)}: {name} is a list of strings, for example {_EXAMPLES.get(name, _PER_FILE)}"
    )


def _codes(where: Callable[[str], str], name: str, value: object, codes: Iterable[str]) -> frozenset[str]:
    known = sorted(codes)
    for code in _strings(where, name, value):
        if code not in known:
            raise ConfigError(f'{where(name)}: {name}: no error code "{code}"; {_nearest(code, known)}')
    return frozenset(_strings(where, name, value))


def _nearest(word: str, known: Iterable[str]) -> str:
    choices = list(known)
    close = difflib.get_close_matches(word, choices, n=1)
    return f'did you mean "{close[0]}"?' if close else f"known: {', '.join(choices)}"


def _where(path: Path, text: str, name: str) -> str:
    """``path:line`` of an option inside the table, for a message."""
    start = text.find("[tool.typedtorch]")
    match = re.compile(rf"^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=", re.M).search(text, max(start, 0))
    return f"{path}:{text.count(chr(10), 0, match.start()) + 1}" if match else str(path)
