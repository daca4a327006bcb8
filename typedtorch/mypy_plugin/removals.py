"""Tells when the daemon removes a module.

Of a file that is gone the daemon says nothing to plugins, yet it forgets all errors before, and asks again
for its own alone.  What it does is to delete the module from its table; so the table is replaced by
one that tells.  Should anything hold the table that is not known to do so, it is left as it is.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import CellType, FrameType

from mypy.nodes import MypyFile

_NAMES = ("modules", "_modules")  # under which mypy's objects hold the table

Removed = Callable[[str], None]


class Telling(dict[str, MypyFile]):
    """A table of modules."""

    def __init__(self, modules: dict[str, MypyFile], removed: Removed) -> None:
        super().__init__(modules)
        self._removed = removed

    def __delitem__(self, module: str) -> None:
        super().__delitem__(module)
        self._removed(module)


def tell(modules: dict[str, MypyFile], removed: Removed) -> None:
    """Put a table that tells in the place of mypy's, wherever it is held."""
    holders = [held for held in gc.get_referrers(modules) if not isinstance(held, (FrameType, CellType))]
    places = [(held, name) for held in holders for name in _NAMES if getattr(held, name, None) is modules]
    if len(places) == len(holders):
        telling = Telling(modules, removed)
        for holder, name in places:
            setattr(holder, name, telling)
