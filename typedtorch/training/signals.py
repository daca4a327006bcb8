"""Signals that ask for a stop or a checkpoint: the handler only takes a note, the loop acts between steps."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

_STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class SignalWatch:
    """While the block runs: SIGTERM, SIGINT and a hang-up set ``stop``, SIGUSR1 sets ``save``.

    A second stop signal ends the process at once, with exit code 128 plus its number. What the process was
    started to ignore (by ``nohup``, say) stays ignored. Outside the main thread, where Python allows no
    handlers, nothing is watched.
    """

    def __init__(self, enabled: bool = True) -> None:
        self.stop: int | None = None
        self.save = False
        self._enabled = enabled and threading.current_thread() is threading.main_thread()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> SignalWatch:
        if self._enabled:
            for number in _STOP:
                if signal.getsignal(number) == signal.SIG_IGN:
                    continue
                self._before[number] = signal.signal(number, self._on_stop)
            self._before[signal.SIGUSR1] = signal.signal(signal.SIGUSR1, self._on_save)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        if self.stop is not None:
            os._exit(128 + number)
        self.stop = number

    def _on_save(self, number: int, frame: FrameType | None) -> None:
        self.save = True
