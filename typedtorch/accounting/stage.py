"""The stage a program is run on: how it is run, and modules whose tensors have no memory."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from typedtorch.accounting import fake
from typedtorch.accounting.checks import meant
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.losses import Loss
from typedtorch.accounting.optimizers import Factory
from typedtorch.accounting.trace import Recorder
from typedtorch.shapes.size import Size

RunPhase = Literal["train", "inference"]


@dataclass(frozen=True)
class Setup:
    """How a step is run: everything about it but the target and the sizes."""

    phase: RunPhase = "train"
    loss: Loss = "sum"
    optimizer: Factory | None = None
    autocast: torch.dtype | None = None
    dtype: torch.dtype | None = None
    accumulate: int = 1
    checkpoint: tuple[str, ...] = ()
    requires_grad: tuple[str, ...] | None = None
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))


@dataclass(frozen=True)
class World:
    """What sizes are while the program runs: numbers here, symbols in :mod:`symbols`.

    ``checked`` asks that rows the program itself numbers (positions) be there.
    """

    measure: Callable[[Any], Size] = int
    env: Any = None
    limit: int | None = None
    copy: Callable[[Shaped[Tensor, "*shape"], torch.device], Shaped[Tensor, "*copy"]] = fake.fake_copy
    around: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    foldable: bool = True
    checked: bool = False


NUMBERS = World()


@contextlib.contextmanager
def without_memory(
    module: nn.Module | None, setup: Setup, world: World = NUMBERS
) -> Iterator[dict[int, Tensor]]:
    """Parameters and buffers of the module have shapes only, until the block ends.

    Gives what stands in for each, by the identity of the original.  Enter it under
    :func:`fake.fake_mode`.
    """
    modules = list(module.modules()) if module is not None else []
    saved = [(m, dict(m.__dict__), [dict(getattr(m, d)) for d in _DICTS]) for m in modules]
    made: dict[int, Tensor] = {}
    try:
        for m in modules:
            for table in (m._parameters, m._buffers, m.__dict__):
                _replace(table, made, setup, world)
        yield made
    finally:
        for m, attributes, tables in saved:
            m.__dict__.clear()
            m.__dict__.update(attributes)
            for name, table in zip(_DICTS, tables, strict=True):
                current = getattr(m, name)
                current.clear()
                current.update(table)


_DICTS = ("_parameters", "_buffers", "_modules")


def _replace(table: dict[str, Any], made: dict[int, Tensor], setup: Setup, world: World) -> None:
    for name, value in list(table.items()):
        if not isinstance(value, Tensor):
            continue
        if id(value) not in made:
            made[id(value)] = _copied(value, setup, world)
        table[name] = made[id(value)]


def _copied(tensor: Shaped[Tensor, "*shape"], setup: Setup, world: World) -> Shaped[Tensor, "*shape"]:
    copy: Shaped[Tensor, "*shape"] = world.copy(tensor, setup.device)
    return _cast(copy, setup.dtype) if setup.dtype is not None and tensor.is_floating_point() else copy


def _cast(tensor: Shaped[Tensor, "*shape"], dtype: torch.dtype) -> Shaped[Tensor, "*shape"]:
    plain = tensor.detach().to(dtype)
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(plain, requires_grad=tensor.requires_grad)
    return plain


@contextlib.contextmanager
def checkpointed(module: nn.Module | None, setup: Setup, recorder: Recorder) -> Iterator[None]:
    """The named modules keep their input only and run their forward again in the backward.

    A name may be a pattern (``blocks.*``) or a list's, which stands for its members.  The forwards are put
    back by :func:`without_memory`.

    Raises:
        AccountingError: no module matches a name.
    """
    members = list(module.modules()) if module is not None else []
    for pattern in setup.checkpoint:
        chosen = [m for m in members if _matches(recorder.path_of(m), pattern)]
        if not chosen:
            known = [path for path in map(recorder.path_of, members) if path]
            hint = meant(pattern, known) or f"there are {', '.join(known[:12]) or 'none'}"
            raise AccountingError(f"checkpoint={pattern!r}: no module has that path; {hint.strip()}")
        for member in chosen:
            inner = list(member.children()) if isinstance(member, nn.ModuleList) else [member]
            for each in inner:
                _checkpoint(each, recorder)
    yield


def _matches(path: str, pattern: str) -> bool:
    """``*`` stands for one part of a path, never for several."""
    parts, wanted = path.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def _checkpoint(module: nn.Module, recorder: Recorder) -> None:
    forward, path = module.forward, recorder.path_of(module)

    def inside(*args: Any, **kwargs: Any) -> Any:
        with recorder.inside(path):
            return forward(*args, **kwargs)

    module.__dict__["forward"] = functools.partial(checkpoint, inside, use_reentrant=False)


def default_dtype(module: nn.Module | None, setup: Setup) -> torch.dtype:
    """The dtype of floating-point inputs: the module's own."""
    if setup.dtype is not None:
        return setup.dtype
    for parameter in module.parameters() if module is not None else ():
        if parameter.is_floating_point():
            return parameter.dtype
    return torch.get_default_dtype()


def module_paths(module: nn.Module | None) -> dict[int, str]:
    """The dotted path of every module, parameter and buffer, by identity."""
    paths: dict[int, str] = {}
    if module is not None:
        for path, member in module.named_modules():
            paths.setdefault(id(member), path)
            for own, tensor in (*member._parameters.items(), *member._buffers.items()):
                if tensor is not None:
                    paths.setdefault(id(tensor), f"{path}.{own}" if path else own)
    return paths
