"""Options of the static checker: the table ``[tool.typedtorch]`` of the nearest ``pyproject.toml``.

Two options, both lists of strings::

    [tool.typedtorch]
    disable = ["broadcast"]        # error codes that are never reported
    exclude = ["tests/legacy/*"]   # files and folders whose shapes are not checked

A wrong name or value is an error that says what was meant, not a silent default.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

OPTIONS = ("disable", "exclude")


class ConfigError(ValueError):
    """``[tool.typedtorch]`` says something that is not an option; the text starts with file and line."""


@dataclass(frozen=True, slots=True)
class Config:
    """What the table says.  ``root`` is the folder that holds it: ``exclude`` is relative to that."""

    root: Path
    disable: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()

    def excludes(self, path: Path) -> bool:
        """Whether a file is named by ``exclude``, itself or by a folder above it.

        >>> Config(Path("/p"), exclude=("legacy", "*_old.py")).excludes(Path("/p/legacy/net.py"))
        True
        """
        if not self.exclude:
            return False
        try:
            relative = path.absolute().relative_to(self.root)
        except ValueError:
            return False
        names = [relative, *relative.parents][:-1]
        return any(
            fnmatch(name.as_posix(), pattern.strip("/")) or fnmatch(name.name, pattern)
            for name in names
            for pattern in self.exclude
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
    lists = {name: _strings(path, text, name, table.get(name, [])) for name in OPTIONS}
    known = sorted(codes)
    for code in lists["disable"]:
        if code not in known:
            wanted = _nearest(code, known)
            raise ConfigError(f'{_where(path, text, "disable")}: disable: no error code "{code}"; {wanted}')
    return Config(path.parent.absolute(), frozenset(lists["disable"]), tuple(lists["exclude"]))


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


def _strings(path: Path, text: str, name: str, value: object) -> list[str]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    example = 'disable = ["broadcast"]' if name == "disable" else 'exclude = ["tests/legacy/*"]'
    raise ConfigError(f"{_where(path, text, name)}: {name} is a list of strings, for example {example}")


def _nearest(word: str, known: Iterable[str]) -> str:
    choices = list(known)
    close = difflib.get_close_matches(word, choices, n=1)
    return f'did you mean "{close[0]}"?' if close else f"known: {', '.join(choices)}"


def _where(path: Path, text: str, name: str) -> str:
    """``path:line`` of an option inside the table, for a message."""
    start = text.find("[tool.typedtorch]")
    match = re.compile(rf"^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=", re.M).search(text, max(start, 0))
    return f"{path}:{text.count(chr(10), 0, match.start()) + 1}" if match else str(path)
