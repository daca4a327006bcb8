"""The few private names of torch that accounting needs, in one place.

They move between releases; everything else in this package is written against this module.
"""

from __future__ import annotations

import contextlib
import copy
import logging
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes

DATA_DEPENDENT = (DataDependentOutputException, DynamicOutputShapeException)

DEVICE = torch.ops.prim.device.default  # asks a tensor where it is

_LOG = logging.getLogger("torch._subclasses.fake_tensor")

__all__ = [
    "DATA_DEPENDENT",
    "DEVICE",
    "Copies",
    "FakeTensor",
    "FakeTensorMode",
    "current_node",
    "fake_copy",
    "fake_mode",
    "in_fake_mode",
    "in_pieces",
    "next_sequence_number",
    "node_sequence_number",
    "storage_key",
    "watch_storage",
    "without_modes",
]


@contextlib.contextmanager
def fake_mode(shape_env: Any = None) -> Iterator[FakeTensorMode]:
    """A mode in which tensors have shapes, dtypes, strides and storages but no memory.

    torch logs a traceback of its own for every shape error; ours says which axis it was.  It remembers what
    operators gave, which with symbols for sizes costs more than to ask the operator again.
    """
    before, _LOG.disabled = _LOG.disabled, True
    try:
        with FakeTensorMode(shape_env=shape_env, allow_non_fake_inputs=True) as mode:
            mode.cache_enabled = mode.cache_enabled and shape_env is None
            yield mode
    finally:
        _LOG.disabled = before


@contextlib.contextmanager
def in_pieces() -> Iterator[None]:
    """Layers made of others run as torch's decompositions in Python, which understand symbolic sizes."""
    from torch._dispatch.python import enable_python_dispatcher  # noqa: PLC0415 - slow to import

    with enable_python_dispatcher():
        yield


@contextlib.contextmanager
def without_modes() -> Iterator[None]:
    """Tensors made in here have memory, and no gradient is recorded."""
    with _disable_current_modes(), torch.no_grad():
        yield


def in_fake_mode(tensor: Shaped[Tensor, "*shape"]) -> bool:
    return isinstance(tensor, FakeTensor)


def fake_copy(tensor: Shaped[Tensor, "*shape"], device: torch.device) -> Shaped[Tensor, "*shape"]:
    """A tensor of the same geometry without memory; call it under :func:`fake_mode`."""
    empty: Shaped[Tensor, "*shape"] = torch.empty_strided(
        tuple(tensor.shape), tensor.stride(), dtype=tensor.dtype, device=device, requires_grad=False
    )
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty.requires_grad_(tensor.requires_grad) if tensor.requires_grad else empty


class Copies(TorchFunctionMode):
    """Modules without memory can be copied in here (``copy.deepcopy(encoder)``, a teacher): torch's own way
    looks at a tensor's memory, warns of it, and fails or crashes where the tensor is a buffer.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is Tensor.__deepcopy__ and in_fake_mode(args[0]) and args[0].is_leaf:
            return _deep_copy(*args)
        return func(*args, **(kwargs or {}))


def _deep_copy(tensor: Shaped[Tensor, "*shape"], memo: dict[int, Any]) -> Shaped[Tensor, "*shape"]:
    """What ``copy.deepcopy`` makes of a tensor without memory: one like it, and the same one each time."""
    if id(tensor) not in memo:
        copied = tensor.detach().clone()
        if isinstance(tensor, torch.nn.Parameter):
            copied = torch.nn.Parameter(copied, requires_grad=tensor.requires_grad)
        else:  # attributes of a parameter are not copied by torch either
            marks = {name: value for name, value in vars(tensor).items() if name not in vars(copied)}
            vars(copied.requires_grad_(tensor.requires_grad)).update(copy.deepcopy(marks, memo))
        memo[id(tensor)] = copied
    kept: Shaped[Tensor, "*shape"] = memo[id(tensor)]
    return kept


def next_sequence_number() -> int:
    """The number autograd gives to the next node it creates in this thread."""
    number: int = torch._C._autograd._get_sequence_nr()
    return number


def current_node() -> Any:
    """The autograd node whose backward is running, or None."""
    return torch._C._current_autograd_node()


def node_sequence_number(node: Any) -> int:
    """When the forward created this node; very large for a node that accumulates into a leaf."""
    return int(node._sequence_nr())


def storage_key(tensor: Shaped[Tensor, "*shape"]) -> int:
    """Equal for tensors that share a storage, as long as it lives."""
    return int(tensor.untyped_storage()._cdata)


def watch_storage(tensor: Shaped[Tensor, "*shape"], died: Callable[[Any], None]) -> weakref.ref[Any]:
    """Call ``died`` when the memory behind the tensor is released."""
    return weakref.ref(tensor.untyped_storage(), died)
