"""Objects of the program that a loop goes through: what they give, one after another."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.reports.messages import check_items
from typedtorch.shapes.infer.values.values import UNKNOWN, Instance, Sequence, Tensor, Value
from typedtorch.shapes.size import unknown


def gone_through(frame: Frame, value: Value, node: ast.AST) -> Value:
    """What a loop over a value goes through: of an object, what its ``__iter__`` gives.

    That may be a generator's items, or an iterator with a ``__next__``; without it, what the object gives
    for 0, 1 and so on.
    """
    check_items(frame, value, node)
    if not isinstance(value, Instance):
        return value
    if value.info.find("__iter__") is not None:
        made = method(frame, value, "__iter__", (), node)
        if isinstance(made, Instance) and made.info.find("__next__") is not None:
            some = updates.after(made, "__next__")  # as it is in any of the turns
            frame.state.replace_value(made, some)
            return Sequence("iterator", None, method(frame, some, "__next__", (), node))
        return made if isinstance(made, (Sequence, tuple, Tensor)) else UNKNOWN
    if value.info.kind.is_named_tuple or value.info.find("__getitem__") is None:
        return value
    return Sequence(
        "view", None, method(frame, value, "__getitem__", (unknown(f"?{frame.place(node)}.i"),), node)
    )


def method(frame: Frame, receiver: Instance, name: str, values: tuple[Value, ...], node: ast.AST) -> Value:
    """What a method gives, as Python itself calls it."""
    from typedtorch.shapes.infer.calls.calls import method_if_any  # noqa: PLC0415 - calls hold what calls this

    return method_if_any(frame, receiver, name, values, node)


__all__ = ["gone_through", "method"]
