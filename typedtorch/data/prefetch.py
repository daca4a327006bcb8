"""Read batches ahead in one thread, through a ring of buffers that are never refilled too early."""

from __future__ import annotations

import queue
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Protocol

import torch

from typedtorch.data.batches import Batch, TokenBatches, as_batch, row_buffer
from typedtorch.data.errors import PrefetchError
from typedtorch.data.tokens import RowBuffer


class Event(Protocol):
    """Tells when a copy from a slot has ended; :class:`torch.cuda.Event` is one."""

    def record(self) -> None: ...
    def synchronize(self) -> None: ...


class _Slot:
    def __init__(self, buffer: RowBuffer, event: Event | None) -> None:
        self.buffer, self.event, self.used = buffer, event, False


class Prefetcher:
    """A :class:`TokenBatches` read ``depth`` batches ahead; the same batches, the same state.

    On CUDA the slots are pinned and each copy is followed by an event; the reading thread waits for the
    event before it touches the slot again. The saved position is that of the batches handed out, not of
    those read ahead.

    Raises:
        ValueError: ``depth`` is not at least 1.
        PrefetchError: the thread died (its exception is the cause) or gave nothing for ``timeout`` seconds.
    """

    endless = True

    def __init__(
        self,
        batches: TokenBatches,
        *,
        depth: int = 4,
        timeout: float = 300.0,
        events: Sequence[Event | None] | None = None,
    ) -> None:
        if depth < 1:
            raise ValueError(f"Prefetcher: depth is at least 1, got {depth}")
        self.batches, self.depth, self.timeout = batches, depth, timeout
        self._events = events
        self._thread: threading.Thread | None = None
        self.start_thread()

    def start_thread(self) -> None:
        """Begin reading at the current position."""
        cuda = self.batches.device.type == "cuda"
        dtype, size = self.batches.tokens.dtype, (self.batches.batch, self.batches.seq)
        events = self._events or [_copy_event(cuda) for _ in range(self.depth)]
        self._free: queue.SimpleQueue[_Slot | None] = queue.SimpleQueue()
        self._ready: queue.SimpleQueue[_Slot | BaseException] = queue.SimpleQueue()
        for event in events:
            self._free.put(_Slot(row_buffer(*size, dtype, pinned=cuda), event))
        self._thread = threading.Thread(
            target=_read_ahead,
            args=(weakref.ref(self.batches), self.batches.position, self._free, self._ready),
            name="typedtorch-prefetch",
            daemon=True,
        )
        self._thread.start()

    def __iter__(self) -> Prefetcher:
        return self

    def __next__(self) -> Batch:
        slot = self._take()
        batch = as_batch(slot.buffer, self.batches.device)
        if slot.event is not None:
            slot.event.record()
        slot.used = True
        self._free.put(slot)
        self.batches.position += self.batches.stride
        return batch

    def _take(self) -> _Slot:
        if self._thread is None:
            raise PrefetchError("the prefetch thread was closed")
        try:
            found = self._ready.get(timeout=self.timeout)
        except queue.Empty:
            raise PrefetchError(self._where()) from None
        if isinstance(found, BaseException):
            self._ready.put(found)  # asking again gives the same answer
            if isinstance(found, Exception):
                raise found
            raise PrefetchError(f"the prefetch thread died: {found!r}") from found
        return found

    def _where(self) -> str:
        thread = self._thread
        frame = sys._current_frames().get(thread.ident or 0) if thread else None
        stack = "".join(traceback.format_stack(frame)[-3:]) if frame else "it is no longer running"
        return f"the prefetch thread gave no batch for {self.timeout:g} s; it is at\n{stack}"

    def state_dict(self) -> dict[str, int]:
        """The position of the batches handed out."""
        return self.batches.state_dict()

    def problems(self, state: object) -> list[str]:
        """See :meth:`TokenBatches.problems`."""
        return self.batches.problems(state)

    def halve(self, drawn: int) -> bool:
        """See :meth:`TokenBatches.halve`."""
        self.close()
        halved = self.batches.halve(drawn)
        self.start_thread()
        return halved

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Drop what was read ahead and continue where ``state`` was taken."""
        self.close()
        self.batches.load_state_dict(state)
        self.start_thread()

    def close(self) -> None:
        """Stop the thread."""
        if self._thread is not None:
            self._free.put(None)
            self._thread.join(timeout=5)
            self._thread = None


def _copy_event(cuda: bool) -> Event | None:
    event: Callable[[], Event] = torch.cuda.Event
    return event() if cuda else None


def _read_ahead(
    batches: weakref.ref[TokenBatches],
    position: int,
    free: queue.SimpleQueue[_Slot | None],
    ready: queue.SimpleQueue[_Slot | BaseException],
) -> None:
    try:
        while (slot := free.get()) is not None:
            if slot.used and slot.event is not None:
                slot.event.synchronize()
            source = batches()
            if source is None:
                return
            source.fill(position, slot.buffer)
            position += source.stride
            ready.put(slot)
            del source
    except BaseException as error:  # whatever it is, the consumer has to hear of it
        ready.put(error)
