"""What an operator's operands cannot be."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import lru_cache

from typedtorch.shapes.infer.values.values import Choice, Value, choice
from typedtorch.shapes.rule import Function

# parameters of torch's functions that never take None, where they have no default
_OPERANDS = frozenset({"input", "self", "other"})


def present(
    function: Function, values: tuple[Value, ...], keywords: Mapping[str, Value], node: ast.AST
) -> tuple[tuple[Value, ...], Mapping[str, Value]]:
    """The arguments of an operator that goes on: an Optional among its operands was not None.

    ``x == y`` may be False where one of them is None.
    """
    if isinstance(node, ast.Compare):
        return values, keywords
    if not any(isinstance(v, Choice) for v in (*values, *keywords.values())):
        return values, keywords
    names = _required(function)
    given = [_not_none(v) if i < len(names) and names[i] in _OPERANDS else v for i, v in enumerate(values)]
    return tuple(given), {k: _not_none(v) if k in _OPERANDS & {*names} else v for k, v in keywords.items()}


@lru_cache(maxsize=4096)
def _required(function: Function) -> tuple[str, ...]:
    """Names of the leading parameters, "" for one with a default."""
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            break
        found.append(parameter.name if parameter.default is parameter.empty else "")
    return tuple(found)


def _not_none(value: Value) -> Value:
    if not isinstance(value, Choice):
        return value
    options = [option for option in value.options if option is not None]
    return choice(options) if options else value


__all__ = ["present"]
