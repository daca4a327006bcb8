"""What mypy must know to decide whether a cached result still holds.

mypy rechecks a module when its own text changes, or the interface of one that it imports.  The types that
this plugin gives to expressions come from the sources of classes, which are no part of that interface.  So
every module that names a tensor package reports a digest of what its source says of its classes, and one of
the sources of the checker itself; both enter mypy's hash.  So do those attributes which other files give to
the objects of the module, whether it imports them or not.  What findings rest on is watched in ``kept``.

This runs for every module of every run: of a text that has been seen before it reads and never parses.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import typedtorch.shapes
from typedtorch.shapes.config import Config
from typedtorch.shapes.given_elsewhere import given_around
from typedtorch.shapes.sources import is_installed

# Packages without jaxtyping annotations whose many modules nearly every run loads.
_UNSHAPED = {
    "numpy", "matplotlib", "scipy", "pandas", "sympy", "PIL", "jaxtyping", "einops", "mypy", "beartype",
    "pytest", "_pytest", "pluggy", "hypothesis", "filelock", "typeguard", "pyparsing", "networkx",
}  # fmt: skip


def config_data(
    module: str, path: str, config: Config, interface: Callable[[], str], *, shows_errors: bool = True
) -> list[str] | None:
    """What to store beside mypy's cache of one module; None where shapes play no part."""
    package = module.partition(".")[0]
    if package == "torch":
        return [_plugin_digest()]  # its classes carry __call__ as the plugin makes it
    if package in _UNSHAPED or "/mypy/typeshed/" in path:
        return None
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    if b"jaxtyping" not in data and (
        (b"torch" not in data and b"einops" not in data) or is_installed(Path(path))
    ):
        return None
    options = "excluded" if config.excludes(Path(path)) else _options_digest(config.disabled(Path(path)))
    stored = [_plugin_digest(), engine(), options, interface()]
    if shows_errors and not is_installed(Path(path)):
        stored += given_around(module, Path(path), data.decode(errors="replace"))
    return stored


def _options_digest(disabled: frozenset[str]) -> str:
    return _hash(repr(sorted(disabled)).encode())


@cache
def engine() -> str:
    """Of the engine's and the rules' sources, and of the Python that parses for them.

    Editing a rule rechecks every module that it concerns.
    """
    return of_text(f"{sys.version_info} {_sources_digest(Path(typedtorch.shapes.__file__).parent)}")


class Texts:
    """Digests of files, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Of a file; empty for one that cannot be read."""
        if path not in self._known:
            try:
                self._known[path] = _hash(Path(path).read_bytes())
            except OSError:
                self._known[path] = ""
        return self._known[path]


def of_text(text: str) -> str:
    """Of a text."""
    return _hash(text.encode(errors="surrogatepass"))


@cache
def _plugin_digest() -> str:
    return _sources_digest(Path(__file__).parent)


def _sources_digest(folder: Path) -> str:
    files = sorted(folder.rglob("*.py"))
    return _hash(b"\0".join(path.name.encode() + path.read_bytes() for path in files))


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()
