"""Checks the parts a trainer is given when it is made, not where they are first used."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, cast

from torch import Tensor, nn
from torch.nn.parameter import UninitializedParameter
from torch.optim import Optimizer

from typedtorch.training.checkpoint import CheckpointStore
from typedtorch.training.errors import ConfigError, told
from typedtorch.training.protocols import Evaluate, Stoppable
from typedtorch.training.settings import LoopSettings

_LOSSES = ("torch.nn.", "typedtorch.losses")  # where losses of outputs and targets are from
HOOKS = ("on_start", "on_step", "on_log", "on_evaluate", "on_save", "on_end")


def check_parts(
    model: object,
    loss: object,
    optimizer: object,
    settings: object,
    schedule: object,
    store: object,
) -> None:
    """Refuse parts of a wrong type.

    Raises:
        TypeError: for the first of them, with what was expected and what was given.
        ConfigError: the model's parameters have no values.
    """
    kinds: tuple[tuple[str, object, type, str], ...] = (
        ("model", model, nn.Module, "a Module"),
        ("optimizer", optimizer, Optimizer, "an Optimizer"),
        ("settings", settings, LoopSettings, "LoopSettings"),
        ("store", store, CheckpointStore, "a CheckpointStore or None"),
    )
    for name, value, kind, wanted in kinds:
        if not isinstance(value, kind) and not (name == "store" and value is None):
            raise TypeError(f"{name}: expected {wanted}, got {told(value)}")
    functions = (
        ("loss", loss, "a function of the model and a batch"),
        ("schedule", schedule, "a function of the step, or None"),
    )
    for name, value, wanted in functions:
        if not callable(value) and (value is not None or name == "loss"):
            raise TypeError(f"{name}: expected {wanted}, got {told(value)}")
    check_model(cast(nn.Module, model))
    if _needs_closure(cast(Optimizer, optimizer)):
        wanted = "an Optimizer whose step needs no closure"
        raise TypeError(f"optimizer: expected {wanted}, got {told(optimizer)}")
    _check_loss(loss)


def check_rate(rate: object, step: int) -> None:
    """Refuse what a schedule returned where it is no learning rate.

    Raises:
        ConfigError: it is no number, below 0, or not finite.
    """
    one = isinstance(rate, Tensor) and rate.numel() == 1
    if not (one or isinstance(rate, Real)) or not 0 <= float(rate) < math.inf:  # type: ignore[arg-type]  # a number
        raise ConfigError(f"schedule: expected a rate from 0, got {rate!r} for step {step}")


def check_model(model: nn.Module) -> None:
    """Refuse a model that has no numbers to train yet.

    Raises:
        ConfigError: a parameter is uninitialised, or on the meta device.
    """
    for name, param in model.named_parameters():
        if isinstance(param, UninitializedParameter):
            found, remedy = "uninitialised", "call it once on a batch, model(inputs), before"
        elif param.is_meta:
            found, remedy = (
                "on the meta device, without values",
                "model.to_empty(device=...) and initialise it",
            )
        else:
            continue
        raise ConfigError(f"model: expected parameters with values, {name} is {found} ({remedy})")


def _needs_closure(optimizer: Optimizer) -> bool:
    found = inspect.signature(type(optimizer).step).parameters.get("closure")
    return found is not None and found.default is inspect.Parameter.empty


def _check_loss(loss: object) -> None:
    function = loss if hasattr(loss, "__name__") else type(loss)
    if str(getattr(function, "__module__", "")).startswith(_LOSSES):
        got = f"{function.__name__}, which takes outputs and targets"
        example = "lambda model, batch: loss(model(batch[0]), batch[1])"
        raise TypeError(f"loss: expected a function of the model and a batch, got {got}; {example} is one")
    try:
        signature = inspect.signature(cast("Callable[..., object]", loss))
    except (ValueError, TypeError):  # what is written in C says nothing of itself
        return
    if not _takes(signature, 2):
        raise TypeError(f"loss: expected a function of the model and a batch, got one of {signature}")


def as_stoppable(evaluate: Evaluate[Any] | None) -> Stoppable[Any] | None:
    """``evaluate`` as a function of the model and of ``stop``; it may take the model alone.

    A second parameter with a default value is left at its default, unless it is called ``stop``.

    Raises:
        TypeError: it takes neither.
    """
    if evaluate is None:
        return None
    if not callable(evaluate):
        raise TypeError(f"evaluate: expected a function of the model, or None, got {told(evaluate)}")
    try:
        signature = inspect.signature(evaluate)
    except (TypeError, ValueError):  # written in C, say
        return cast(Stoppable[Any], evaluate)
    if _takes(signature, 2) and ("stop" in signature.parameters or not _takes(signature, 1)):
        return cast(Stoppable[Any], evaluate)
    if not _takes(signature, 1):
        wanted = "a function of the model, or of the model and stop"
        raise TypeError(f"evaluate: expected {wanted}, got one of {signature}")
    alone = cast("Callable[[nn.Module], Mapping[str, float]]", evaluate)
    return lambda model, stop: alone(model)


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def several(name: str, values: object, methods: tuple[str, ...]) -> list[object]:
    """The items of an iterable, each of which has at least one of the methods.

    Raises:
        TypeError: it is not an iterable, or one of its items has none of the methods.
    """
    if not isinstance(values, Iterable):
        raise TypeError(f"{name}: expected several in a list, got {told(values)}")
    found = list(values)
    for value in found:
        if isinstance(value, type) or not any(callable(getattr(value, method, None)) for method in methods):
            raise TypeError(f"{name}: expected objects with {' or '.join(methods)}, got {told(value)}")
    return found
