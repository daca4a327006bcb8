"""Derivatives of functions: ``torch.autograd.functional``; ``vjp``, ``jvp``, ``linearize`` of torch.func."""

from __future__ import annotations

import ast
from collections.abc import Callable

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.values.values import UNKNOWN, LayerV, Tensor, Value
from typedtorch.shapes.rule import Layer
from typedtorch.shapes.rules.properties import check_gradient
from typedtorch.shapes.tensor import Pack, ShapeError, Undecided, show


def jacobian_of(output: Value, argument: Value) -> Value:
    """The derivative of each element of the output by each of the argument; of tuples, a tuple."""
    if isinstance(output, tuple):
        return tuple(jacobian_of(part, argument) for part in output)
    if isinstance(argument, tuple):
        return tuple(jacobian_of(output, part) for part in argument)
    if isinstance(output, Tensor) and isinstance(argument, Tensor) and output.rank is not None:
        return output.of((*output.shape, *argument.shape))
    return UNKNOWN


def check_one_number(output: Tensor, what: str) -> None:
    """What ``torch.func.grad`` differentiates: a function that gives a tensor without axes.

    Raises:
        ShapeError: it gives one with axes.
    """
    if any(not isinstance(entry, Pack) for entry in output.shape):
        raise ShapeError(
            f"the result has shape {show(output.shape)}: {what}() takes a function that gives a scalar"
        )


def _inputs(value: Value) -> list[Value] | None:
    if isinstance(value, Tensor):
        return [value]
    return list(value) if isinstance(value, tuple) else None


def _evaluated(frame: Frame, args: Args, node: ast.AST, parameter: str) -> tuple[Value, Value]:
    """What a function gives for its inputs, which are one argument, and these inputs."""
    given = args.get(1, parameter, UNKNOWN)
    values = None if args.open else _inputs(given)
    if values is None or not args.values:
        return UNKNOWN, UNKNOWN
    nodes = args.nodes[1:2] or [args.keyword_nodes.get(parameter)]
    return frame.call(args.values[0], Args(values, nodes * len(values)), node), given


def _fits(frame: Frame, tensor: Value, gradient: Value, node: ast.AST, label: str) -> None:
    """Report a direction that does not have the shape of what it is multiplied with."""
    if isinstance(tensor, Tensor) and isinstance(gradient, Tensor):
        named = tensor if tensor.label else tensor.named(label)
        apply_rule(frame, check_gradient, (named, gradient), {}, node, ())


def jacobian(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.autograd.functional.jacobian(f, inputs)``."""
    return jacobian_of(*_evaluated(frame, args, node, "inputs"))


def hessian(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.autograd.functional.hessian(f, inputs)``, of one number."""
    output, inputs = _evaluated(frame, args, node, "inputs")
    if not isinstance(output, Tensor):
        return UNKNOWN
    apply_rule(frame, check_gradient, (output.named("the result"), None, "hessian()"), {}, node, ())
    parts = _inputs(inputs) or []
    if isinstance(inputs, Tensor):
        return inputs.of((*inputs.shape, *inputs.shape))
    return tuple(tuple(jacobian_of(a, b) for b in parts) for a in parts)


def _product(of_inputs: bool, against_inputs: bool) -> Special:
    """``vjp``, ``jvp``, ``hvp`` and ``vhp`` of ``torch.autograd.functional``: the outputs, and a product."""

    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        output, inputs = _evaluated(frame, args, node, "inputs")
        _fits(frame, inputs if against_inputs else output, args.get(2, "v", None), node, "the output")
        return (output, inputs if of_inputs else output)

    return handler


def forward_product(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.func.jvp(f, primals, tangents)``: the output, and its change along the tangents."""
    output, primals = _evaluated(frame, args, node, "primals")
    tangents = args.get(2, "tangents", UNKNOWN)
    if isinstance(primals, tuple) and isinstance(tangents, tuple):
        for primal, tangent in zip(primals, tangents, strict=False):
            _fits(frame, primal, tangent, node, "the input")
    return _beside(output, args, lambda main: main)


def _beside(output: Value, args: Args, make: Callable[[Value], Value]) -> Value:
    """The output of a function, what is made of it, and with ``has_aux`` what comes with it."""
    has_aux = args.keywords.get("has_aux", False)
    if has_aux is False:
        return (output, make(output))
    if has_aux is True and isinstance(output, tuple) and len(output) == 2:
        return (output[0], make(output[0]), output[1])
    return UNKNOWN


def pulled_back(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.func.vjp(f, *primals)``: the output, and a function from its gradient to theirs."""
    if args.open or not args.values:
        return UNKNOWN
    primals = tuple(args.values[1:])

    def make(main: Value) -> Value:
        def back(cotangents: Value) -> Value:
            if not isinstance(main, Tensor):
                raise Undecided
            check_gradient(main.named("the output"), cotangents)
            return primals

        known = all(isinstance(primal, Tensor) for primal in primals)
        return LayerV("torch.func.vjp", Layer(back), arguments=(main, primals)) if known else UNKNOWN

    return _beside(frame.call(args.values[0], _without_settings(args), node), args, make)


def linearized(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.func.linearize(f, *primals)``: the output, and a function from tangents to its change."""
    if args.open or not args.values:
        return UNKNOWN
    output = frame.call(args.values[0], _without_settings(args), node)

    def forward(*tangents: Value) -> Value:
        return output

    return (output, LayerV("torch.func.linearize", Layer(forward), arguments=(output,)))


def _without_settings(args: Args) -> Args:
    return Args(list(args.values[1:]), list(args.nodes[1:]))


_FUNCTIONAL: dict[str, Special] = {
    "jacobian": jacobian,
    "hessian": hessian,
    "vjp": _product(of_inputs=True, against_inputs=False),
    "jvp": _product(of_inputs=False, against_inputs=True),
    "hvp": _product(of_inputs=True, against_inputs=True),
    "vhp": _product(of_inputs=True, against_inputs=True),
}
SPECIAL: dict[str, Special] = {
    **{f"torch.autograd.functional.{name}": function for name, function in _FUNCTIONAL.items()},
    "torch.func.jvp": forward_product,
    "torch.func.vjp": pulled_back,
    "torch.func.linearize": linearized,
}

__all__ = ["SPECIAL", "check_one_number", "jacobian_of"]
