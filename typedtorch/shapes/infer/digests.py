"""Digests: when a file must be checked again because of another file, or because the engine changed."""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def engine_digest() -> str:
    """A digest of the engine's and the rules' sources; findings of another digest are stale."""
    state = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        state.update(path.name.encode())
        state.update(path.read_bytes())
    return state.hexdigest()


def signature_digest(path: Path) -> str:
    """A digest of all that another module's check can read of this file.

    That is everything but the bodies of functions whose parameters and result are all annotated with
    shapes: those are used through their signature alone.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _closed(node):
            node.body = [ast.Pass()]
    return hashlib.blake2b(ast.dump(tree).encode(), digest_size=16).hexdigest()


def _closed(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a signature says all: a result with an axis string, and no attribute set on ``self``."""
    if node.returns is None or not _has_axes(node.returns):
        return False
    return not any(
        isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) for inner in ast.walk(node)
    )


def _has_axes(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Tuple) for inner in ast.walk(node)
    )
