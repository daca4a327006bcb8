"""The switch: ``TYPEDTORCH_CHECK=off`` in the environment, or ``checking(False)`` in the program."""

from __future__ import annotations

import os
import sys
from types import TracebackType


class Switch:
    """Whether checkers run; generated checkers read ``on`` at each call.

    One plain attribute for the whole process, not a context variable: it is the debugging switch of a
    program, read at every call in every thread, and a context variable would cost more than a check.
    """

    __slots__ = ("on",)

    def __init__(self) -> None:
        self.on = True


SWITCH = Switch()


def is_compiling() -> bool:
    """Whether ``torch.compile`` or ``torch.export`` is tracing; a constant to both."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.compiler.is_compiling())


def disabled_by_environment() -> bool:
    """Whether ``TYPEDTORCH_CHECK`` asks decorators to leave functions as they are.

    Raises:
        ValueError: the variable is neither ``on`` nor ``off``.
    """
    value = os.environ.get("TYPEDTORCH_CHECK", "on").strip().lower()
    if value in {"on", "1", "true", ""}:
        return False
    if value in {"off", "0", "false"}:
        return True
    raise ValueError(f"TYPEDTORCH_CHECK: wanted 'on' or 'off', got {value!r}")


class checking:
    """Turn run-time checking on or off, for good or within a ``with`` block.

    >>> from typedtorch.runtime import typed
    >>> @typed
    ... def double(n: int) -> int:
    ...     return 2 * n
    >>> with checking(False):
    ...     double("ab")
    'abab'
    """

    def __init__(self, on: bool) -> None:
        self._before = SWITCH.on
        SWITCH.on = on

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        SWITCH.on = self._before
