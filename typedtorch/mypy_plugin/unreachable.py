"""Lines that mypy knows never run (another platform or Python version), where it reports nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mypy.nodes import (
    Block,
    ClassDef,
    Decorator,
    ForStmt,
    FuncDef,
    IfStmt,
    MatchStmt,
    MypyFile,
    OverloadedFuncDef,
    Statement,
    TryStmt,
    WhileStmt,
    WithStmt,
)


def unreachable_lines(tree: MypyFile) -> set[int]:
    """The lines of every block that mypy marked before it checked anything."""
    return {line for lines in _ranges(tree.defs) for line in lines}


def _ranges(statements: Iterable[Statement]) -> Iterator[range]:
    for statement in statements:
        for block in _blocks(statement):
            if block is None or not block.body:
                continue
            if block.is_unreachable:
                last = block.body[-1]
                yield range(block.body[0].line, (last.end_line or last.line) + 1)
            else:
                yield from _ranges(block.body)


def _blocks(statement: Statement) -> list[Block | None]:
    match statement:
        case IfStmt():
            return [*statement.body, statement.else_body]
        case ForStmt() | WhileStmt():
            return [statement.body, statement.else_body]
        case TryStmt():
            return [statement.body, *statement.handlers, statement.else_body, statement.finally_body]
        case FuncDef() | WithStmt():
            return [statement.body]
        case ClassDef():
            return [statement.defs]
        case Decorator():
            return [statement.func.body]
        case OverloadedFuncDef():
            return [block for item in statement.items for block in _blocks(item)]
        case MatchStmt():
            return list(statement.bodies)
    return []
