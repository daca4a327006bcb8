"""What mypy must know to decide whether a cached result still holds.

mypy rechecks a module when its own text changes, or the interface of one that it imports.  The types that
this plugin gives to expressions come from the sources of classes, which are no part of that interface.  So
every module that names a tensor package reports a digest of what its source says of its classes, and one of
the sources of the checker itself; both enter mypy's hash.  So do those attributes which other files give to
the objects of the module, whether it imports them or not.  What findings rest on is watched in ``answers``.

This runs for every module of every run: of a text that has been seen before it reads and never parses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from typedtorch.shapes import texts
from typedtorch.shapes.config import Config
from typedtorch.shapes.sources import is_installed

# Packages without jaxtyping annotations whose many modules nearly every run loads.
_UNSHAPED = {
    "numpy", "matplotlib", "scipy", "pandas", "sympy", "PIL", "jaxtyping", "einops", "mypy", "beartype",
    "pytest", "_pytest", "pluggy", "hypothesis", "filelock", "typeguard", "pyparsing", "networkx",
}  # fmt: skip


def config_data(
    module: str,
    path: str,
    config: Config,
    interface: Callable[[], str],
    given_around: Callable[[str], list[str]],
    *,
    shows_errors: bool = True,
    seen: Callable[[str, bytes], None] = lambda path, data: None,
) -> list[str] | None:
    """What to store beside mypy's cache of one module; None where shapes play no part.

    Args:
        module: its name.
        path: its file.
        config: what is switched off.
        interface: gives a digest of what others can know of its classes.
        given_around: gives what others give to its objects, of its text.
        shows_errors: whether mypy does, in this module.
        seen: is told what a file holds that concerns tensors, for nobody to read it again.
    """
    if module.partition(".")[0] == "torch":
        return [_plugin_digest()]  # its classes carry __call__ as the plugin makes it
    if not is_read(module, path):
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
    seen(path, data)
    file_ = Path(path)
    options = "excluded" if config.excludes(file_) else _options_digest(config.disabled(file_))
    stored = [_plugin_digest(), texts.engine(), options, interface()]
    if shows_errors and not is_installed(file_):
        stored += given_around(data.decode(errors="replace"))
    return stored


def is_read(module: str, path: str) -> bool:
    """Whether what is stored of a module has to do with what its file holds."""
    package = module.partition(".")[0]
    return package != "torch" and package not in _UNSHAPED and "/mypy/typeshed/" not in path


def _options_digest(disabled: frozenset[str]) -> str:
    return texts.of_text(repr(sorted(disabled)))


@cache
def _plugin_digest() -> str:
    return texts.of_sources(Path(__file__).parent)
