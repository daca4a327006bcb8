"""The stream of operators that really run, and the storages they allocate and release.

Everything accounting reports is a function of one :class:`Trace`.  A :class:`Recorder` writes it
while the program runs on tensors without memory: the dispatcher, the autograd engine and the
optimizer are torch's own, so what is seen is what a real run would do.
"""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode

from typedtorch.accounting import fake, sparse
from typedtorch.accounting.constants import Constants
from typedtorch.accounting.corrections import corrected
from typedtorch.accounting.errors import CounterError, DataDependentError, SizeError, program_line
from typedtorch.shapes.size import Size, product

Phase = Literal["forward", "backward", "recompute", "optimizer"]
Category = Literal["parameter", "buffer", "input", "gradient", "optimizer", "cast", "activation"]

# Bookkeeping that computes nothing and moves nothing.
_SILENT = ("prim.", "profiler.", "prims.device")


@dataclass(frozen=True, slots=True)
class TensorMeta:
    """What is left of a tensor: ``touched`` is its shape without broadcast (stride 0) axes.

    A sparse tensor is recorded as its values; ``sparse`` is how many numbers say where each of them belongs.
    """

    shape: tuple[Size, ...]
    dtype: torch.dtype
    storage: int
    touched: tuple[Size, ...]
    sparse: int = 0

    @property
    def numel(self) -> Size:
        return product(self.shape)

    @property
    def nbytes(self) -> Size:
        """Bytes an operator moves when it reads or writes all of this tensor once."""
        plain = product(self.touched) * self.dtype.itemsize
        return plain + self.sparse * torch.int64.itemsize * self.shape[0] if self.sparse else plain


@dataclass(slots=True)
class Op:
    """One call of one operator; ``times`` is above 1 where repeated blocks were folded."""

    func: Any
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outs: tuple[TensorMeta, ...]
    path: str
    phase: Phase
    step: int
    times: int = 1

    @property
    def ins(self) -> tuple[TensorMeta, ...]:
        return tuple(metas(self.args)) + tuple(metas(self.kwargs))


@dataclass(slots=True)
class Storage:
    """A piece of memory: alive from the end of operator ``born`` to the end of operator ``died``."""

    nbytes: Size
    dtype: torch.dtype
    born: int
    died: int | None
    category: Category
    path: str


@dataclass(frozen=True, slots=True)
class Weight:
    """A learned tensor: ``embedding`` where rows of it are looked up."""

    path: str
    shape: tuple[Size, ...]
    dtype: torch.dtype
    trainable: bool
    embedding: bool

    @property
    def numel(self) -> Size:
        return product(self.shape)


@dataclass(slots=True)
class Trace:
    """Operators in order, storages, and where each (step, phase) ended."""

    ops: list[Op] = field(default_factory=list)
    storages: list[Storage] = field(default_factory=list)
    marks: dict[tuple[int, str], int] = field(default_factory=dict)
    inputs: tuple[TensorMeta, ...] = ()
    outputs: tuple[TensorMeta, ...] = ()
    weights: tuple[Weight, ...] = ()
    # what each module returned first, by path
    modules: dict[str, TensorMeta] = field(default_factory=dict)
    # paths of the blocks that repeat a block; their operators are the same objects as the block's
    copies: dict[str, tuple[str, ...]] = field(default_factory=dict)


