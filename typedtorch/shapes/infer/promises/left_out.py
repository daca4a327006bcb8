"""A call that leaves out what it may: ``mask: Tensor | None = None`` is None, ``causal=False`` is False.

What a body makes with and without an optional argument meets after the branch, and where one of the two
is unknown so is what comes after.  A signature promises that the shortest call works, so a body in which
nothing else is wrong is evaluated for that one too.  Sizes that have a default stay what any caller says.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.binding import Parameter
    from typedtorch.shapes.infer.calls.signatures import Signature


def shortest(signature: Signature) -> tuple[Signature, str] | None:
    """The signature of the shortest call, and what it leaves out; None where that says nothing more."""
    parameters, said = [], []
    shaped = [p for p in signature.parameters if specs.shaped(p.spec)]
    for parameter in signature.parameters:
        left_out = _left_out(parameter) if _says_nothing(parameter, shaped) else None
        parameters.append(parameter if left_out is None else replace(parameter, spec=left_out))
        if left_out is not None and parameter.default is not None:
            said.append(f"{parameter.name} is {ast.unparse(parameter.default)}")
    if sum(isinstance(p.spec, specs.NoneSpec) for p in parameters) > 1:
        return None  # ``size=None, scale=None``: one of them may have to be given
    if not said or not any(specs.shaped(p.spec) for p in parameters):
        return None
    return replace(signature, parameters=parameters), " and ".join(said[:2])


def _says_nothing(parameter: Parameter, shaped: list[Parameter]) -> bool:
    """Whether no axes are meant to be one, or not, where a parameter is left out.

    ``context: "b m d" | None`` may be why ``m`` is not ``n``, and so may a flag beside two tensors.
    """
    if parameter not in shaped:
        return len(shaped) == 1
    own = specs.axis_names(parameter.spec)
    return any(own <= specs.axis_names(p.spec) for p in shaped if p is not parameter and p.default is None)


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
