"""The user's own parts of a run: the settings that they replace, and an optimizer made of a class."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, cast

import torch
from torch import nn
from torch.optim import Optimizer

from typedtorch import optim
from typedtorch.training.callbacks import Hooks
from typedtorch.training.config import TrainConfig
from typedtorch.training.errors import ConfigError, told
from typedtorch.training.given import check_model
from typedtorch.training.loggers import Logger
from typedtorch.training.protocols import Evaluate, ModelT
from typedtorch.training.resolve import settled
from typedtorch.training.step import AnyLoss

OptimizerLike = Optimizer | type[Optimizer] | Callable[[ModelT], Optimizer]
"""An optimizer, its class (or a ``functools.partial`` of one), or a function from the model to one."""

_WANTED = "an Optimizer, its class, or a function from the model to one"
_HYPER = ("weight_decay", "beta1", "beta2")
_REPLACED = {
    "model": ("layers", "d_model", "heads", "kv_heads", "d_ff", "dropout", "tie"),
    "optimizer": ("lr", "warmup", "schedule", "final_lr", *_HYPER),
    "batches": ("data", "token_dtype", "vocab", "val_fraction", "sampler", "prefetch", "eval_tokens"),
}
"""What each part of one's own decides itself."""


@dataclass(frozen=True)
class Own:
    """The parts that were given; None, or nothing, for those that were not."""

    model: nn.Module | None
    loss: AnyLoss | None
    batches: Iterable[Any] | None
    optimizer: OptimizerLike[Any] | None
    evaluate: Evaluate[Any] | None
    callbacks: Iterable[Hooks]
    loggers: Iterable[Logger]

    def __post_init__(self) -> None:
        if self.model is not None and not isinstance(self.model, nn.Module):
            raise ConfigError(f"model: expected a Module, got {told(self.model)}")
        if self.model is not None:
            check_model(self.model)
        given = self.optimizer
        other = isinstance(given, type) and (given is Optimizer or not issubclass(given, Optimizer))
        if other or (given is not None and not isinstance(given, Optimizer) and not callable(given)):
            raise ConfigError(f"optimizer: expected {_WANTED}, got {told(given)}")

    @property
    def kind(self) -> Callable[..., Optimizer] | None:
        """The optimizer's class, or a partial of it, where that is what was given."""
        given: object = self.optimizer
        inner = given.func if isinstance(given, functools.partial) else given
        is_class = isinstance(inner, type) and issubclass(inner, Optimizer)
        return cast("Callable[..., Optimizer]", given) if is_class else None

    @property
    def schedules(self) -> bool:
        """Whether the settings say what the learning rate is at each step."""
        return self.optimizer is None or self.kind is not None

    def check(self, given: Mapping[str, Any]) -> None:
        """Refuse settings that would have no effect beside these parts.

        Raises:
            ConfigError: for the first of them.
        """
        replaced = {part: names for part, names in _REPLACED.items() if getattr(self, part) is not None}
        if self.kind is not None:
            del replaced["optimizer"]
            _check_kind(self.kind, given)
        for part, names in replaced.items():
            hint = " (or give its class: optimizer=torch.optim.SGD)" if part == "optimizer" else ""
            for name in names:
                if given.get(name) is not None:
                    wanted = f"nothing beside {part}= of your own, which decides it{hint}"
                    raise ConfigError(f"{name}: expected {wanted}, got {given[name]!r}")

    def settle(self, config: TrainConfig, given: Mapping[str, Any]) -> TrainConfig:
        """The settings, with what the optimizer's class has as defaults where nothing was given."""
        if self.kind is None:
            return config
        takes = _parameters(self.kind)
        first, second = takes.get("betas") or (None, None)
        own = {"lr": takes.get("lr"), "weight_decay": takes.get("weight_decay")}
        found = {**own, "beta1": first, "beta2": second}.items()
        return config.override(**{k: v for k, v in found if isinstance(v, Real) and given.get(k) is None})

    def make_optimizer(self, model: nn.Module, config: TrainConfig, device: torch.device) -> Optimizer:
        """The optimizer over the parameters of ``model``, which may be divided between processes.

        Raises:
            ConfigError: the function gave something else, or there is nothing to train.
        """
        if isinstance(self.optimizer, Optimizer):
            return self.optimizer
        if self.schedules and not any(p.requires_grad for p in model.parameters()):
            raise ConfigError(f"model: expected a parameter that requires a gradient, {told(model)} has none")
        if self.optimizer is None:
            return adamw(model, config, device)
        if self.kind is not None:
            return _of_kind(self.kind, model, config)
        try:
            found = cast("Callable[[nn.Module], object]", self.optimizer)(model)
        except TypeError as error:
            error.add_note(f"optimizer: expected {_WANTED}; the function was called with the model")
            raise
        if not isinstance(found, Optimizer):
            raise ConfigError(f"optimizer: expected {_WANTED}, got {told(found)}")
        return found


def _parameters(kind: Callable[..., Optimizer]) -> dict[str, Any]:
    """What a class of optimizers takes, and its defaults."""
    return {name: each.default for name, each in inspect.signature(kind).parameters.items()}


def _check_kind(kind: Callable[..., Optimizer], given: Mapping[str, Any]) -> None:
    takes, inner = _parameters(kind), getattr(kind, "func", kind)
    for name in ("lr", *_HYPER):
        argument = "betas" if name in ("beta1", "beta2") else name
        if given.get(name) is None:
            continue
        if argument not in takes:
            wanted = f"nothing beside optimizer={inner.__name__}, which takes no {argument}"
            raise ConfigError(f"{name}: expected {wanted}, got {given[name]!r}")
        if argument in getattr(kind, "keywords", {}):
            wanted = f"nothing beside the {argument} in the partial of {inner.__name__}"
            raise ConfigError(f"{name}: expected {wanted}, got {given[name]!r}")


def _of_kind(kind: Callable[..., Optimizer], model: nn.Module, config: TrainConfig) -> Optimizer:
    takes, settings = _parameters(kind), config.optim
    values = {"lr": settled(settings.lr), "betas": (settings.beta1, settings.beta2)}
    options = {name: value for name, value in values.items() if name in takes}
    if "weight_decay" in takes:
        return kind(optim.decay_groups(model, settings.weight_decay), **options)
    return kind([p for p in model.parameters() if p.requires_grad], **options)


def decided_anew(names: Collection[str]) -> set[str]:
    """What the settings in ``names`` are called in an optimizer's groups, where a saved state has them too.

    >>> sorted(decided_anew(["lr", "weight_decay", "beta1", "beta2"]))
    ['betas', 'weight_decay']
    """
    return {"betas" if name in ("beta1", "beta2") else name for name in names if name in _HYPER}


def adamw(model: nn.Module, config: TrainConfig, device: torch.device) -> Optimizer:
    """AdamW with decay on matrices only; torch's fused kernel, which on a GPU can leave a bad step out."""
    settings = config.optim
    groups = optim.decay_groups(model, settings.weight_decay)
    betas = (settings.beta1, settings.beta2)
    if device.type == "cuda":
        return torch.optim.AdamW(groups, lr=settled(settings.lr), betas=betas, fused=True)
    return optim.AdamW(groups, lr=settled(settings.lr), betas=betas)
