"""Runs a check again whenever one of the files changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Stamps = dict[Path, tuple[int, int]]


def stamps(paths: Iterable[Path]) -> Stamps:
    """When each file was last written and how long it is; files that are gone are left out."""
    found: Stamps = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        found[path] = (status.st_mtime_ns, status.st_size)
    return found


def changes(
    look: Callable[[], Stamps],
    *,
    imported: Iterable[Path] = (),
    pause: Callable[[], None] = lambda: time.sleep(0.5),
) -> Iterator[Stamps]:
    """Yield at once, and then each time that ``look`` sees something else, once writing has paused.

    ``imported`` are files that checks came across so far; they are nothing new to look at.
    """
    seen = look()
    yield seen
    while True:
        seen = stamps(imported) | seen
        pause()
        now = look()
        if now != seen:
            while now != seen:  # an editor or a checkout is still writing
                seen = now
                pause()
                now = look()
            yield seen
