"""Which parameter a number in a saved optimizer state means: by its name, so that its moments follow it.

An optimizer's state dict numbers its parameters in the order in which they were given, which is that in which
the modules were registered. Weights go by name; where that order has changed, the numbers have to follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from typedtorch.training.restore import form_problems, named_plainly, optimizer_problems, plain_names

KEY = "parameters"
"""The item of a state that holds the names; older checkpoints have none."""


def parameter_names(model: nn.Module, optimizer: Optimizer) -> list[str]:
    """The plain name of each parameter, by its number; empty for one that is not the model's.

    >>> import torch
    >>> layer = nn.Linear(2, 1)
    >>> parameter_names(layer, torch.optim.SGD([layer.bias, layer.weight], lr=0.1))
    ['bias', 'weight']
    """
    names = {param: name for name, param in named_plainly(model)}
    return [names.get(param, "") for group in optimizer.param_groups for param in group["params"]]


def problems(saved: Any, names: object, model: nn.Module, optimizer: Optimizer) -> list[str]:
    """What keeps a saved optimizer state from being this optimizer's, one line each.

    Args:
        saved: its state dict.
        names: what :func:`parameter_names` was when it was saved; None where nobody knows.
    """
    if found := form_problems(saved, optimizer):
        return found
    known = _known(saved, names)
    if known is not None and (found := _name_problems(saved, known, model, optimizer)):
        return found
    numbers = numbers_here(saved, names, model, optimizer)
    return optimizer_problems(renumbered(saved, numbers), optimizer)


def renumbered(saved: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """A saved state with the numbers that its parameters have here, as :func:`numbers_here` knows them."""
    groups = [_in_order(group, numbers) for group in saved["param_groups"]]
    state = {numbers.get(number, number): kept for number, kept in saved["state"].items()}
    return {**saved, "param_groups": groups, "state": state}


def numbers_here(
    saved: Mapping[str, Any], names: object, model: nn.Module, optimizer: Optimizer
) -> dict[int, int]:
    """For each number in a saved state the one that its parameter has here."""
    known, here = _known(saved, names) or (), _numbers(model, optimizer)
    numbers = {number: here[name] for number, name in enumerate(known) if name in here}
    found: dict[int, int] = {}
    for group, own in zip(saved["param_groups"], _by_group(optimizer), strict=True):
        taken = {numbers.get(number) for number in group["params"]}
        left = iter([number for number in own if number not in taken])  # without a name the order counts
        found |= {number: numbers[number] if number in numbers else next(left) for number in group["params"]}
    return found


def _in_order(group: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """A group whose parameters, and their names where it has them, come in the order of the new numbers."""
    moved = [numbers[number] for number in group["params"]]
    order = sorted(range(len(moved)), key=moved.__getitem__)
    names: Any = group.get("param_names")
    fits = isinstance(names, list) and len(names) == len(moved)
    return {
        **group,
        "params": [moved[i] for i in order],
        **({"param_names": [names[i] for i in order]} if fits else {}),
    }


def _known(saved: Mapping[str, Any], names: object) -> Sequence[str] | None:
    """The names by number: those that were saved, or those that every group has of its own."""
    if names is None:
        each: list[Any] = [group.get("param_names") for group in saved["param_groups"]]
        if not all(isinstance(own, list) for own in each):
            return None
        own = [name for name in chain.from_iterable(each) if isinstance(name, str)]
        plain = plain_names(own)
        names = [plain[name] for name in own]
    total = sum(len(group["params"]) for group in saved["param_groups"])
    if not isinstance(names, list) or len(names) != total or not all(isinstance(n, str) for n in names):
        return ()
    return names


def _name_problems(
    saved: Mapping[str, Any], names: Sequence[str], model: nn.Module, optimizer: Optimizer
) -> list[str]:
    """Every parameter that is not in the group here that it was in."""
    numbers = sorted(number for group in saved["param_groups"] for number in group["params"])
    if numbers != list(range(len(names))) or len(set(filter(None, names))) != sum(map(bool, names)):
        return ["optimizer: expected one name for each parameter"]
    here, places = _numbers(model, optimizer), _by_group(optimizer)
    was = {names[number]: i for i, group in enumerate(saved["param_groups"]) for number in group["params"]}
    found = {
        name: next(i for i, own in enumerate(places) if here[name] in own) for name in was if name in here
    }
    lines = [f"optimizer: {name}: not among its parameters" for name in was if name and name not in here]
    return lines + [
        f"optimizer: {name}: expected in group {group}, found in group {was[name]}"
        for name, group in found.items()
        if group != was[name]
    ]


def _numbers(model: nn.Module, optimizer: Optimizer) -> dict[str, int]:
    """The number of each parameter here, under every name that it has in the model."""
    order: list[Tensor] = [param for group in optimizer.param_groups for param in group["params"]]
    numbers = {param: number for number, param in enumerate(order)}
    named = dict(model.named_parameters(remove_duplicate=False))
    plain = plain_names(named)
    return {plain[name]: numbers[param] for name, param in named.items() if param in numbers}


def _by_group(optimizer: Optimizer) -> list[range]:
    """The numbers of each group's parameters."""
    ends = [0]
    for group in optimizer.param_groups:
        ends.append(ends[-1] + len(group["params"]))
    return [range(begin, end) for begin, end in pairwise(ends)]
