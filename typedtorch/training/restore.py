"""Put a saved state into a model and an optimizer: everything is compared before anything is changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from jaxtyping import Shaped
from torch import Tensor, nn
from torch.optim import Optimizer

from typedtorch.optim import Facade, pure
from typedtorch.optim.facade import state_misfits
from typedtorch.training.form import is_count, unlike

_OWN = "module"  # what a model may call a part of its own, too
_WRAPPERS = {"_orig_mod", "_fsdp_wrapped_module", _OWN}


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Each name of one model without what ``torch.compile`` and data-parallel wrappers put into it.

    Where two would become one, as a model's own part may be called ``module``, only what all of them begin
    with is left out.

    >>> plain_names(["module._orig_mod.blocks.0.weight", "module.bias"])
    {'module._orig_mod.blocks.0.weight': 'blocks.0.weight', 'module.bias': 'bias'}
    >>> plain_names(["module.fc.weight", "fc.weight"])
    {'module.fc.weight': 'module.fc.weight', 'fc.weight': 'fc.weight'}
    """
    found = {name: _without(name, _WRAPPERS) for name in names}
    if len(set(found.values())) == len(found):
        return found
    unnamed = [_without(name, _WRAPPERS - {_OWN}) for name in found]
    while all(name.startswith(f"{_OWN}.") for name in unnamed):
        unnamed = [name.removeprefix(f"{_OWN}.") for name in unnamed]
    return dict(zip(found, unnamed, strict=True))


def _without(name: str, wrappers: Collection[str]) -> str:
    """A name without the parts that wrappers put before others."""
    *parts, last = name.split(".")
    return ".".join([*(part for part in parts if part not in wrappers), last])


