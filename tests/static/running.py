"""Runs a program with jaxtyping and beartype on every function, dataclass and annotated local."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from beartype import beartype
from beartype.door import is_bearable
from jaxtyping import jaxtyped

_HELPERS = {"__jaxtyped__": jaxtyped(typechecker=beartype), "__beartype__": beartype}
_CHECKERS = {"jaxtyped", "beartype", "typed"}


class _Enforce(ast.NodeTransformer):
    """Decorates functions and dataclasses, and checks annotated assignments inside functions."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        # jaxtyped would check the coroutine; beartype knows better, though no names are bound.
        return self._function(node, "__beartype__")

    def _function(self, node: Any, decorator: str = "__jaxtyped__") -> ast.AST:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        if not any(_name(d) in _CHECKERS for d in node.decorator_list):
            node.decorator_list.append(ast.Name(decorator, ast.Load()))
        return node  # type: ignore[no-any-return]  # one of the two function nodes

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        depth, self.depth = self.depth, 0
        self.generic_visit(node)
        self.depth = depth
        if any(_name(d) == "dataclass" for d in node.decorator_list):
            node.decorator_list.insert(0, ast.Name("__jaxtyped__", ast.Load()))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if not self.depth or node.value is None or not isinstance(node.target, ast.Name):
            return node
        check = ast.Expr(
            ast.Call(
                ast.Name("__check__", ast.Load()), [ast.Name(node.target.id, ast.Load()), node.annotation], []
            )
        )
        return [node, ast.copy_location(check, node)]


def _name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class LocalAnnotationError(TypeError):
    """A local variable does not fit its annotation."""


def _check(value: object, annotation: Any) -> None:
    if isinstance(annotation, str):
        annotation = eval(annotation, sys._getframe(1).f_globals, sys._getframe(1).f_locals)
    if not is_bearable(value, annotation):
        raise LocalAnnotationError(f"{getattr(value, 'shape', value)} is not {annotation}")


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        tree = _Enforce().visit(ast.parse(Path(path).read_text(), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(_HELPERS, __check__=_check)
        super().exec_module(module)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, root: Path) -> None:
        self.root = root

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        where = self.root.joinpath(*name.split("."))
        if (where / "__init__.py").exists():
            return importlib.util.spec_from_file_location(
                name,
                where / "__init__.py",
                loader=_Loader(name, str(where / "__init__.py")),
                submodule_search_locations=[str(where)],
            )
        file = where.with_suffix(".py")
        return (
            importlib.util.spec_from_file_location(name, file, loader=_Loader(name, str(file)))
            if file.exists()
            else None
        )


@contextmanager
def _importing(root: Path) -> Iterator[None]:
    finder, before = _Finder(root), set(sys.modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            if str(root) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]


def execute(root: Path, main: str, drive: Sequence[str]) -> object:
    """Import ``main`` under ``root``, run the driving statements, and return the last expression's value."""
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    name = main.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    value: object = None
    with _importing(root), redirect_stdout(StringIO()):
        module = importlib.import_module(name)
        space: dict[str, Any] = {"torch": torch, "np": np, "randn": torch.randn, "randint": torch.randint}
        space.update({k: v for k, v in vars(module).items() if not k.startswith("__")})
        for statement in drive:
            tree = ast.parse(statement)
            if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
                value = eval(statement, space)
            else:
                exec(statement, space)
    return value
