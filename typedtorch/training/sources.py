"""Batches with a position that can be saved, from our own resumable streams or from any iterable."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Shaped
from torch import Tensor

from typedtorch.training.errors import told
from typedtorch.training.form import is_count
from typedtorch.training.loaders import generators, tell_epoch, with_workers, workers_run
from typedtorch.training.seed import capture_rng, restore_rng


@runtime_checkable
class Source(Protocol):
    """An iterator of batches whose position can be saved."""

    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any], /) -> None: ...


class Replayed:
    """Any iterable of batches, begun again when it ends, its tensors moved to ``device``.

    Where the iterable has ``state_dict``, that is the saved position. Where it has none, what is saved is the
    number of batches drawn in this epoch, and the random generators as they were when it began: resuming
    draws and drops as many from there, which takes as long as drawing them. That brings back any iterable
    whose order follows from its arguments and the generators, a shuffling ``DataLoader`` among them: its own
    generators, those of its dataset and of samplers at any depth are saved with the global ones. A
    ``set_epoch`` of the iterable or of such a sampler is called with the number of each epoch. What a dataset
    draws inside of ``persistent_workers`` after their first epoch begins anew: only they know where they are.

    >>> source = Replayed([torch.tensor(1), torch.tensor(2)], torch.device("cpu"))
    >>> [int(next(source)) for _ in range(3)], source.state_dict()["drawn"]
    ([1, 2, 1], 1)

    Raises:
        TypeError: it is no iterable.
        ValueError: the iterable is empty.
    """

    def __init__(self, iterable: Iterable[Any], device: torch.device) -> None:
        if not hasattr(iterable, "__iter__") and not hasattr(iterable, "__getitem__"):
            raise TypeError(f"batches: expected an iterable of batches, got {told(iterable)}")
        self.iterable, self.device = iterable, device
        self.epoch, self.drawn = 0, 0
        self._iterator: Iterator[Any] | None = None
        self._began: dict[str, Any] = {}

    def __iter__(self) -> Replayed:
        return self

    @property
    def endless(self) -> bool:
        """Whether it begins again when it ends: an iterator can not."""
        return not isinstance(self.iterable, Iterator)

    def __next__(self) -> Any:
        return to_device(self._draw(), self.device)

    def _draw(self) -> Any:
        if self._iterator is None:
            self._iterator = self._begin()
        try:
            batch = next(self._iterator)
        except StopIteration:
            if self.drawn == 0:
                raise ValueError(f"batches: {type(self.iterable).__name__} gave no batch") from None
            if self._iterator is self.iterable:
                raise  # an iterator gives its batches once
            self.epoch, self.drawn, self._iterator = self.epoch + 1, 0, None
            return self._draw()
        self.drawn += 1
        return batch

    def _begin(self) -> Iterator[Any]:
        tell_epoch(self.iterable, self.epoch)
        own = [generator.get_state() for generator in generators(self.iterable)]
        self._began = {"rng": capture_rng(), "own": own, "workers": workers_run(self.iterable)}
        return iter(self.iterable)

    def _begin_as(self, began: Mapping[str, Any]) -> None:
        """Let the next epoch begin as one did: the same generators, and workers where it had them already."""
        tell_epoch(self.iterable, self.epoch)
        with_workers(self.iterable, bool(began.get("workers", False)))
        restore_rng(began["rng"])
        for generator, saved in zip(generators(self.iterable), began["own"], strict=False):
            generator.set_state(saved.clone())  # torch reads it as a struct: it has to be aligned

    def state_dict(self) -> dict[str, Any]:
        """The iterable's own state, or how much of it was drawn."""
        inner = getattr(self.iterable, "state_dict", None)
        own = {"epoch": self.epoch, "drawn": self.drawn}
        if callable(inner):
            return {**own, "iterable": inner()}
        return {**own, "began": self._began} if self._began else own

    def problems(self, state: object) -> list[str]:
        """What keeps a saved position from being one, one line each."""
        if not isinstance(state, Mapping):
            return [f"data: expected a saved position, found a {type(state).__name__}"]
        return [
            f"data {name}: expected a count, found {state.get(name)!r:.80}"
            for name in ("epoch", "drawn")
            if not is_count(state.get(name))
        ]

    def load_state_dict(self, state: Mapping[str, Any], /) -> None:
        """Continue where ``state`` was taken.

        Raises:
            ValueError: an epoch has fewer batches than were drawn.
        """
        inner = getattr(self.iterable, "load_state_dict", None)
        self._iterator, self.epoch = None, state["epoch"]
        if callable(inner) and "iterable" in state:
            inner(state["iterable"])
            self.drawn = state["drawn"]
            return
        self.drawn = 0
        here, began = capture_rng(), state.get("began")
        if began:
            self._begin_as(began)
        for done in range(state["drawn"]):
            self._draw()
            if self.epoch != state["epoch"]:
                raise ValueError(f"{state['drawn']} batches were drawn of an epoch that has {done}")
        restore_rng(here)


