"""``torch.autograd.Function``: what forward gives, and whether backward fits what forward was given."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, ClassV, DictV, FunctionV, Tensor, Value
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import Pack, same_entry, show

_KEPT = "context of a function"  # the name under which what forward keeps is followed: no program's


def apply(frame: Frame, function: ClassV, args: Args, node: ast.AST) -> Value:
    """``F.apply(x)`` is ``F.forward(ctx, x)``, or ``F.forward(x)`` with a ``setup_context``."""
    forward = _method(frame, function, "forward")
    if forward is None:
        return UNKNOWN
    context = DictV({"needs_input_grad": _needed(args)}, None, "namespace")
    if function.info.find("setup_context") is not None:
        output = _call(frame, forward, args, node)
        keeping, inputs = _method(frame, function, "setup_context"), tuple(args.values)
        if keeping is None or args.open or args.keywords:
            return output
        frame.state.variables[_KEPT] = context
        _call(frame, keeping, Args([context, inputs, output], [None] * 3), node)
    else:
        frame.state.variables[_KEPT] = context
        inner = replace(args, values=[context, *args.values], nodes=[None, *args.nodes])
        output = _call(frame, forward, inner, node)
    kept = frame.state.variables.pop(_KEPT)
    backward = _method(frame, function, "backward")
    if isinstance(kept, DictV) and "saved_tensors" in kept.items and backward is not None and not args.open:
        _check_backward(frame, backward, kept, output, args, node)
    return output


def _needed(args: Args) -> Value:
    """Which arguments need a gradient: each tensor that can have one may."""
    if args.open:
        return UNKNOWN
    return tuple(
        True if isinstance(v, Tensor) and not v.dtype & ~dtypes.FLOATING else UNKNOWN for v in args.values
    )


def save_for_backward(frame: Frame, context: DictV, args: Args) -> None:
    """``ctx.save_for_backward(x, w)``."""
    saved = UNKNOWN if args.open else tuple(args.values)
    frame.state.replace_value(context, replace(context, items={**context.items, "saved_tensors": saved}))


def _check_backward(
    frame: Frame, backward: FunctionV, context: DictV, output: Value, args: Args, node: ast.AST
) -> None:
    """Gradients are one for each argument of forward, and can be summed to its shape."""
    outputs = output if isinstance(output, tuple) else (output,)
    if not all(isinstance(o, Tensor) and o.is_known for o in outputs) or _is_dropped(frame, node):
        return
    found = len(frame.reporter.findings)
    given = Args([context, *outputs], [None] * (1 + len(outputs)))
    result = _call(frame, backward, given, node)
    if len(frame.reporter.findings) > found or not (result is None or isinstance(result, (Tensor, tuple))):
        return
    gradients = result if isinstance(result, tuple) else (result,)
    line = max((n.lineno for n in walk(backward.node) if isinstance(n, ast.Return)), default=0)
    where = f"in backward() (line {line})" if backward.module is frame.module else "in backward()"
    if len(gradients) < len(args.values):
        text = f"{where}: returns {len(gradients)} of {len(args.values)} gradients"
        frame.reporter.add(node, "shape", f"{text}: one for each argument of forward, None for what has none")
        return
    for place, (gradient, argument) in enumerate(zip(gradients, args.values, strict=False)):
        if isinstance(gradient, Tensor) and isinstance(argument, Tensor) and _refused(gradient, argument):
            text = f"{where}: gradient {place + 1} is {show(gradient.shape)}"
            text += f", and argument {place + 1} of forward is {show(argument.shape)}"
            frame.reporter.add(node, "shape", text)
            return


def _is_dropped(frame: Frame, node: ast.AST) -> bool:
    """Whether perhaps no gradient ever comes back to a result: nothing is made of it, or not here.

    What calls a helper may want no gradients: then its ``backward`` need not be made for such tensors.
    A module's weights do want them.
    """
    if frame.depth and (frame.owner is None or not frame.owner.kind.is_module):
        return True
    body = frame.module.tree if frame.function is None else frame.function.node
    return any(isinstance(part, ast.Expr) and part.value is node for part in walk(body))


def _refused(gradient: Tensor, argument: Tensor) -> bool:
    """Whether a gradient certainly cannot be summed to the shape of what it is the gradient of."""
    own, given = argument.shape, gradient.shape
    if any(isinstance(entry, Pack) for entry in (*own, *given)):
        return False
    if len(own) > len(given):
        return True
    pairs = zip(reversed(own), reversed(given), strict=False)
    return any(a != 1 and same_entry(a, b) is False for a, b in pairs)


def _method(frame: Frame, function: ClassV, name: str) -> FunctionV | None:
    found = function.info.find(name)
    return found and frame.interpreter.method(found[0], found[1], function, on_class=True)


def _call(frame: Frame, function: FunctionV, args: Args, node: ast.AST) -> Value:
    from typedtorch.shapes.infer.calls.calls import call_function  # noqa: PLC0415 - calls hold the table of methods

    return call_function(frame, function, args, node)


__all__ = ["apply", "save_for_backward"]
