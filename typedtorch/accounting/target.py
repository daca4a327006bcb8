"""What can be accounted for: a module, an annotated function, or something that builds one from sizes."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from typedtorch.accounting import annotations as an
from typedtorch.accounting import fake, presets
from typedtorch.accounting.checks import shown
from typedtorch.accounting.errors import (
    AccountingError,
    AnnotationError,
    CounterError,
    SizeError,
    told,
)
from typedtorch.accounting.program import Call, call_of


@dataclass(frozen=True)
class Target:
    """A fixed callable, or a constructor with the names of the integers it is built from."""

    fixed: Callable[..., Any] | None
    constructor: Callable[..., Any] | None
    arguments: tuple[str, ...]
    examples: tuple[Any, ...]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The function's or the class's."""
        target = self.constructor if self.fixed is None else self.fixed
        while isinstance(target, functools.partial):
            target = target.func
        return str(getattr(target, "__qualname__", None) or type(target).__name__)

    def call(self, sizes: Mapping[str, Any], limit: int | None = None) -> Call:
        """The call at these sizes; a constructor is run on tensors without memory."""
        if self.fixed is not None:
            return call_of(self.fixed, self.examples)
        return call_of(self.build(sizes, limit), self.examples)

    def build(self, sizes: Mapping[str, Any], limit: int | None = None) -> Callable[..., Any]:
        """What the constructor makes, of at most ``limit`` parameters.

        Raises:
            SizeError: an argument of the constructor has no size.
            CounterError: it makes more parameters than the limit.
            AccountingError: it made neither a module nor a function.
        """
        assert self.constructor is not None
        missing = [name for name in self.arguments if name not in sizes]
        if missing:
            raise SizeError(f"axis {missing[0]!r} has no size: pass {missing[0]}=... (it builds the module)")
        arguments = {name: sizes[name] for name in self.arguments}
        try:
            with _at_most(limit):
                try:
                    with fake.fake_mode(), fake.Copies(), _uninitialised():
                        made = self.constructor(**arguments)
                except fake.DATA_DEPENDENT:
                    with _without_weights():
                        made = self.constructor(**arguments)
        except AccountingError:
            raise
        except Exception as error:
            if "Uninitialized" in str(error):
                raise AccountingError(f"building it with {arguments}: {_LAZY}") from error
            raise SizeError(f"building it with {arguments} failed: {told(error)}") from error
        if not callable(made):
            raise AccountingError(
                f"{self.name} says no axes, so it was called with sizes, and gave {shown(made)}; wanted an "
                "nn.Module, or a function annotated with axes"
            )
        return cast(Callable[..., Any], made)


