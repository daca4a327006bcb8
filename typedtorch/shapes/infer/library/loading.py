"""``student.load_state_dict(teacher.state_dict())``: the weights of both modules are of one shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values.values import DictV, Instance, LayerV, Sequence, Tensor, Value
from typedtorch.shapes.tensor import Shape, show

# methods by which a class reads and writes its state in another way
_OWN_WAYS = ("load_state_dict", "state_dict", "_load_from_state_dict", "_save_to_state_dict")
_WEIGHTS = ("weight", "bias")


def check(frame: Frame, receiver: Value, node: ast.AST) -> None:
    """Report the first weight of the state that the receiver has in another shape."""
    match node:
        case ast.Call(
            args=[ast.Call(func=ast.Attribute(value=given, attr="state_dict"), args=[], keywords=[]), *_]
        ) if isinstance(given, (ast.Name, ast.Attribute)):
            with frame.reporter.mute():
                other = frame.evaluate(given)
        case _:
            return
    own = dict(_weights(receiver))
    for name, shape in _weights(other):
        if name in own and own[name] != shape:
            called = f"{source(node.func)}({source(node.args[0])})"
            message = f"{called}: {name} is {show(own[name])} here and {show(shape)} in {source(given)}"
            frame.reporter.add(node, "shape", message)
            return


def _weights(module: Value, path: str = "") -> Iterator[tuple[str, Shape]]:
    """The weights of layers by their names in the state, where every size is a number."""
    if isinstance(module, LayerV):
        for name in _WEIGHTS:
            tensor = module.layer.attributes.get(name)
            if isinstance(tensor, Tensor) and all(type(size) is int for size in tensor.shape):
                yield f"{path}{name}", tensor.shape
        return
    for name, part in _parts(module):
        yield from _weights(part, f"{path}{name}.")


def _parts(module: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(module, Instance):
        info = module.info
        plain = info.kind.is_module and not module.altered and not module.assumed
        if plain and not any(info.find(name) for name in _OWN_WAYS) and "pre_hook" not in info.module.text:
            yield from ((n, v) for n, v in module.attributes.items() if not n.startswith("__"))
    elif isinstance(module, Sequence) and module.kind in ("modules", "sequential"):
        yield from ((str(i), v) for i, v in enumerate(module.items or ()))
    elif isinstance(module, DictV) and module.kind == "modules":
        yield from ((str(k), v) for k, v in module.items.items())


__all__ = ["check"]
