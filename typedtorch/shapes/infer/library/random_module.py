"""Python's own ``random``: numbers of which the kind is known, and items of lists."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.containers.items import iterate, this_one
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, Scalar, Sequence, Value, is_size
from typedtorch.shapes.size import unknown


def fraction(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``random.random()``."""
    return Scalar("float")


def whole(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``random.randrange(n)``."""
    return unknown(f"?{frame.place(node)}")


def chosen(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``random.choice(xs)``."""
    return this_one(frame, iterate(args.get(0, "seq", UNKNOWN), frame.place(node)), frame.place(node))


def several(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``random.sample(xs, k)`` and ``random.choices(xs, k=k)``."""
    count = args.keywords.get("k", args.get(1, "k", 1))
    length = count if is_size(count) else None
    return Sequence("list", None, iterate(args.get(0, "population", UNKNOWN), frame.place(node)), length)


def shuffled(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``random.shuffle(xs)``: the same items in an order that is not known."""
    value = args.get(0, "x", UNKNOWN)
    if isinstance(value, Sequence):
        frame.state.replace_value(value, Sequence(value.kind, None, value.any_item, length_of(value)))
    return None


FUNCTIONS: dict[str, Special] = {
    **{
        f"random.{n}": fraction
        for n in ("random", "uniform", "gauss", "normalvariate", "expovariate", "betavariate")
    },
    **{f"random.{n}": whole for n in ("randint", "randrange", "getrandbits")},
    "random.choice": chosen,
    "random.sample": several,
    "random.choices": several,
    "random.shuffle": shuffled,
}
__all__ = ["FUNCTIONS"]
