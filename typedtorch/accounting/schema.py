"""Arguments of an operator call by the names its schema gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def argument_of(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], name: str) -> Any:
    """The value of an argument, its default where the call left it out.

    Raises:
        KeyError: the operator has no such argument.

    >>> import torch
    >>> argument_of(torch.ops.aten.softmax.int, (None, -1), {}, "dim")
    -1
    """
    if name in kwargs:
        return kwargs[name]
    for position, parameter in enumerate(func._schema.arguments):
        if parameter.name == name:
            return args[position] if position < len(args) else parameter.default_value
    raise KeyError(f"{func} has no argument {name!r}")
