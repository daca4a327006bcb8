"""A call that leaves out what it may: ``mask: Tensor | None = None`` is None, ``causal=False`` is False.

What a body makes with and without an optional argument meets after the branch, and where one of the two
is unknown so is what comes after.  A signature promises that the shortest call works, so a body in which
nothing else is wrong is evaluated for that one too.  Sizes that have a default stay what any caller says.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer import specs

if TYPE_CHECKING:
    from typedtorch.shapes.infer.binding import Parameter
    from typedtorch.shapes.infer.signatures import Signature


def shortest(signature: Signature) -> tuple[Signature, str] | None:
    """The signature of the shortest call, and what it leaves out; None where that says nothing more."""
    parameters, said = [], []
    for parameter in signature.parameters:
        left_out = _left_out(parameter)
        parameters.append(parameter if left_out is None else replace(parameter, spec=left_out))
        if left_out is not None and parameter.default is not None:
            said.append(f"{parameter.name} is {ast.unparse(parameter.default)}")
    if sum(isinstance(p.spec, specs.NoneSpec) for p in parameters) > 1:
        return None  # ``size=None, scale=None``: one of them may have to be given
    if not said or not any(specs.shaped(p.spec) for p in parameters):
        return None
    return replace(signature, parameters=parameters), " and ".join(said[:2])


def _left_out(parameter: Parameter) -> specs.Spec | None:
    match parameter.default:
        case ast.Constant(value=None):
            return specs.NoneSpec()
        case ast.Constant(value=bool() | str() as value):
            return specs.LiteralSpec((value,))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return specs.LiteralSpec((-value,))
    return None


__all__ = ["shortest"]
