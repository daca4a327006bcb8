"""One process or many: what differs between them, behind one small interface.

Under ``torchrun`` the same program runs in every process. The global batch is divided between them, losses
and gradients are joined, and the checkpoint is one whole state, written by process 0 and read by all: it
loads under any number of processes.
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import ctypes
import itertools
import math
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import torch
import torch.distributed as dist
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.optim import Optimizer

from typedtorch.training import messages
from typedtorch.training.errors import CheckpointError, ConfigError, Interrupted
from typedtorch.training.restore import load_model, plain_state
from typedtorch.training.step import Count
from typedtorch.training.unused import Joined

ResultT = TypeVar("ResultT")
_JOINED = itertools.count()
Sharing = Literal["none", "ddp", "zero1", "fsdp"]
ParallelName = Literal["auto", "none", "ddp", "fsdp", "zero1"]


class Parallel:
    """A single process; the interface the trainer sees."""

    rank, world = 0, 1
    group: dist.ProcessGroup | None = None
    """What the processes talk over; None for the group of all of them."""
    sharing: Sharing = "none"
    """What the processes divide between them besides the batch."""
    divides = reads_parts = False
    """Whether each process writes its part of a checkpoint, and reads only what it needs of one."""

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model as it is trained."""
        return model

    def optimizer(self, optimizer: Optimizer) -> Optimizer:
        """The optimizer as it is stepped."""
        return optimizer

    def micro_batch(self, model: nn.Module, *, last: bool) -> AbstractContextManager[None]:
        """Around the passes of a micro-batch, forward and backward: gradients are joined in the last only."""
        return contextlib.nullcontext()

    def sum(self, values: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
        """The sum over all processes."""
        return values

    def divisor(self, device: torch.device) -> Callable[[Count], Count] | None:
        """What every process divides its losses by, where several have to agree."""
        return None

    def any(self, flags: list[bool]) -> list[bool]:
        """Whether each flag is set in any process."""
        return flags

    def barrier(self) -> None:
        """Wait for all processes."""

    def gather(self, value: object) -> list[Any]:
        """Every process's value, tensors and plain ones, in order, at process 0 (an empty list elsewhere)."""
        return [value]

    def broadcast(self, value: Any) -> Any:
        """Process 0's value, tensors and plain ones, in every process."""
        return value

    def by_first(self, action: Callable[[], ResultT]) -> ResultT | None:
        """What ``action`` gives in process 0, None elsewhere; where it fails there, it fails in all.

        Raises:
            CheckpointError: in the others, saying why.
        """
        return action()

    def apart(self) -> Parallel:
        """The same processes on a line of their own, for a thread; every process has to ask for it."""
        return self

    def model_state(self, model: nn.Module) -> dict[str, Any]:
        """The whole model's state under plain names."""
        return plain_state(model.state_dict())

    def optimizer_state(self, model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
        """The whole optimizer's state."""
        return dict(optimizer.state_dict())

    def load(self, model: nn.Module, optimizer: Optimizer, state: dict[str, Any]) -> None:
        """Put a whole state back."""
        load_model(state["model"], model)
        optimizer.load_state_dict(state["optimizer"])

    def close(self) -> None:
        """Leave the group of processes; what comes after the first time is nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Group(Parallel):
    """What all kinds of many-process training share."""

    def __init__(self, device: torch.device) -> None:
        self.rank, self.world, self.device = dist.get_rank(), dist.get_world_size(), device
        self._joined = True
        atexit.register(self._leave)  # a script that forgot to

    def sum(self, values: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
        values = values.clone()
        dist.all_reduce(values)
        return values

    def any(self, flags: list[bool]) -> list[bool]:
        return [
            bool(n) for n in self.sum(torch.tensor(flags, dtype=torch.int32, device=self.device)).tolist()
        ]

    def divisor(self, device: torch.device) -> Callable[[Count], Count] | None:
        agreed: list[int] = []

        def divide_by(count: Count) -> Count:
            if not agreed:  # all are in their first step
                total = float(self.sum(torch.as_tensor(count, dtype=torch.float64, device=device)))
                # by a power of two nothing is rounded: a resumed run may agree on another one
                agreed.append(2 ** round(math.log2(max(total, 1.0))))
            return agreed[0]

        return divide_by

    def barrier(self) -> None:
        dist.barrier()

    def gather(self, value: object) -> list[Any]:
        if self.rank:
            messages.send(value, lambda data: dist.send(data, 0, group=self.group), self.device)
            return []
        others = range(1, self.world)
        return [value, *(messages.receive(self._from(rank), self.device) for rank in others)]

    def _from(self, rank: int) -> messages.Move:
        return lambda data: dist.recv(data, rank, group=self.group)

    def broadcast(self, value: Any) -> Any:
        def move(data: Shaped[Tensor, "*shape"]) -> None:
            dist.broadcast(data, 0, group=self.group)

        if self.rank:
            return messages.receive(move, self.device)
        messages.send(value, move, self.device)
        return value

    def by_first(self, action: Callable[[], ResultT]) -> ResultT | None:
        found, failure = None, None
        if self.rank == 0:
            try:
                found = action()
            except Exception as error:
                failure = error
        reason = self.broadcast(None if failure is None else f"{type(failure).__name__}: {failure}")
        if failure is not None:
            raise failure
        if reason is not None:
            raise CheckpointError("process 0", "success there", reason)
        return found

    def apart(self) -> Parallel:
        twin = copy.copy(self)
        twin.group, twin.device = dist.new_group(backend="gloo"), torch.device("cpu")
        return twin

    def close(self) -> None:
        error = sys.exc_info()[1]
        interrupted = isinstance(error, Interrupted)
        if interrupted:
            _leave_undisturbed()
        # a process that leaves while another still talks to it can take that one down
        if self._joined and (error is None or interrupted):
            _last_barrier()
        self._leave()

    def _leave(self) -> None:
        atexit.unregister(self._leave)
        if self._joined and dist.is_initialized():
            dist.destroy_process_group()
        self._joined = False


def _last_barrier() -> None:
    """Wait for all processes, and leave nothing behind that a thread of gloo would have to delete.

    Such a thread deletes what it has worked on a little after those who waited for it go on. Where that needs
    the interpreter, and the interpreter is on its way out, it aborts the process. What is never deleted needs
    nothing; the barrier gave the works before it the time.
    """
    work = dist.barrier(async_op=True)
    if work is not None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(work))
        work.wait()


def _leave_undisturbed() -> None:
    """When one process has left, ``torchrun`` signals the others, which are about to leave too."""
    with contextlib.suppress(ValueError):  # handlers are the main thread's
        signal.signal(signal.SIGTERM, lambda number, frame: os._exit(128 + number))


class DataParallel(Group):
    """DDP: a whole copy of the model in every process."""

    sharing: Sharing = "ddp"
    _of: Joined | None = None

    def wrap(self, model: nn.Module) -> nn.Module:
        ids = [self.device.index] if self.device.type == "cuda" else None
        wrapped = nn.parallel.DistributedDataParallel(model, device_ids=ids)
        self._of = Joined(wrapped)
        return wrapped

    def micro_batch(self, model: nn.Module, *, last: bool) -> AbstractContextManager[None]:
        if self._of is None or self._of.model is not model:  # compiled since, or wrapped by somebody else
            self._of = Joined(model)
        return self._of.all_used(last=last)


class ZeroOne(DataParallel):
    """ZeRO stage 1: DDP, with each process keeping the optimizer state of its share of the parameters."""

    sharing: Sharing = "zero1"
    divides = True

    def optimizer(self, optimizer: Optimizer) -> Optimizer:
        from torch.distributed.optim import ZeroRedundancyOptimizer  # noqa: PLC0415 - slow to import

        groups = [dict(group) for group in optimizer.param_groups]
        defaults = {k: v for k, v in optimizer.defaults.items() if k in _accepted(type(optimizer))}
        # what the user added to a group stays; what the class did it adds again
        added = {"param_names", *optimizer.defaults} - set(defaults)
        for group in groups:
            for key in added & set(group):
                del group[key]
        return ZeroRedundancyOptimizer(groups, optimizer_class=type(optimizer), **defaults)

    def optimizer_state(self, model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
        optimizer.consolidate_state_dict(to=0)  # type: ignore[attr-defined]  # ZeroRedundancyOptimizer's
        return dict(optimizer.state_dict()) if self.rank == 0 else {}


class FullyShardedParallel(Group):
    """FSDP2: parameters, gradients and optimizer state divided between the processes."""

    sharing: Sharing = "fsdp"
    divides = reads_parts = True

    def wrap(self, model: nn.Module) -> nn.Module:
        from torch.distributed.fsdp import fully_shard  # noqa: PLC0415 - slow to import

        for block in repeated_blocks(model):
            fully_shard(block)
        fully_shard(model)
        return model

    def micro_batch(self, model: nn.Module, *, last: bool) -> AbstractContextManager[None]:
        model.set_requires_gradient_sync(last)  # type: ignore[operator]  # FSDPModule's method
        return contextlib.nullcontext()

    def model_state(self, model: nn.Module) -> dict[str, Any]:
        from torch.distributed.checkpoint import state_dict as dcp  # noqa: PLC0415 - slow to import

        whole = dcp.StateDictOptions(full_state_dict=True, cpu_offload=True)
        return plain_state(dcp.get_model_state_dict(model, options=whole))

    def optimizer_state(self, model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
        from torch.distributed.checkpoint import state_dict as dcp  # noqa: PLC0415 - slow to import

        whole = dcp.StateDictOptions(full_state_dict=True, cpu_offload=True)
        named = dcp.get_optimizer_state_dict(model, optimizer, options=whole)
        return by_number(named, model, optimizer) if self.rank == 0 else {}

    def load(self, model: nn.Module, optimizer: Optimizer, state: dict[str, Any]) -> None:
        from torch.distributed.checkpoint import state_dict as dcp  # noqa: PLC0415 - slow to import

        whole = dcp.StateDictOptions(full_state_dict=True)
        dcp.set_model_state_dict(model, state["model"], options=whole)
        named = by_name(state["optimizer"], model, optimizer)
        dcp.set_optimizer_state_dict(model, optimizer, named, options=whole)


def _accepted(kind: type[Optimizer]) -> set[str]:
    code = kind.__init__.__code__
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _numbered(model: nn.Module, optimizer: Optimizer) -> list[list[str]]:
    names = {id(param): name for name, param in model.named_parameters()}
    return [[names[id(param)] for param in group["params"]] for group in optimizer.param_groups]


def by_number(named: dict[str, Any], model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    """An optimizer state by parameter name, as torch's own state dict numbers it."""
    order = [name for group in _numbered(model, optimizer) for name in group]
    number = {name: i for i, name in enumerate(order)}
    groups = [{**g, "params": [number[n] for n in g["params"]]} for g in named["param_groups"]]
    state = {number[name]: value for name, value in named["state"].items()}
    return {"state": dict(sorted(state.items())), "param_groups": groups}


def by_name(numbered: dict[str, Any], model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    """The inverse of :func:`by_number`."""
    order = [name for group in _numbered(model, optimizer) for name in group]
    groups = [{**g, "params": [order[i] for i in g["params"]]} for g in numbered["param_groups"]]
    return {"state": {order[i]: value for i, value in numbered["state"].items()}, "param_groups": groups}


def repeated_blocks(model: nn.Module) -> Iterable[nn.Module]:
    """The children of the model's longest list of modules: its blocks, wherever it keeps them."""
    lists = [m for m in model.modules() if isinstance(m, nn.ModuleList | nn.Sequential)]
    return list(max(lists, key=len, default=nn.ModuleList()))


def launched() -> bool:
    """Whether ``torchrun`` (or an equal) started this process."""
    return "RANK" in os.environ and "WORLD_SIZE" in os.environ


def join(name: ParallelName, device: torch.device) -> tuple[Parallel, torch.device]:
    """Join the group of processes this one was launched in; used in a ``with``, it is left at the end.

    >>> parallel, device = join("auto", torch.device("cpu"))
    >>> with parallel:
    ...     print(parallel.rank, parallel.world)
    0 1

    Raises:
        ConfigError: an unknown name, or many-process training without ``torchrun``.
    """
    kinds = {"ddp": DataParallel, "fsdp": FullyShardedParallel, "zero1": ZeroOne}
    if name not in ("auto", "none", *kinds):
        raise ConfigError(f"parallel: expected auto, none, {', '.join(kinds)}, got {name!r}")
    if name == "none" or (name == "auto" and not launched()):
        return Parallel(), device
    if not launched():
        raise ConfigError(f"parallel {name}: start with torchrun --nproc-per-node N -m typedtorch train …")
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    if not dist.is_initialized():
        # a store of its own each time: in torchrun's one store lie the addresses of a group that was left
        try:
            store, rank, world = next(dist.rendezvous("env://"))  # type: ignore[attr-defined]  # public, not in __all__
        except ValueError as error:  # RANK is there, the rest of what torchrun sets is not
            raise ConfigError(f"parallel {name}: expected the environment of torchrun, {error}") from error
        own = dist.PrefixStore(f"typedtorch-{next(_JOINED)}", store)  # type: ignore[attr-defined]  # likewise
        backend = "nccl" if device.type == "cuda" else "gloo"
        dist.init_process_group(backend, store=own, rank=rank, world_size=world)
    return kinds["ddp" if name == "auto" else name](device), device
