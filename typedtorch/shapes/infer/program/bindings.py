"""Where a module's top-level names get their values, as its text says."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that gives a top-level name its value."""

    kind: str  # "def", "class", "import", "from", "assign", "annotated", "other"
    node: ast.AST
    target: ast.expr | None = None
    alias: tuple[str, str | None] = ("", None)
    fallback: bool = False  # in an ``except`` or the ``else`` of a test on the platform or version


def bindings_of(
    body: Sequence[ast.stmt], absolute: Callable[[ast.ImportFrom], str], fallback: bool = False
) -> Iterator[tuple[str, Binding]]:
    """Every (name, binding) of a block, those inside if, try and with included.

    Args:
        absolute: the dotted name of the module that an import of names takes them from.
    """
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, Binding("def", statement, fallback=fallback)
            case ast.ClassDef(name=name):
                yield name, Binding("class", statement, fallback=fallback)
            case ast.Import(names=names):
                for alias in names:
                    imported = alias.name if alias.asname else alias.name.partition(".")[0]
                    kind = Binding("import", statement, alias=(imported, None), fallback=fallback)
                    yield alias.asname or imported, kind
            case ast.ImportFrom(names=names):
                source = absolute(statement)
                for alias in names:
                    kind = Binding("from", statement, alias=(source, alias.name), fallback=fallback)
                    yield alias.asname or alias.name, kind
            case ast.Assign(targets=targets):
                for assigned in targets:
                    for name in _target_names(assigned):
                        yield name, Binding("assign", statement, assigned, fallback=fallback)
            case ast.AnnAssign(target=ast.Name(id=name) as place):
                yield name, Binding("annotated", statement, place, fallback=fallback)
            case ast.If(body=inner, orelse=orelse):
                yield from bindings_of(inner, absolute, fallback)
                yield from bindings_of(orelse, absolute, fallback=True)
            case ast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=final):
                yield from bindings_of([*inner, *orelse, *final], absolute, fallback)
                for handler in handlers:
                    yield from bindings_of(handler.body, absolute, fallback=True)
            case ast.With(body=inner):
                yield from bindings_of(inner, absolute, fallback)
            case ast.For(target=target, body=inner) | ast.AsyncFor(target=target, body=inner):
                for name in _target_names(target):
                    yield name, Binding("other", statement)
                yield from ((n, Binding("other", b.node)) for n, b in bindings_of(inner, absolute))
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name, Binding("other", statement)
            case ast.While(body=inner):
                yield from ((n, Binding("other", b.node)) for n, b in bindings_of(inner, absolute))
            case _ if type(statement).__name__ == "TypeAlias":
                alias_name = statement.name  # type: ignore[attr-defined]  # Python 3.12's ``type X = ...``
                yield alias_name.id, Binding("assign", statement, alias_name, fallback=fallback)


def _target_names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for element in elts:
                yield from _target_names(element)
        case ast.Starred(value=value):
            yield from _target_names(value)
