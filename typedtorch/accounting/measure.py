"""The memory that a program really uses on this machine, to compare with the prediction."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from typedtorch.accounting.trace import tensors


class StorageTracker(TorchDispatchMode):
    """Counts the storages operators show while it is entered: ``bytes`` now and ``peak`` so far.

    For the CPU, where torch keeps no statistics of its own.  It slows small operators down several times:
    track a step or two, not a run.

    >>> x = torch.ones(1000)
    >>> with StorageTracker(x) as tracker:
    ...     y = (x + 1).sum()
    >>> tracker.peak
    8004
    """

    def __init__(self, *known: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves its modes untyped
        self.bytes = self.peak = 0
        self._live: dict[int, weakref.ref[Any]] = {}
        for value in known:
            self.add(value)

    def add(self, value: Any) -> None:
        """Count the tensors inside a value: a module's, an optimizer's, a batch's."""
        if isinstance(value, nn.Module):
            value = [*value.parameters(), *value.buffers(), *(p.grad for p in value.parameters())]
        elif isinstance(value, torch.optim.Optimizer):
            value = list(value.state.values())
        for tensor in tensors(value):
            self._add(tensor)
        self.peak = max(self.peak, self.bytes)

    def _add(self, tensor: Shaped[Tensor, "*shape"]) -> None:
        if tensor.layout is not torch.strided:
            return
        storage = tensor.untyped_storage()
        if storage.device.type == "meta":
            return  # a tensor without memory
        key, size = storage._cdata, storage.nbytes()
        if key not in self._live:
            self._live[key] = weakref.ref(storage, lambda _: self._remove(key, size))
            self.bytes += size

    def _remove(self, key: int, size: int) -> None:
        if self._live.pop(key, None) is not None:
            self.bytes -= size

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.add((args, kwargs, result))
        return result
