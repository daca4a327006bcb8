"""Holds Python's garbage collector back while the engine works."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing is looked for that refers to itself.

    The engine makes and drops very many objects, and next to none of them refer to themselves: to look for
    those takes long and frees little.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # with the next line all is old, and is not gone through now
        gc.unfreeze()
        gc.enable()
