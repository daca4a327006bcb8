"""The rules as real ``torch.optim.Optimizer`` objects: param groups, hooks, state dicts.

A group's hyperparameters are the rule's fields; a step hands each group's tensors to the rule with
``donate=True``. So it costs what torch's fused kernels cost, and is what ``torch.optim`` does with
``fused=True``, bit for bit; torch's for-loop, which the pure rules are bit for bit, up to rounding.
The state dict has torch's names and torch's extra keys: it loads into the ``torch.optim`` class of the
same name, and the other way round.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, ClassVar, TypeAlias, cast, overload

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch.optim import Optimizer

from typedtorch.optim import pure
from typedtorch.optim.pure.layout import laid_out_like

Params: TypeAlias = Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]]


class Facade(Optimizer):
    """An optimizer made of a rule: subclass it, name the rule, and pass its fields as defaults.

    Raises:
        ValueError: a hyperparameter out of range, at construction or when a group is added.
        TypeError: a misspelt hyperparameter in a group.

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

    _names: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._names = tuple(field.name for field in fields(cls.rule) if field.init)

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        if defaults.get("foreach") and defaults.get("fused"):
            raise ValueError(f"{type(self).__name__}: foreach and fused cannot both be True")
        known = {field.name: field.default for field in fields(self.rule)}
        super().__init__(cast(Any, params), {**known, **self.extras, **defaults})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group; options it does not name are the optimizer's.  Keys of your own are kept."""
        for key in param_group.keys() - _KEYS - self.defaults.keys():
            meant = get_close_matches(key, self.defaults, n=1)
            if meant:
                raise TypeError(
                    f"{type(self).__name__}: a parameter group has no {key!r}; did you mean {meant[0]!r}?"
                )
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        rule = self.rule_of(group)  # refuses values out of range
        for param in group["params"]:
            rule.init_one(_like(param))  # and parameters it has no state for

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state dict of this class, or of the ``torch.optim`` class of the same name.

        Raises:
            ValueError: groups or states do not fit the parameters, naming each; nothing is changed.
        """
        problems = list(_misfits(self, state_dict))
        if problems:
            raise ValueError(
                f"{type(self).__name__}: the state dict does not fit\n  " + "\n  ".join(problems)
            )
        super().load_state_dict(state_dict)
        lay_out(self.state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # written by a torch without a later option, say
            for name, value in self.defaults.items():
                group.setdefault(name, value)
        for kept in self.state.values():  # written by a torch that counted steps in plain numbers
            kept.update({n: torch.tensor(float(v)) for n, v in kept.items() if isinstance(v, int | float)})

    def rule_of(self, group: dict[str, Any]) -> pure.Rule:
        """The rule with this group's present hyperparameters."""
        return self.rule(**{name: group[name] for name in self._names})

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
            states = [self.state.get(param) or rule.init_one(param) for param in params]
            _, states = rule.step([param.grad for param in params], states, params, donate=True)
            for param, state in zip(params, states, strict=True):
                if state:  # plain SGD keeps nothing
                    self.state[param] = state
        return loss


_KEYS = {"params", "param_names", "name", "initial_lr"}


def _like(param: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    return torch.empty(param.shape, dtype=param.dtype, device="meta")


def lay_out(state: Mapping[Tensor, MutableMapping[str, Any]]) -> None:
    """Give what is kept for a parameter, and has its shape, its strides, as it has after a step.

    Files keep no strides; where they differ some kernels round otherwise, and torch's fused ones go wrong.
    """
    for param, kept in state.items():
        for name, value in kept.items():
            if type(value) is Tensor and type(param) in _PLAIN and value.shape == param.shape:
                kept[name] = laid_out_like(value, param)


_PLAIN = (Tensor, torch.nn.Parameter)  # of a divided one each process lays out its part


def _misfits(optimizer: Facade, state_dict: dict[str, Any]) -> Iterator[str]:
    """Every state that is not what the rule keeps for its parameter (torch itself looks at none)."""
    groups = state_dict["param_groups"]
    ours, theirs = ([len(g["params"]) for g in found] for found in (optimizer.param_groups, groups))
    if ours != theirs:
        yield f"groups of {theirs} parameters, wanted {ours}"
        return
    for group, own in zip(groups, optimizer.param_groups, strict=True):
        rule = optimizer.rule_of({**optimizer.defaults, **group})
        for key, param in zip(group["params"], own["params"], strict=True):
            state = state_dict["state"].get(key)
            if state:
                yield from (f"parameter {key}: {text}" for text in state_misfits(rule, state, param))


def state_misfits(
    rule: pure.Rule, state: Mapping[str, Any], param: Shaped[Tensor, "*shape"]
) -> Iterator[str]:
    """What keeps a saved state from being what ``rule`` keeps for ``param``, one line each."""
    wanted = {name: tuple(value.shape) for name, value in rule.init_one(_like(param)).items()}
    for name, shape in wanted.items():
        if name not in state:
            yield f"{name} is missing"
        elif not isinstance(state[name], Tensor):
            # an older torch counted the steps in plain numbers
            if shape or not isinstance(state[name], int | float):
                yield f"{name} is {state[name]!r:.80}, wanted a tensor"
        elif tuple(state[name].shape) != shape:
            yield f"{name} is {tuple(state[name].shape)}, wanted {shape}"
    for name in state.keys() - wanted.keys():
        value = state[name]  # what a rule adds in its first step is as large as the parameter
        if isinstance(value, Tensor) and value.ndim and value.shape != param.shape:
            yield f"{name} is {tuple(value.shape)}, wanted {tuple(param.shape)}"
