"""``parser.parse_args()``: the whole numbers among the options of a script, by their names."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.classes.given_sizes import passed
from typedtorch.shapes.infer.classes.passed import Passed

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.program import Module

_SAYS_MORE = {"nargs", "action", "dest"}  # a list, a count, or another name


def parsed(module: Module, node: ast.Call) -> Passed | None:
    """What a parser gives whose options this module adds; None for any other call."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "parse_args":
        return None
    numbers = _numbers(module)
    return passed("args", numbers) if numbers else None


@lru_cache(maxsize=64)
def _numbers(module: Module) -> frozenset[str]:
    """Options that are certainly integers, and of which nothing assigns another."""
    if "argparse" not in module.bindings and "ArgumentParser" not in module.bindings:
        return frozenset()
    found: dict[str, bool] = {}
    for node in module.syntax.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=[*flags], keywords=keywords):
                names = [f.value for f in flags if isinstance(f, ast.Constant) and isinstance(f.value, str)]
                long = next((n for n in names if n.startswith("--")), None)
                if long is not None:
                    name = long.removeprefix("--").replace("-", "_")
                    found[name] = name not in found and _is_number({k.arg: k.value for k in keywords})
    return frozenset(name for name, number in found.items() if number) - module.facts(module.tree).given


def _is_number(settings: dict[str | None, ast.expr]) -> bool:
    kind, default = settings.get("type"), settings.get("default")
    whole = isinstance(default, ast.Constant) and type(default.value) is int and default.value > 0
    return isinstance(kind, ast.Name) and kind.id == "int" and whole and _SAYS_MORE.isdisjoint(settings)
