"""Where torch's shape functions describe other storages than its kernels allocate.

Each row was found by comparing the stream on tensors without memory with the stream on real ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Correction = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
CORRECTIONS: dict[str, Correction] = {}


def corrected(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the operator, through its correction if it has one."""
    correction = CORRECTIONS.get(name)
    return func(*args, **kwargs) if correction is None else correction(func, args, kwargs)