@contextlib.contextmanager
def _at_most(limit: int | None) -> Iterator[None]:
    """Nothing in here may register more parameters than this."""
    count = 0

    def registered(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        nonlocal count
        count += 1
        if limit is not None and count > limit:
            raise CounterError(f"more than {limit} parameters: an axis counts layers")

    hook = register_module_parameter_registration_hook(registered)
    try:
        yield
    finally:
        hook.remove()


@contextlib.contextmanager
def _without_weights() -> Iterator[None]:
    """Modules that read numbers off tensors while they are built are built for real, but for their weights:
    nothing is initialised, and every parameter moves to the meta device as soon as it is registered.
    """
    hook = register_module_parameter_registration_hook(_to_meta)  # type: ignore[arg-type]  # its result counts
    try:
        with _uninitialised():
            yield
    finally:
        hook.remove()


@contextlib.contextmanager
def _uninitialised() -> Iterator[None]:
    """Torch's initialisers do nothing in here, where there is nothing to write to."""
    saved = {name: value for name, value in vars(nn.init).items() if name.endswith("_") and callable(value)}
    saved = {name: value for name, value in saved.items() if not name.startswith("_")}
    try:
        for name in saved:
            setattr(nn.init, name, _untouched)
        yield
    finally:
        for name, value in saved.items():
            setattr(nn.init, name, value)


def _untouched(tensor: Shaped[Tensor, "*shape"], *args: object, **kwargs: object) -> Shaped[Tensor, "*shape"]:
    return tensor


def _to_meta(
    module: nn.Module, name: str, parameter: Shaped[nn.Parameter, "*shape"] | None
) -> Shaped[nn.Parameter, "*shape"] | None:
    if parameter is None or parameter.is_meta:
        return None
    return nn.Parameter(parameter.detach().to("meta"), requires_grad=parameter.requires_grad)


def target_of(target: Any, examples: tuple[Any, ...], given: Mapping[str, Any]) -> Target:
    """Tell what was passed.

    Raises:
        AnnotationError: a function whose parameters do not say their axes.
        AccountingError: not callable at all.
    """
    notes: tuple[str, ...] = ()
    if isinstance(target, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        raise AccountingError(f"{type(target).__name__}: {_SCRIPT}")
    owner = getattr(target, "__self__", None)
    if isinstance(owner, nn.Module) and target.__name__ == "forward":
        target = owner  # whose sizes and parameters the method needs
    if isinstance(target, nn.Module):
        _refuse_parts(target)
        compiled = getattr(target, "_orig_mod", None)
        if isinstance(compiled, nn.Module):
            target, notes = compiled, (_COMPILED,)
        return Target(target, None, (), examples, notes)
    if not callable(target):
        known = f"; accounting.presets.build({target!r}) makes one" if target in presets.NAMES else ""
        raise AccountingError(
            f"wanted a module, a function or a constructor, got {type(target).__name__}{known}"
        )
    if isinstance(target, type) and issubclass(target, nn.Module):
        return Target(None, target, _constructor_arguments(target, given), examples)
    if hasattr(target, "_torchdynamo_orig_callable"):
        target, notes = target._torchdynamo_orig_callable, (_COMPILED,)
    if (examples and not _makes(target, given)) or _is_annotated(target):
        return Target(target, None, (), examples, notes)
    hints = an.type_hints(target)
    returned = hints.get("return")
    unknown = [p for p in inspect.signature(target).parameters if hints.get(p, int) is not int]
    if unknown and not (isinstance(returned, type) and issubclass(returned, nn.Module)):
        an.parameters(target, examples)  # says which parameter lacks its axes
    return Target(None, target, _constructor_arguments(target, given), examples, notes)


_LAZY = (
    "a lazy layer learns its sizes from the first tensor it sees; run it once on real data before, or give "
    "it its sizes (nn.Linear for nn.LazyLinear)"
)
_SCRIPT = "TorchScript runs its operators where they are not seen; account for what it was made from"


def _refuse_parts(module: nn.Module) -> None:
    """Parts of a module whose tensors have no shape yet, or whose operators are not seen.

    Raises:
        AccountingError: naming the part.
    """
    for path, part in module.named_modules():
        where = f"{type(module).__name__}: {path or 'it'} is a {type(part).__name__}"
        if isinstance(part, torch.jit.ScriptModule):
            raise AccountingError(f"{where}: {_SCRIPT}")
        own = (*part._parameters.values(), *part._buffers.values())
        if any(t is not None and torch.nn.parameter.is_lazy(t) for t in own):
            raise AccountingError(f"{where}: {_LAZY}")


_COMPILED = "compiled: the eager stream of operators is reported; fusion changes bytes moved, not FLOPs"


def _makes(function: Callable[..., Any], given: Mapping[str, Any]) -> bool:
    """Whether a function with examples beside it is a constructor: all it takes is among the sizes."""
    try:
        return all(name in given for name in inspect.signature(function).parameters)
    except ValueError:  # a builtin
        return False


def _is_annotated(function: Callable[..., Any]) -> bool:
    """Whether some parameter says its axes."""
    try:
        return any(
            list(an.names(p.spec)) for p in an.parameters(function) if not isinstance(p.spec, an.NumberSpec)
        )
    except AnnotationError:
        return any(
            an.spec_of(hint, name) is not None and hint is not int
            for name, hint in an.type_hints(function).items()
            if name != "return"
        )


def _constructor_arguments(target: Callable[..., Any], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Arguments a constructor gets from the sizes: all without a default, and those a size was given for.

    Raises:
        AccountingError: one of them is annotated as something else than an integer.
    """
    chosen = []
    for parameter in inspect.signature(target).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty or parameter.name in given:
            chosen.append(parameter.name)
    hints = _hints(target)
    for name in chosen:
        if not _may_be_size(hints.get(name, int)):
            kind, own = (getattr(x, "__name__", str(x)) for x in (hints[name], target))
            raise AccountingError(
                f"{own}: parameter {name!r} is a {kind}, not a size; pass what {own} makes, or a constructor "
                f"with sizes alone: lambda: {own}(...)"
            )
    return tuple(chosen)


def _hints(target: Callable[..., Any]) -> dict[str, Any]:
    return an.type_hints(vars(target).get("__init__", target) if isinstance(target, type) else target)


def _may_be_size(hint: Any) -> bool:
    """Whether an annotation leaves room for an integer; what is no class says nothing."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(map(_may_be_size, typing.get_args(hint)))
    kind = typing.get_origin(hint) or hint
    if not isinstance(kind, type) or kind is Any:
        return True
    try:
        return issubclass(int, kind)
    except TypeError:  # a protocol
        return True
