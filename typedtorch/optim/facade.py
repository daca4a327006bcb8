"""The rules as real ``torch.optim.Optimizer`` objects: param groups, hooks, state dicts.

A group's hyperparameters are the rule's fields; a step hands each group's tensors to the rule with
``donate=True``, so it costs what torch's fused kernels cost.  The state dict has torch's names
and torch's extra keys: it loads into the ``torch.optim`` class of the same name, and the other
way round.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, ClassVar, TypeAlias, cast, overload

import torch
from torch import Tensor
from torch.optim import Optimizer

from typedtorch.optim import pure

Params: TypeAlias = Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]]


class Facade(Optimizer):
    """An optimizer made of a rule: subclass it, name the rule, and pass its fields as defaults.

    Raises:
        ValueError: a hyperparameter out of range, at construction or when a group is added.
        TypeError: a group names a hyperparameter the rule does not have.

    >>> import torch
    >>> class Descent(Facade):
    ...     rule = pure.SGD
    >>> weight = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = Descent([weight], {"lr": 0.5})
    >>> weight.sum().backward()
    >>> optimizer.step()
    >>> weight.item()
    0.5
    """

    rule: ClassVar[type[pure.Rule]]
    # what the torch class of the same name keeps in a group beside the rule's own fields
    extras: ClassVar[dict[str, object]] = {"foreach": None, "capturable": False, "differentiable": False}

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        known = {field.name: field.default for field in fields(self.rule)}
        super().__init__(cast(Any, params), {**known, **self.extras, **defaults})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        allowed = {"params", "param_names", "name", "initial_lr", *self.defaults}
        unknown = sorted(key for key in param_group if key not in allowed)
        if unknown:
            raise TypeError(
                f"{type(self).__name__}: a parameter group has no {unknown[0]!r}; "
                f"it has {', '.join(field.name for field in fields(self.rule))}"
            )
        super().add_param_group(param_group)
        self.rule_of(self.param_groups[-1])  # refuses values out of range

    def rule_of(self, group: dict[str, Any]) -> pure.Rule:
        """The rule with this group's present hyperparameters."""
        return self.rule(**{field.name: group[field.name] for field in fields(self.rule)})

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...
    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Move every parameter that has a gradient; ``closure`` computes the loss again and returns it."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            rule = self.rule_of(group)
            params = [param for param in group["params"] if param.grad is not None]
            for param in params:
                if not self.state[param]:
                    self.state[param].update(rule.init_one(param))
            rule.step(
                [param.grad for param in params],
                [self.state[param] for param in params],
                params,
                donate=True,
            )
        return loss


class AdamW(Facade):
    """:class:`typedtorch.optim.pure.AdamW` as an optimizer; the arguments are its fields.

    >>> import torch
    >>> model = torch.nn.Linear(3, 2)
    >>> optimizer = AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    >>> model(torch.ones(1, 3)).sum().backward()
    >>> optimizer.step()
    >>> sorted(optimizer.state_dict()["state"][0])
    ['exp_avg', 'exp_avg_sq', 'step']
    """

    rule = pure.AdamW
    extras: ClassVar[dict[str, object]] = {
        **Facade.extras,
        "fused": None,
        "decoupled_weight_decay": True,
    }

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )


class SGD(Facade):
    """:class:`typedtorch.optim.pure.SGD` as an optimizer; the arguments are its fields.

    >>> import torch
    >>> optimizer = SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1, momentum=0.9)
    >>> optimizer.param_groups[0]["momentum"]
    0.9
    """

    rule = pure.SGD
    extras: ClassVar[dict[str, object]] = {"foreach": None, "differentiable": False, "fused": None}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )
