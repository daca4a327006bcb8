"""Put a saved state into a model and an optimizer: everything is compared before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxtyping import Shaped
from torch import Tensor, nn
from torch.optim import Optimizer

_WRAPPERS = ("_orig_mod.", "module.", "_fsdp_wrapped_module.")


def plain_name(name: str) -> str:
    """A parameter's name without what ``torch.compile`` and data-parallel wrappers put into it.

    >>> plain_name("module._orig_mod.blocks.0.weight")
    'blocks.0.weight'
    """
    parts = name.split(".")
    kept = [part for part in parts if f"{part}." not in _WRAPPERS or part == parts[-1]]
    return ".".join(kept)


def plain_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A module's state dict under plain names."""
    return {plain_name(name): value for name, value in state.items()}


def model_problems(saved: Mapping[str, Any], model: nn.Module) -> list[str]:
    """Every key, shape and dtype in which a saved state differs from the model, one line each."""
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
    names = {plain_name(name): name for name in model.state_dict()}
    model.load_state_dict({names[name]: value for name, value in plain_state(saved).items()})


def optimizer_problems(saved: Mapping[str, Any], optimizer: Optimizer) -> list[str]:
    """What keeps a saved optimizer state from being this optimizer's.

    torch's own ``load_state_dict`` compares the number of parameters and no shape.
    """
    groups, here = saved.get("param_groups"), optimizer.param_groups
    state = saved.get("state")
    if not isinstance(groups, list) or not isinstance(state, Mapping):
        return ["optimizer: expected param_groups and state"]
    sizes, wanted = [len(g["params"]) for g in groups], [len(g["params"]) for g in here]
    if sizes != wanted:
        return [f"optimizer: expected groups of {wanted} parameters, found {sizes}"]
    pairs = {
        index: param
        for group, mine in zip(groups, here, strict=True)
        for index, param in zip(group["params"], mine["params"], strict=True)
    }
    problems = [f"optimizer: state for unknown parameter {index}" for index in state if index not in pairs]
    for index, param in pairs.items():
        for name, value in state.get(index, {}).items():
            if isinstance(value, Tensor) and not _fits(value, param):
                problems.append(
                    f"optimizer: {name} of parameter {index}: expected a shape that fits "
                    f"{_shape(param)}, found {_shape(value)}"
                )
    return problems + _hyper_problems(groups, here)


def _fits(value: Shaped[Tensor, "*kept"], param: Shaped[Tensor, "*shape"]) -> bool:
    """The parameter's own shape, a scalar, or a factor of it (rows or columns alone, as Adafactor keeps)."""
    if value.numel() == 1 or value.shape == param.shape:
        return True
    reduced = [tuple(n for j, n in enumerate(param.shape) if j != i) for i in range(param.ndim)]
    kept = [tuple(1 if j == i else n for j, n in enumerate(param.shape)) for i in range(param.ndim)]
    return param.ndim > 1 and tuple(value.shape) in [*reduced, *kept]


def _hyper_problems(groups: list[dict[str, Any]], here: list[dict[str, Any]]) -> list[str]:
    """Another kind of optimizer has other hyperparameters in its groups."""
    required = {"momentum", "betas", "alpha", "rho", "lambd", "lr_decay"}
    problems = []
    for i, (group, mine) in enumerate(zip(groups, here, strict=True)):
        found, wanted = required & set(group), required & set(mine)
        if found != wanted:
            problems.append(
                f"optimizer: group {i}: expected hyperparameters {sorted(wanted)}, found {sorted(found)}"
            )
    return problems
