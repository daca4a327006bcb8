"""Sizes that a constructor is given without saying so: what it makes its layers with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache

from typedtorch.shapes.infer.class_text import Def, defaults
from typedtorch.shapes.size import Size, integer
from typedtorch.shapes.syntax import walk


@dataclass(frozen=True, slots=True)
class Passed:
    """An object of which only the names of some integers are known: a configuration without annotations."""

    name: str
    integers: frozenset[str]

    def size(self, attribute: str) -> Size | None:
        """The integer of this name, if it is known to be one."""
        return integer(f"{self.name}.{attribute}") if attribute in self.integers else None


# how many of a layer's first arguments are sizes, and what they are called
_LAYERS = {
    "Linear": ("in_features", "out_features"),
    "Embedding": ("num_embeddings", "embedding_dim"),
    **{
        f"Conv{transposed}{n}d": ("in_channels", "out_channels")
        for n in (1, 2, 3)
        for transposed in ("", "Transpose")
    },
    **{f"BatchNorm{n}d": ("num_features",) for n in (1, 2, 3)},
    **dict.fromkeys(("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"), ("input_size", "hidden_size")),
}

_CREATION = frozenset({"zeros", "ones", "rand", "randn", "empty"})


@lru_cache(maxsize=4096)
def integers_in(definition: Def) -> frozenset[str]:
    """Parameters without an annotation that a layer is made with, so that they can only be integers.

    One that is given another value is left alone, unless it had none: ``hidden = hidden or dim``.
    """
    arguments = definition.args
    every = [*arguments.posonlyargs, *arguments.args]
    plain = {a.arg for a in (*every, *arguments.kwonlyargs) if a.annotation is None}
    absent = {a.arg for a, d in defaults(arguments) if isinstance(d, ast.Constant) and d.value is None}
    nodes = walk(definition)
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {n.id for n in _sizes_in(nodes) if isinstance(n, ast.Name)}
    return frozenset((used & plain) - (stored - absent))


def attributes_in(nodes: Iterable[ast.AST], assigned: Set[str]) -> dict[str, frozenset[str]]:
    """Of names, the attributes with which layers are made: ``Linear(config.width, 10)``.

    Not those that something assigns: they are one number here and another there.
    """
    found: dict[str, frozenset[str]] = {}
    for node in _sizes_in(nodes):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr not in assigned:
            found[node.value.id] = found.get(node.value.id, frozenset()) | {node.attr}
    return found


def _sizes_in(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Names and attributes in the arguments that are sizes, alone or in a sum or product."""
    for node in nodes:
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            names = _LAYERS.get(called, ())
            # ``zeros(shape)`` may be given a tuple, and each of several can only be a size
            several = called in _CREATION and len(node.args) > 1
            for argument in node.args if several else node.args[: len(names)]:
                yield from _operands(argument)
            for keyword in node.keywords:
                if keyword.arg in names:
                    yield from _operands(keyword.value)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
        yield from _operands(node.left)
        yield from _operands(node.right)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        yield node
