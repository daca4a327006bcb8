"""The parts of a ``DataLoader`` that decide which batches come: samplers, generators, workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, Sampler

_SAMPLERS = ("sampler", "batch_sampler")


def tell_epoch(iterable: object, epoch: int) -> None:
    """Call every ``set_epoch`` of the iterable and of the samplers in it, however deep they lie."""
    for part in _parts(iterable):
        set_epoch = getattr(part, "set_epoch", None)
        if callable(set_epoch):
            set_epoch(epoch)


def generators(iterable: object) -> list[torch.Generator]:
    """What the iterable, its samplers and its dataset draw from besides the global generators.

    >>> from torch.utils.data import BatchSampler, RandomSampler
    >>> own = torch.Generator()
    >>> sampler = BatchSampler(RandomSampler([0, 1], generator=own), 2, drop_last=False)
    >>> generators(DataLoader([0, 1], batch_sampler=sampler)) == [own]
    True
    """
    parts = list(_parts(iterable))
    datasets = [part.dataset for part in parts if isinstance(part, DataLoader)]
    found = [each for part in [*parts, *datasets] for each in _held(part, torch.Generator)]
    return list({id(each): each for each in found}.values())


def workers_run(iterable: object) -> bool:
    """Whether workers of an earlier epoch are there, for which the next epoch draws no seed."""
    return _persists(iterable) and getattr(iterable, "_iterator", None) is not None


def with_workers(iterable: Any, running: bool) -> None:
    """Start persistent workers, or end them, so that an epoch begins as it did where its position was saved.

    torch draws their seed from the same generator as the order of the batches, in the first epoch alone.
    """
    if not _persists(iterable) or workers_run(iterable) == running:
        return
    if running:
        iter(iterable)  # the loader keeps it, and begins again with it
    else:
        iterable._iterator = None


def _persists(iterable: object) -> bool:
    return isinstance(iterable, DataLoader) and iterable.persistent_workers


def _parts(iterable: object) -> Iterator[Any]:
    """The iterable and every loader and sampler inside, each once."""
    waiting, seen = [iterable], set[int]()
    while waiting:
        part = waiting.pop(0)
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting += [getattr(part, name, None) for name in _SAMPLERS]
        waiting += _held(part, DataLoader | Sampler)


def _held(part: object, kind: Any) -> list[Any]:
    """What an object keeps of a kind, in the order in which it was given it."""
    return [value for value in getattr(part, "__dict__", {}).values() if isinstance(value, kind)]
