"""What mypy must know to decide whether a cached result still holds.

mypy rechecks a module when its own text changes, or the interface of one that it imports.  A shape is no
part of that interface: ``Float[Tensor, "b d"]`` is ``Tensor`` to mypy whatever the string says.  So every
module that names a tensor package reports the part of its text that callers' shapes depend on, and the
sources of the checker itself; both enter mypy's hash.  So do those attributes which other files give to the
objects of the module, whether it imports them or not.

This runs for every module of every run, on a warm cache too, so it reads text and never parses.
"""

from __future__ import annotations

import hashlib
import re
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

# A function with the text of its return annotation and of its body.
_FUNCTION = re.compile(
    rb"""
    ^(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+\w+(?:\[[^\]]*\])?
    \((?:[^()"']|"[^"\n]*"|'[^'\n]*'|\((?:[^()]|\([^()]*\))*\))*\)
    [ \t\n]*->[ \t\n]*(?P<returns>[^\n]*?)[ \t]*:[ \t]*(?:\#[^\n]*)?\n
    (?P<body>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)*)
    """,
    re.M | re.X,
)
_PLAIN = {b"None", b"int", b"bool", b"str", b"float"}


def config_data(module: str, path: str, config: Config, *, shows_errors: bool = True) -> list[str] | None:
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
    stored = [_plugin_digest(), engine(), options, interface_digest(data)]
    if shows_errors and not is_installed(Path(path)):
        stored += given_around(module, Path(path), data.decode(errors="replace"))
    return stored


def interface_digest(data: bytes) -> str:
    """A digest of all of a source but the bodies whose shapes the signature settles.

    >>> before = b'def f(x: Float[Tensor, "b d"]) -> Float[Tensor, "b k"]:\\n    return x @ w\\n'
    >>> interface_digest(before) == interface_digest(before.replace(b"x @ w", b"x.mm(w)"))
    True
    >>> interface_digest(before) == interface_digest(before.replace(b"b k", b"b d"))
    False
    """
    return _hash(_FUNCTION.sub(_without_settled_body, data))


def _without_settled_body(match: re.Match[bytes]) -> bytes:
    """A quoted shape settles what callers see; so does a plain type, of a function that has no ``self``."""
    returns, plain_function = match["returns"], not match["indent"]
    settled = b'"' in returns or b"'" in returns or (plain_function and returns in _PLAIN)
    return match[0][: match.start("body") - match.start()] if settled else match[0]


def _options_digest(disabled: frozenset[str]) -> str:
    return _hash(repr(sorted(disabled)).encode())


@cache
def engine() -> str:
    """Of the engine's and the rules' sources: editing a rule rechecks every module that it concerns."""
    return _sources_digest(Path(typedtorch.shapes.__file__).parent)


def of_file(path: str) -> str:
    """Of a file; nothing of one that cannot be read."""
    try:
        return _hash(Path(path).read_bytes())
    except OSError:
        return ""


@cache
def _plugin_digest() -> str:
    return _sources_digest(Path(__file__).parent)


def _sources_digest(folder: Path) -> str:
    files = sorted(folder.rglob("*.py"))
    return _hash(b"\0".join(path.name.encode() + path.read_bytes() for path in files))


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()
