"""How many processes are worth their start."""

from __future__ import annotations

import os

ONE_MORE = 150_000  # bytes of source for which one more process is worth its start
MOST = 8  # each has to read what the modules have in common


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worth(size: int, free: int) -> int:
    """How many processes so many bytes of source are worth, where so many cores are free."""
    return min(free, 1 + size // ONE_MORE, MOST)