def metas(value: Any) -> Iterator[TensorMeta]:
    """The tensors inside a nest of arguments."""
    if isinstance(value, TensorMeta):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from metas(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from metas(item)


def tensors(value: Any) -> Iterator[Tensor]:
    """The tensors inside a nest of lists, tuples, mappings and dataclasses."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from tensors(getattr(value, name))


def _some_number(dtype: torch.dtype) -> bool | float | int:
    """Stands for a number an optimizer reads (a step count, a norm): it scales updates, it shapes nothing."""
    return False if dtype == torch.bool else 1.0 if dtype.is_floating_point else 1


_READS = "reads a number off a tensor (.item(), a branch on it)"


def _inside(path: str) -> str:
    return f" in module {path!r}" if path else ""


def _looked_up(name: str, args: tuple[Any, ...]) -> Iterator[tuple[int, Tensor]]:
    """Sizes of the axes that an operator looks something up along, and what it looks up."""
    if name == "aten.embedding.default":
        yield args[0].shape[0], args[1]
    elif name == "aten.index_select.default":
        yield args[0].shape[args[1]], args[2]
    elif name == "aten.index.Tensor":
        for size, index in zip(args[0].shape, args[1], strict=False):
            if index is not None and not index.dtype.is_floating_point and index.dtype is not torch.bool:
                yield size, index


class Recorder(TorchDispatchMode):
    """Writes a :class:`Trace`; ``measure`` turns a size of torch into a :class:`Size`."""

    def __init__(
        self,
        paths: dict[int, str],
        measure: Callable[[Any], Size] = int,
        limit: int | None = None,
        *,
        checked: bool = False,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves its modes untyped
        self.trace = Trace()
        self.phase: Phase = "forward"
        self.step = 0
        self.times = 1
        self._limit = limit
        self._measure = measure
        self._paths = paths
        self._stack: list[str] = [""]
        # autograd's sequence number at every change of module, and the module it changed to
        self._changes: tuple[list[int], list[str]] = ([0], [""])
        self._live: dict[int, tuple[int, Any]] = {}
        self._handles: list[Any] = []
        self._paused = False
        self._running = True  # what is released when all is over was alive to the end
        self._constants = Constants()
        self._checked = checked

    def __enter__(self) -> Recorder:
        self._handles = [
            register_module_forward_pre_hook(self._enter_module),
            register_module_forward_hook(self._exit_module, always_call=True),
        ]
        super().__enter__()  # type: ignore[no-untyped-call]  # likewise
        return self

    def __exit__(self, *error: object) -> None:
        self._running = False
        for handle in self._handles:
            handle.remove()
        super().__exit__(*error)  # type: ignore[no-untyped-call]  # likewise

    def _enter_module(self, module: nn.Module, args: object) -> None:
        self._go(self._paths.get(id(module), self._stack[-1]))

    def _exit_module(self, module: nn.Module, args: object, output: object) -> None:
        path = self._stack.pop()
        first = next(tensors(output), None)
        if first is not None and not self._paused and path not in self.trace.modules:
            self.trace.modules[path] = self._meta(first, path)
        self._note(self._stack[-1])

    def _go(self, path: str) -> None:
        self._stack.append(path)
        self._note(path)

    def _note(self, path: str) -> None:
        self._changes[0].append(fake.next_sequence_number())
        self._changes[1].append(path)

    def _where(self) -> str:
        """The module an operator belongs to: in the backward, the one whose forward made the node."""
        node = fake.current_node()
        if node is None or self._stack[-1]:
            return self._stack[-1]
        variable = getattr(node, "variable", None)
        if variable is not None:
            return self._paths.get(id(variable), "").rpartition(".")[0]
        at = bisect.bisect_right(self._changes[0], fake.node_sequence_number(node)) - 1
        return self._changes[1][at]

    @contextlib.contextmanager
    def inside(self, path: str) -> Iterator[None]:
        """Operators in here belong to a module whose hooks do not run."""
        self._go(path)
        try:
            yield
        finally:
            self._stack.pop()
            self._note(self._stack[-1])

    def path_of(self, value: object) -> str:
        """The dotted path of a module, parameter or buffer."""
        return self._paths.get(id(value), "")

    def adopt(self, value: object, category: Category, path: str = "", born: int | None = None) -> None:
        """Tell what the storages of these tensors are: known before they are used, or found out after."""
        for tensor in tensors(value):
            for part in self._in_memory(tensor):
                storage = self.trace.storages[self._index(part, path)]
                if storage.category == "input" and category != "input":
                    continue  # a sparse gradient's rows are named by the tokens themselves
                storage.category = category
                if path:
                    storage.path = path
                if born is not None:
                    storage.born = born

    def _in_memory(self, tensor: Shaped[Tensor, "*shape"]) -> tuple[Tensor, ...]:
        """The tensors that hold what a tensor consists of."""
        if not sparse.is_sparse(tensor):
            return (tensor,)
        with self.paused():
            return sparse.dense_parts(tensor)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Operators in here are not part of the program."""
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before

    def position(self) -> str:
        """Where the program is, for messages."""
        last = f"after {self.trace.ops[-1].name}" if self.trace.ops else "before the first operator"
        return f"{self.phase}{_inside(self._stack[-1])}, {last}"

    def mark(self, phase: str) -> None:
        """The phase ended here; the forward of the first micro-batch is the one that is kept."""
        at = len(self.trace.ops)
        if phase == "forward":
            at = self.trace.marks.get((self.step, phase), at)
        self.trace.marks[self.step, phase] = at

    def measured(self, value: object) -> tuple[TensorMeta, ...]:
        return tuple(self._meta(tensor, "") for tensor in tensors(value))

    def _index(self, tensor: Shaped[Tensor, "*shape"], path: str) -> int:
        """The number of the tensor's storage; a storage not seen before is born now."""
        key = fake.storage_key(tensor)
        known = self._live.get(key)
        nbytes = self._measure(tensor.untyped_storage().nbytes())
        if known is not None:
            if self.trace.storages[known[0]].nbytes == nbytes:
                return known[0]
            self._bury(key, known[0])  # resized: the old piece is gone, a new one takes its place
        index = len(self.trace.storages)
        born = len(self.trace.ops)
        self.trace.storages.append(Storage(nbytes, tensor.dtype, born, None, "activation", path))
        reference = fake.watch_storage(tensor, lambda _ref: self._bury(key, index))
        self._live[key] = (index, reference)
        return index

    def _bury(self, key: int, index: int) -> None:
        if self._running and self._live.get(key, (None,))[0] == index:
            del self._live[key]
            self.trace.storages[index].died = len(self.trace.ops) - 1

    def _meta(self, tensor: Shaped[Tensor, "*shape"], path: str) -> TensorMeta:
        if sparse.is_sparse(tensor):
            return replace(self._meta(self._in_memory(tensor)[0], path), sparse=tensor.sparse_dim())
        shape = tuple(map(self._measure, tensor.shape))
        index = self._index(tensor, path) if tensor.layout is torch.strided else -1
        touched = shape
        if index >= 0:
            strides = tensor.stride()
            if any(type(s) is int and s == 0 for s in strides):
                touched = tuple(n for n, s in zip(shape, strides, strict=True) if type(s) is not int or s)
        return TensorMeta(shape, tensor.dtype, index, touched)

    def _check_rows(self, name: str, args: tuple[Any, ...], path: str) -> None:
        """What the program itself made (positions) must be rows of the table; data may be any.

        Raises:
            SizeError: a row that is not there.
        """
        for size, wanted in _looked_up(name, args):
            found = self._constants.extent(wanted)
            if found is not None and not -size <= found[0] <= found[1] < size:
                raise SizeError(
                    f"{name.rpartition('.')[0]}{_inside(path)}{program_line()} looks up rows {found[0]} to "
                    f"{found[1]}, which the program itself makes (positions), in a table of {size} rows"
                )

    def _metas(self, value: Any, path: str) -> Any:
        if isinstance(value, Tensor):
            return self._meta(value, path)
        if isinstance(value, (list, tuple)):
            return tuple(self._metas(item, path) for item in value)
        if isinstance(value, torch.SymInt):
            return self._measure(value)
        return value

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is fake.DEVICE and fake.in_fake_mode(args[0]):
            return args[0].fake_device  # what asks most often, and is known here already
        kwargs = kwargs or {}
        name = str(func)
        if self._paused or name.startswith(_SILENT):
            return func(*args, **kwargs)
        if self._limit is not None and len(self.trace.ops) >= self._limit:
            raise CounterError(f"more than {self._limit} operators: an axis counts the steps of a loop")
        path = self._where()
        if self._checked:
            self._check_rows(name, args, path)
        phase = self.phase
        if phase == "backward" and torch.is_grad_enabled() and fake.current_node() is not None:
            phase = "recompute"  # only a checkpointed forward runs with gradients on in here
        try:
            out = corrected(name, func, args, kwargs)
        except fake.DATA_DEPENDENT as error:
            out = self._constants.value(func, args, kwargs)
            if out is None and phase == "optimizer" and name == "aten._local_scalar_dense.default":
                return _some_number(args[0].dtype)
            if out is None:
                what = _READS if name.startswith("aten._local_scalar_dense") else "gives a shape"
                raise DataDependentError(
                    f"{name}{_inside(path)}{program_line()} {what} that depends on values, which accounting "
                    "does not have; give it a fixed size (a capacity, a mask, torch.where, nonzero_static) "
                    "or account for the parts around it"
                ) from error
        self._constants.note(func, args, kwargs, out)
        op = Op(func, name, self._metas(args, path), {k: self._metas(v, path) for k, v in kwargs.items()},
                (), path, phase, self.step, self.times)  # fmt: skip
        op.outs = tuple(self._meta(tensor, path) for tensor in tensors(out))
        self.trace.ops.append(op)
        return out
