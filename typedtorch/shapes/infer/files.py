"""Modules by name among folders: the simplest finder, for checking plain files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def find_in(roots: Sequence[Path], name: str) -> Path | None:
    """``a.b`` as ``a/b.py`` or ``a/b/__init__.py`` (a stub beside it first) under one of the roots."""
    parts = name.split(".")
    for root in roots:
        base = root.joinpath(*parts)
        for candidate in (base / "__init__.pyi", base / "__init__.py", base.with_name(base.name + ".py")):
            if candidate.is_file():
                return candidate
    return None
