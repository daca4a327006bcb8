"""Dataclasses and named tuples: the functions that make them, change them and take them apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from keyword import iskeyword

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import UNKNOWN, ClassV, DictV, External, Instance, Value


def field(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``dataclasses.field``: what it gives by default."""
    if "default" in args.keywords:
        return args.keywords["default"]
    if "default_factory" in args.keywords:
        return frame.call(args.keywords["default_factory"], Args(), node)
    return UNKNOWN


def replace_fields(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``dataclasses.replace(x, field=value)``."""
    value = args.get(0, "obj", UNKNOWN)
    if isinstance(value, Instance) and not args.open:
        return frame.interpreter.with_fields(frame, value, args.keywords, node)
    return UNKNOWN


def as_dict(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``dataclasses.asdict(x)``: its fields by name, and those of what it holds."""
    value = args.get(0, "obj", UNKNOWN)
    plain = isinstance(value, Instance) and value.info.kind.is_fields and len(args.values) == 1
    return _fields_of(value) if plain and not args.keywords else UNKNOWN


def _fields_of(value: Value) -> Value:
    if not isinstance(value, Instance) or not value.info.kind.is_fields or value.info.kind.is_named_tuple:
        return with_parts(value, _fields_of)
    return DictV({name: _fields_of(value.attributes.get(name, UNKNOWN)) for name in value.info.fields()})


def named_tuple(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``namedtuple("Step", "obs action")`` and ``NamedTuple("Step", [("obs", Tensor)])``: a class."""
    statement = _statement(node) if isinstance(node, ast.Call) else None
    if statement is None:
        return UNKNOWN
    names: dict[str, Value] = {"NamedTuple": External("typing.NamedTuple"), "Any": External("typing.Any")}
    made = frame.interpreter.define_class(statement, frame.module, names)
    assert isinstance(made, ClassV)
    return made


@lru_cache(maxsize=1024)  # one class for one call
def _statement(node: ast.Call) -> ast.ClassDef | None:
    """The class statement that says the same, where the names are written out."""
    match node.args:
        case [ast.Constant(value=str(name)), fields]:
            written = list(_fields(fields))
            defaults = next(
                (k.value for k in node.keywords if k.arg == "defaults"), ast.Tuple([], ast.Load())
            )
            if not written or not isinstance(defaults, (ast.Tuple, ast.List)):
                return None
        case _:
            return None
    if any(not field.isidentifier() or iskeyword(field) for field in (name, *(f for f, _ in written))):
        return None
    text = "".join(f"    {field}: Any\n" for field, _ in written)
    statement = ast.parse(f"class {name}(NamedTuple):\n{text}").body[0]
    assert isinstance(statement, ast.ClassDef)
    for inner in ast.walk(statement):
        ast.copy_location(inner, node)
    given: list[ast.expr | None] = [None] * (len(written) - len(defaults.elts)) + [*defaults.elts]
    for line, (_, annotation), default in zip(statement.body, written, given, strict=False):
        assert isinstance(line, ast.AnnAssign)
        line.annotation, line.value = annotation or line.annotation, default
    return statement


def _fields(node: ast.expr) -> Iterator[tuple[str, ast.expr | None]]:
    """The names of the fields, with their annotations if they have some."""
    match node:
        case ast.Constant(value=str(text)):
            yield from ((name, None) for name in text.replace(",", " ").split())
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            for each in elts:
                match each:
                    case ast.Constant(value=str(name)):
                        yield name, None
                    case ast.Tuple(elts=[ast.Constant(value=str(name)), annotation]):
                        yield name, annotation
                    case _:
                        yield "", None


SPECIAL: dict[str, Special] = {
    "dataclasses.field": field,
    "dataclasses.replace": replace_fields,
    "dataclasses.asdict": as_dict,
    "collections.namedtuple": named_tuple,
    "typing.NamedTuple": named_tuple,
}
__all__ = ["SPECIAL"]