def named_plainly(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """The model's parameters, each once, under plain names."""
    params = dict(model.named_parameters())
    names = plain_names(params)
    return [(names[name], param) for name, param in params.items()]


def plain_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A module's state dict under plain names."""
    names = plain_names(state)
    return {names[name]: value for name, value in state.items()}


def model_problems(saved: object, model: nn.Module) -> list[str]:
    """Every key, shape and dtype in which a saved state differs from the model, one line each."""
    if not isinstance(saved, Mapping) or not all(isinstance(name, str) for name in saved):
        return [f"model: expected names and tensors, found a {type(saved).__name__}"]
    found, wanted = plain_state(saved), plain_state(model.state_dict())
    problems = [f"missing: {name}" for name in wanted if name not in found]
    problems += [f"unexpected: {name}" for name in found if name not in wanted]
    for name in wanted:
        if name in found and isinstance(wanted[name], Tensor):
            problems += _tensor_problems(name, found[name], wanted[name])
    return problems


def _tensor_problems(name: str, found: object, wanted: Shaped[Tensor, "*shape"]) -> list[str]:
    if not isinstance(found, Tensor):
        return [f"{name}: expected a tensor, found {type(found).__name__}"]
    if found.shape != wanted.shape:
        return [f"{name}: expected shape {_shape(wanted)}, found {_shape(found)}"]
    if found.dtype != wanted.dtype:
        return [f"{name}: expected {wanted.dtype}, found {found.dtype}"]
    return []


def _shape(tensor: Shaped[Tensor, "*shape"]) -> str:
    return "(" + ", ".join(map(str, tensor.shape)) + ")"


def load_model(saved: Mapping[str, Any], model: nn.Module) -> None:
    """Copy a state that has no :func:`model_problems` into the model."""
    names = {plain: name for name, plain in plain_names(model.state_dict()).items()}
    model.load_state_dict({names[name]: value for name, value in plain_state(saved).items()})


def form_problems(saved: object, optimizer: Optimizer) -> list[str]:
    """What keeps a saved value from being the state of an optimizer with these groups."""
    groups, state = (saved.get("param_groups"), saved.get("state")) if isinstance(saved, Mapping) else (0, 0)
    if not isinstance(groups, list | tuple) or not isinstance(state, Mapping):
        return ["optimizer: expected param_groups and state"]
    here = optimizer.param_groups
    numbers = [group.get("params") if isinstance(group, Mapping) else None for group in groups]
    wanted = [len(group["params"]) for group in here]
    if not all(isinstance(each, list | tuple) and all(map(is_count, each)) for each in numbers):
        return ["optimizer: expected groups that number their parameters"]
    if (sizes := [len(each or ()) for each in numbers]) != wanted:
        return [f"optimizer: expected groups of {wanted} parameters, found {sizes}"]
    return []


def optimizer_problems(saved: Mapping[str, Any], optimizer: Optimizer) -> list[str]:
    """What keeps a saved optimizer state that has no :func:`form_problems` from being this optimizer's.

    torch's own ``load_state_dict`` compares the number of parameters and no shape.
    """
    groups, state, here = saved["param_groups"], saved["state"], optimizer.param_groups
    if problems := _hyper_problems(optimizer, groups, here):
        return problems
    pairs = {
        index: (param, group, mine)
        for group, mine in zip(groups, here, strict=True)
        for index, param in zip(group["params"], mine["params"], strict=True)
    }
    problems = [f"optimizer: state for unknown parameter {index}" for index in state if index not in pairs]
    for index, (param, group, mine) in pairs.items():
        found = state.get(index, {})
        lines = _state_problems(optimizer, found, param, {**mine, **group}, f"parameter {index}")
        problems += [f"optimizer: {line}" for line in lines]
    return problems


def _state_problems(
    optimizer: Optimizer, found: object, param: Shaped[Tensor, "*shape"], group: Mapping[str, Any], who: str
) -> list[str]:
    """What is wrong with the state of one parameter."""
    if not isinstance(found, Mapping):
        return [f"the state of {who}: expected names and values, found a {type(found).__name__}"]
    lines = [
        f"{name} of {who}: expected a shape that fits {_shape(param)}, found {_shape(value)}"
        for name, value in found.items()
        if isinstance(value, Tensor) and not _fits(value, param)
    ]
    rule = rule_like(optimizer, group)
    if lines or not found or rule is None:
        return lines
    return [f"{who}: {line}" for line in state_misfits(rule, found, param)]


def rule_like(optimizer: Optimizer, group: Mapping[str, Any]) -> pure.Rule | None:
    """The rule an optimizer of ours, or torch's of the same name, steps a group by; None for any other."""
    kind = type(getattr(optimizer, "optim", optimizer))  # ZeRO keeps its share inside
    rule = getattr(pure, kind.__name__, None)
    if rule is None or not (issubclass(kind, Facade) or kind.__module__.startswith("torch.optim.")):
        return None
    names = [field.name for field in fields(rule) if field.init and field.name in group]
    made: pure.Rule = rule(**{name: group[name] for name in names})
    return made


def _fits(value: Shaped[Tensor, "*kept"], param: Shaped[Tensor, "*shape"]) -> bool:
    """The parameter's own shape, a scalar, or a factor of it (rows or columns alone, as Adafactor keeps)."""
    if value.numel() == 1 or value.shape == param.shape:
        return True
    reduced = [tuple(n for j, n in enumerate(param.shape) if j != i) for i in range(param.ndim)]
    kept = [tuple(1 if j == i else n for j, n in enumerate(param.shape)) for i in range(param.ndim)]
    return param.ndim > 1 and tuple(value.shape) in [*reduced, *kept]


# how to compute, not what: chosen by the machine, or left open
_CHOICES = ("foreach", "fused", "capturable", "differentiable")
_KINDS = {"momentum", "betas", "alpha", "rho", "lambd", "lr_decay"}
_ALWAYS = {"lr", "eps", "weight_decay"}  # what no version of torch has left out


def _hyper_problems(
    optimizer: Optimizer, groups: Sequence[Mapping[str, Any]], here: list[dict[str, Any]]
) -> list[str]:
    """Another kind of optimizer has other hyperparameters in its groups; a forged one has other values."""
    problems = []
    for i, (group, mine) in enumerate(zip(groups, here, strict=True)):
        found, wanted = _KINDS & set(group), _KINDS & set(mine)
        if found != wanted:
            problems.append(
                f"optimizer: group {i}: expected hyperparameters {sorted(wanted)}, found {sorted(found)}"
            )
            continue
        lines = [f"{name}: missing" for name in sorted(_ALWAYS & set(mine) - set(group))]
        # keys of the user's own may be anything
        own = {k: mine[k] for k in optimizer.defaults if k in mine and k in group and k not in _CHOICES}
        lines += [line.removeprefix(" ") for line in unlike(group, own, "")]
        lines = lines or _out_of_range(optimizer, {**mine, **group})
        problems += [f"optimizer: group {i} {line}" for line in lines]
    return problems


def with_own_choices(
    saved: Mapping[str, Any], optimizer: Optimizer, keep: Collection[str] = ()
) -> dict[str, Any]:
    """The saved state, to be computed with as this optimizer computes, not as the one that wrote it.

    torch loads its ``fused`` and the like with the rest, and then looks for kernels the machine may not have;
    and it forgets what the saved groups do not have. The values of ``keep`` are this optimizer's as well.
    """
    own = {*_CHOICES, *keep}
    groups = [
        {
            **{k: v for k, v in mine.items() if k != "params"},
            **{k: v for k, v in group.items() if k not in own},
        }
        for group, mine in zip(saved["param_groups"], optimizer.param_groups, strict=True)
    ]
    return {**saved, "param_groups": groups}


def check_names(optimizer: Optimizer, names: Collection[str]) -> None:
    """Raise ValueError where the optimizer has no hyperparameter of a name."""
    known = {name for group in optimizer.param_groups for name in group if name != "params"}
    if unknown := sorted({*names} - known):
        raise ValueError(f"keep: expected names out of {', '.join(sorted(known))}, got {', '.join(unknown)}")


def hyperparameters(optimizer: Optimizer, without: Collection[str] = ()) -> list[dict[str, Any]]:
    """What each group computes with, but for ``without`` and for how it computes.

    >>> import torch
    >>> made = torch.optim.Rprop([nn.Parameter(torch.ones(1))], lr=0.5)
    >>> hyperparameters(made, without=["step_sizes"])
    [{'lr': 0.5, 'etas': (0.5, 1.2), 'maximize': False}]
    """
    names = [name for name in optimizer.defaults if name not in (*_CHOICES, *without)]
    return [
        {name: _plain(group[name]) for name in names if name in group} for group in optimizer.param_groups
    ]


def replaced(
    before: Sequence[Mapping[str, Any]], saved: Mapping[str, Any], after: Sequence[Mapping[str, Any]]
) -> list[str]:
    """What a saved state has made of :func:`hyperparameters`, and where they are not as it says, in words."""
    lines = []
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        said = saved["param_groups"][i]
        for name, value in new.items():
            found = _plain(said.get(name, value))
            if old[name] != value:
                lines.append(f"optimizer: group {i} {name}: {old[name]!r} -> {value!r}, as saved")
            elif found != value:
                lines.append(f"optimizer: group {i} {name}: {value!r}, saved with {found!r}")
    return lines


def _plain(value: Any) -> Any:
    """A value that can be compared and shown: betas are a tuple, however a file keeps them."""
    if isinstance(value, Tensor):
        return value.tolist()
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _out_of_range(optimizer: Optimizer, group: Mapping[str, Any]) -> list[str]:
    """What an optimizer of ours would refuse to be made with."""
    try:
        rule_like(optimizer, group)
    except (ValueError, TypeError) as error:
        return [str(error)]
    return []
