"""What a step really allocates on the CPU: storages counted as they come and go.

Nothing of the prediction is used: real tensors, a plain loop, and one number that goes up when a
storage is first seen and down when it is gone.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


@contextlib.contextmanager
def kernels_of_this_processor() -> Iterator[None]:
    """Skips a test that torch cannot run here: few processors have kernels for an LSTM in half precision."""
    try:
        yield
    except RuntimeError as error:
        if "could not create a primitive" not in str(error):
            raise
        pytest.skip("torch has no kernel for this on this processor")


class Tracker(TorchDispatchMode):
    """``now`` and ``peak`` bytes of all storages that operators have shown so far."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves its modes untyped
        self.now = self.peak = 0
        self.known: dict[int, Any] = {}

    def see(self, value: object) -> None:
        for tensor in tree_leaves(value):
            if isinstance(tensor, Tensor):
                self._see(tensor)
        self.peak = max(self.peak, self.now)

    def _see(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self.known:
            return

        def gone(_: object) -> None:
            del self.known[key]
            self.now -= size

        self.known[key] = weakref.ref(storage, gone)
        self.now += size

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.see((args, kwargs, result))
        return result


def measured_peak(
    model: nn.Module,
    inputs: tuple[Tensor, ...],
    loss: Callable[[Any], Tensor],
    *,
    optimizer: Callable[[Any], torch.optim.Optimizer] | None = None,
    autocast: torch.dtype | None = None,
    steps: int = 2,
) -> int:
    """The peak of a plain training loop."""
    made = None if optimizer is None else optimizer(model.parameters())
    context = contextlib.nullcontext() if autocast is None else torch.autocast("cpu", dtype=autocast)
    with Tracker() as tracker:
        tracker.see((list(model.parameters()), list(model.buffers()), inputs))
        for _ in range(1 if made is None else steps):
            with context, kernels_of_this_processor():
                output = model(*inputs)
            with context:
                value = loss(output)
            del output
            value.backward()
            del value
            if made is not None:
                made.step()
                made.zero_grad()
    return int(tracker.peak)


def inputs_of(found: Any) -> tuple[Tensor, ...]:
    """Real tensors like the ones that were accounted for."""
    return tuple(
        torch.randn(m.shape) if m.dtype.is_floating_point else torch.zeros(m.shape, dtype=m.dtype)
        for m in found.trace.inputs
    )