class Repeated:
    """The first ``count`` batches of a source over and over: a model that can learn anything learns them.

    >>> source = Repeated(Replayed([torch.tensor(i) for i in range(9)], torch.device("cpu")), 2)
    >>> [int(next(source)) for _ in range(5)]
    [0, 1, 0, 1, 0]
    """

    def __init__(self, source: Source, count: int) -> None:
        self.source, self.count = source, count
        self._kept: list[Any] = []
        self._begin, self._at = source.state_dict(), 0

    def __iter__(self) -> Repeated:
        return self

    @property
    def endless(self) -> bool:
        """Whether the source is."""
        return bool(getattr(self.source, "endless", False))

    def __next__(self) -> Any:
        if len(self._kept) <= self._at:
            self._kept.append(for_tensors(next(self.source), Tensor.clone))  # a source may reuse its memory
        batch = self._kept[self._at]
        self._at = (self._at + 1) % self.count
        return batch

    def problems(self, state: object) -> list[str]:
        """What the source says of a saved position."""
        if not isinstance(state, Mapping) or not is_count(state.get("repeated", 0)):
            return ["data: expected a saved position among repeated batches"]
        check = getattr(self.source, "problems", None)
        return list(check(_without(state))) if callable(check) else []

    def state_dict(self) -> dict[str, Any]:
        """Where the batches begin, and which is next."""
        return {**self._begin, "repeated": self._at}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Draw the same batches again, and continue among them."""
        self._begin, self._kept, self._at = _without(state), [], 0
        self.source.load_state_dict(self._begin)
        for _ in range(state.get("repeated", 0) % self.count):
            next(self)

    def close(self) -> None:
        """Close the source, where it can be."""
        close = getattr(self.source, "close", None)
        if callable(close):
            close()


def _without(state: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state.items() if key != "repeated"}


def as_source(batches: Iterable[Any], device: torch.device) -> Source:
    """``batches`` itself where it is a :class:`Source`, otherwise a :class:`Replayed` view of it."""
    return batches if isinstance(batches, Source) else Replayed(batches, device)


def to_device(batch: Any, device: torch.device) -> Any:
    """Every tensor in a nested batch, on ``device``."""
    return for_tensors(batch, lambda tensor: tensor.to(device, non_blocking=True))


def for_tensors(batch: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A nested batch with every tensor changed."""
    if isinstance(batch, Tensor):
        return change(batch)
    if isinstance(batch, tuple):
        changed = [for_tensors(item, change) for item in batch]
        return type(batch)(*changed) if hasattr(batch, "_fields") else type(batch)(changed)
    if isinstance(batch, list):
        return [for_tensors(item, change) for item in batch]
    if isinstance(batch, Mapping):
        return _mapping({key: for_tensors(item, change) for key, item in batch.items()}, batch)
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        made = copy.copy(batch)  # not made anew: a field may be none of the arguments
        for field in dataclasses.fields(batch):
            value = for_tensors(getattr(batch, field.name), change)
            object.__setattr__(made, field.name, value)  # it may be frozen
        return made
    return batch


def _mapping(items: dict[Any, Any], like: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The items in a mapping of the same kind, where such a one can be written to."""
    if type(like) is dict or not isinstance(like, MutableMapping):
        return items
    made = copy.copy(like)
    for key, item in items.items():
        made[key] = item
    return made


def batch_items(batch: Any) -> int:
    """How much a batch holds: tokens where it has ``inputs``, else rows of its first tensor."""
    inputs = getattr(batch, "inputs", None)
    if isinstance(inputs, Tensor):
        return inputs.numel()
    if isinstance(batch, Tensor):
        return _rows(batch)
    if isinstance(batch, Mapping):
        batch = tuple(batch.values())
    if isinstance(batch, tuple | list):
        return next((batch_items(item) for item in batch), 0)
    return 0


def _rows(tensor: Shaped[Tensor, "*shape"]) -> int:
    return len(tensor) if tensor.ndim else 1
