"""The optimizer of a step: a name, a class, a factory or an optimizer that exists already."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from typedtorch import optim
from typedtorch.accounting.checks import meant, shown
from typedtorch.accounting.errors import AccountingError

Factory = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]
OptimizerSpec = str | type[torch.optim.Optimizer] | Factory | torch.optim.Optimizer | None

_FLAGS = ("foreach", "fused")


def check(spec: OptimizerSpec) -> None:
    """Refuse a name that no optimizer has, and what is no optimizer at all.

    Raises:
        AccountingError: with the names there are, the nearest first.
    """
    if isinstance(spec, str):
        _named(spec)
    elif spec is not None and not callable(spec) and not isinstance(spec, torch.optim.Optimizer):
        raise AccountingError(
            f"optimizer={shown(spec)}: wanted a name, a class, a function that makes one of parameters, or "
            "an optimizer"
        )


def resolve(spec: OptimizerSpec, module: nn.Module | None) -> Factory | None:
    """A factory for the optimizer of a step, whatever way it was named.

    A name may carry the implementation: ``"adamw:fused"``, ``"sgd:foreach"``.  An optimizer that
    exists already is made again, with its own groups and hyper-parameters, over whichever parameters
    stand in for the module's when the factory is called.

    Raises:
        AccountingError: an unknown name, no module to optimise, or another module's optimizer.
    """
    if spec is None:
        return None
    if module is None:
        raise AccountingError("optimizer= needs a module: a function has no parameters to step")
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, torch.optim.Optimizer):
        return _again(spec, module)
    return spec


def make_optimizer(
    factory: Factory, module: nn.Module, path_of: Callable[[object], str]
) -> torch.optim.Optimizer:
    """The optimizer of the module's trainable parameters.

    Raises:
        AccountingError: the factory made something else.
    """
    if isinstance(factory, _Again):
        return _as_on_device(factory.over({path_of(p): p for p in module.parameters()}))
    trained = [p for p in module.parameters() if p.requires_grad]
    if not trained:
        raise AccountingError(
            f"optimizer= has nothing to step: {type(module).__name__} has no parameter that needs a gradient"
        )
    made = factory(trained)
    if not isinstance(made, torch.optim.Optimizer):
        raise AccountingError(f"optimizer= made a {type(made).__name__}, not a torch.optim.Optimizer")
    if isinstance(made, torch.optim.LBFGS):
        raise AccountingError(
            "optimizer= is LBFGS, which runs the model as often as its line search asks for"
        )
    return _as_on_device(made)


def _as_on_device(optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """On an accelerator torch takes the foreach kernels by itself, but not for tensors without memory."""
    for group in optimizer.param_groups:
        undecided = "foreach" in group and group["foreach"] is None and not group.get("fused")
        if undecided and all(p.device.type in ("cuda", "xpu") for p in group["params"]):
            group["foreach"] = not group.get("differentiable", False)
    return optimizer


class _Again:
    """An existing optimizer's class, groups (by parameter name) and hyper-parameters."""

    def __init__(
        self, kind: type[torch.optim.Optimizer], groups: list[tuple[list[str], dict[str, Any]]]
    ) -> None:
        self.kind, self.groups = kind, groups

    def __call__(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        settings: dict[str, Any] = self.groups[0][1]
        return self.kind(list(parameters), **settings)

    def over(self, now: dict[str, nn.Parameter]) -> torch.optim.Optimizer:
        """The optimizer over the parameters that stand at the same paths now."""
        groups = [{"params": [now[n] for n in names if n in now], **rest} for names, rest in self.groups]
        accepted = inspect.signature(self.kind).parameters
        defaults = {k: v for k, v in self.groups[0][1].items() if k in accepted}
        plain = [
            {k: v for k, v in g.items() if k == "params" or k in accepted} for g in groups if g["params"]
        ]
        return self.kind(plain, **defaults)


def _again(optimizer: torch.optim.Optimizer, module: nn.Module) -> _Again:
    name_of = {id(p): name for name, p in module.named_parameters()}
    groups = []
    for group in optimizer.param_groups:
        missing = [tuple(p.shape) for p in group["params"] if id(p) not in name_of]
        if missing:
            raise AccountingError(
                f"the optimizer steps parameters that are not the module's, of shapes {missing}"
            )
        rest = {k: v for k, v in group.items() if k not in ("params", "param_names")}
        groups.append(([name_of[id(p)] for p in group["params"]], rest))
    return _Again(type(optimizer), groups)


def _optimizers(module: types.ModuleType) -> dict[str, type[torch.optim.Optimizer]]:
    """The optimizers of a module by their names in lower case, without the classes they derive from."""
    return {
        key.lower(): value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, torch.optim.Optimizer)
        and value not in (torch.optim.Optimizer, optim.Facade)
    }  # fmt: skip


def _named(name: str) -> Callable[..., torch.optim.Optimizer]:
    plain, _, flag = name.lower().partition(":")
    known = {**_optimizers(optim), **_optimizers(torch.optim)}
    if plain not in known or (flag and flag not in _FLAGS):
        raise AccountingError(
            f"optimizer={name!r}: {meant(plain, known)}known are {', '.join(sorted(known))}, "
            "each also ':foreach', ':fused'"
        )
    settings: dict[str, Any] = {flag: True} if flag else {}
    if plain == "sgd":
        settings["lr"] = 1e-3
    return functools.partial(known[plain], **settings)
