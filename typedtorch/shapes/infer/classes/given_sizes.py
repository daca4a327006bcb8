"""Sizes that a constructor is given without saying so: what it makes its layers with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from functools import lru_cache

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.classes.passed import Passed
from typedtorch.shapes.infer.program.class_text import Def, defaults
from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Instance, Value, is_size
from typedtorch.shapes.size import Size, integer
from typedtorch.shapes.syntax import walk


def passed(name: str, integers: Set[str], number: Callable[[str], Size] = integer) -> Passed:
    """What is known of an object by its name, and by the attributes that can only be integers."""
    return Passed({attribute: number(f"{name}.{attribute}") for attribute in sorted(integers)})


def may_be_settings(spec: specs.Spec) -> bool:
    """Whether an argument may be a configuration: of no class, or of one outside the program and torch."""
    if isinstance(spec, specs.ObjectSpec):
        return spec.name.partition(".")[0] not in ("torch", "numpy", "builtins", "typing", "collections")
    return isinstance(spec, specs.Anything)


def with_integers(value: Value, name: str, integers: Set[str], number: Callable[[str], Size]) -> Value:
    """An object of a class that says less of its attributes than what they are used for, or a dict."""
    if isinstance(value, DictV) and value.kind == "dict" and (value.rest is UNKNOWN or is_size(value.rest)):
        items = {key: number(f"{name}.{key}") for key in sorted(integers) if key.isidentifier()}
        return replace(value, items={**items, **value.items})
    if not isinstance(value, Instance) or value.info.kind.is_fields:
        return value
    said = value.attributes
    defined = {a for info in value.info.mro() for a in (*info.methods, *info.assigned, *info.annotated)}
    left = [a for a in integers - defined if said.get(a, UNKNOWN) is UNKNOWN]
    more = {a: number(f"{name}.{a}") for a in left}
    return replace(value, attributes={**said, **more}) if more else value


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
    "MultiheadAttention": ("embed_dim", "num_heads"),
    **dict.fromkeys(("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"), ("input_size", "hidden_size")),
}

_CREATION = frozenset({"zeros", "ones", "rand", "randn", "empty"})
_RESHAPING = frozenset({"view", "reshape", "expand", "repeat"})
_OF_NAMED_AXES = frozenset({"rearrange", "reduce", "repeat", "Rearrange", "Reduce"})


@lru_cache(maxsize=4096)
def integers_in(definition: Def, owner: ast.ClassDef | None = None) -> frozenset[str]:
    """Parameters without an annotation that something is made with, so that they can only be integers.

    One that is given another value is left alone, unless it had none: ``hidden = hidden or dim``.
    """
    arguments = definition.args
    every = [*arguments.posonlyargs, *arguments.args]
    plain = {a.arg for a in (*every, *arguments.kwonlyargs) if a.annotation is None}
    absent = {a.arg for a, d in defaults(arguments) if isinstance(d, ast.Constant) and d.value is None}
    nodes = walk(definition)
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {} if owner is None else _used_in_class(owner)
    return frozenset((used.get(definition) or _used([definition])[definition]) & plain - (stored - absent))


def attributes_in(nodes: Iterable[ast.AST], assigned: Set[str]) -> dict[str, frozenset[str]]:
    """Of names, the attributes with which layers are made: ``Linear(config.width, 10)``.

    Not those that something assigns: they are one number here and another there.
    """
    found: dict[str, frozenset[str]] = {}
    used = {_dotted(node) for node in _sizes_in(nodes)}
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            used.update(*_used_in_class(node).values())
    for name in used:
        holder, _, path = name.removeprefix("self.").partition(".")
        if path and holder != "self" and path.rpartition(".")[2] not in assigned:
            found[holder] = found.get(holder, frozenset()) | {path}
    return found


@lru_cache(maxsize=1024)
def _used_in_class(node: ast.ClassDef) -> dict[Def, set[str]]:
    return _used([part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))])


def _used(functions: Iterable[Def]) -> dict[Def, set[str]]:
    """What can only be a size in each of the methods of a class: ``width``, ``self.heads``, ``config.dim``.

    ``self.heads = config.heads`` says of the one what is known of the other; ``self.heads`` is that of every
    method.
    """
    texts = {function: walk(function) for function in functions}
    used = {function: {*map(_dotted, _sizes_in(nodes))} for function, nodes in texts.items()}
    given = {function: list(_given(nodes)) for function, nodes in texts.items()}
    while True:
        before = sum(map(len, used.values()))
        shared = {name for names in used.values() for name in names if name.startswith("self.")}
        for function, names in used.items():
            names.update(shared)
            for target, value in given[function]:
                if target in names:
                    names.update(map(_dotted, _operands(value)))
                names.update(_parts_of(_dotted(value), target, names))
        if sum(map(len, used.values())) == before:
            return used


def _given(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Names and attributes that are assigned, with what they are given."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                yield from zip(map(_dotted, targets), values, strict=False)
            case ast.Assign(targets=targets, value=value):
                yield from ((_dotted(target), value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield _dotted(target), value


_DEEPEST = 4  # attributes of attributes


def _parts_of(source: str, target: str, names: Set[str]) -> list[str]:
    """After ``self.config = config`` a part of the one is that of the other."""
    if not source or not target:
        return []
    parts = [source + name.removeprefix(target) for name in names if name.startswith(f"{target}.")]
    return [part for part in parts if part.count(".") < _DEEPEST]


def _dotted(node: ast.expr) -> str:
    """``self.config.width``, ``config["width"]``; nothing for what is no name, nor a part of one."""
    match node:
        case ast.Name(id=name):
            return name
        case (
            ast.Attribute(value=held, attr=part)
            | ast.Subscript(value=held, slice=ast.Constant(value=str(part)))
        ) if part.isidentifier():
            holder = _dotted(held)
            return holder and f"{holder}.{part}"
    return ""


def _sizes_in(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Names and attributes in the arguments that are sizes, alone or in a sum or product."""
    for node in nodes:
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            names = _LAYERS.get(called, ())
            # ``zeros(shape)`` may be given a tuple, and each of several can only be a size
            several = called in _CREATION or (called in _RESHAPING and _is_method(node))
            every = several and len(node.args) > 1
            for argument in node.args if every else node.args[: len(names)]:
                yield from _operands(argument)
            for keyword in node.keywords:
                if keyword.arg in names or called in _OF_NAMED_AXES:
                    yield from _operands(keyword.value)


def _is_method(node: ast.Call) -> bool:
    """``x.view(b, heads, width)``, not ``torch.reshape(x, shape)`` nor ``einops.repeat(x, "...")``."""
    holder = getattr(node.func, "value", None)
    is_module = isinstance(holder, ast.Name) and holder.id in ("torch", "np", "numpy", "einops")
    text = any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in node.args)
    return holder is not None and not is_module and not text


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
        yield from _operands(node.left)
        yield from _operands(node.right)
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        yield node
