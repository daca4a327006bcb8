"""None, or a tensor that does not fit, where a promise is ``X | None``: None is no excuse for the tensor.

``mask = torch.ones(t, t) if n > 1 else None`` for ``mask: Bool[Tensor, "t t"] | None`` is wrong where n is 2.
That counts where the function itself has made the choice, and nothing since may have unmade it: a helper,
a constructor or a test that raises may know which of the two it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from typedtorch.shapes.infer.annotations.problems import Problem
from typedtorch.shapes.infer.conditions.places import look
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import Choice, Tensor, Value, choice
from typedtorch.shapes.syntax import walk


def where_given(
    frame: Frame, node: ast.expr | None, value: Choice, again: Callable[[Value], list[Problem]]
) -> list[Problem]:
    """What is wrong with a value that fits only where it is None.

    No more than what no size explains: how many axes there are, and the dtype.
    """
    if node is None or None not in value.options or value.proves or frame.is_qualified():
        return []
    found = again(choice([option for option in value.options if option is not None]))
    return found if found and found[0].kind in ("dtype", "rank") and _is_chosen_here(frame, node) else []


def _is_chosen_here(frame: Frame, node: ast.expr) -> bool:
    """Whether an expression is a choice between None and tensors made here, or a variable that holds one."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.IfExp) and _nones(frame, [node]) == 1
    if frame.function is None or isinstance(frame.function.node, ast.Lambda):
        return False
    definition = frame.function.node
    named = [n for n in walk(definition) if isinstance(n, ast.Name) and n.id == node.id]
    stored = [n for n in named if not isinstance(n.ctx, ast.Load)]
    made = {s.targets[0]: s.value for s in walk(definition) if isinstance(s, ast.Assign)}
    if not all(n in made for n in stored):
        return False
    passed = any(isinstance(a, ast.arg) and a.arg == node.id for a in walk(definition.args))
    first = min([n.lineno for n in stored], default=0) if not passed else 0
    between = [n for n in walk(definition) if isinstance(n, _UNMAKING) and first <= n.lineno <= node.lineno]
    nones = _nones(frame, [made[n] for n in stored])
    return not between and nones is not None and nones + passed == 1


_UNMAKING = (ast.Assert, ast.Raise, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)


def _nones(frame: Frame, made: list[ast.expr]) -> int | None:
    """How many of some expressions are None, where all others are tensors; None where they are not."""
    parts = [part for expression in made for part in _arms(expression)]
    nones = [part for part in parts if isinstance(part, ast.Constant) and part.value is None]
    others = [look(frame, part) for part in parts if part not in nones]
    return len(nones) if all(isinstance(value, Tensor) for value in others) else None


def _arms(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _arms(node.body)
        yield from _arms(node.orelse)
    else:
        yield node


__all__ = ["where_given"]
