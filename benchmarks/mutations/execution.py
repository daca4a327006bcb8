"""Executing the definitions of a published package alone, with arguments made from their annotations.

No module is imported: the definitions of a file, and of those it imports from its own package, run
without their decorators; what needs another library stays undefined.
"""

from __future__ import annotations

import ast
import collections.abc
import inspect
import random
import sys
import types
import typing
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from static.running import _HELPERS, _check, _Enforce
from static_mutants import _deadline

from typedtorch.shapes.axes import Dim, parse
from typedtorch.shapes.infer.files import find_in

LIBRARIES = {
    "torch", "einops", "jaxtyping", "numpy", "math", "typing", "typing_extensions", "functools", "itertools",
    "dataclasses", "collections", "abc", "enum", "__future__", "beartype", "operator", "warnings", "logging",
}  # fmt: skip
DECORATORS = {"staticmethod", "classmethod", "property", "dataclass", "abstractmethod"}
UNSAFE = {"open", "os", "subprocess", "shutil", "requests", "urllib", "exec", "eval", "save", "load", "Path"}
SIZES = (2, 3, 4, 5, 6, 7)
ATTEMPTS = 16
Space = dict[str, Any]


class Cannot(Exception):
    """An argument cannot be made, or a definition cannot be executed."""


class _Bare(_Enforce):
    """Enforces annotations; decorators that a definition does not need are left out."""

    def _keep(self, node: Any) -> None:
        node.decorator_list = [d for d in node.decorator_list if _last(d) in DECORATORS]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._keep(node)
        return super().visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._keep(node)
        return super().visit_ClassDef(node)


def _last(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class Modules:
    """The definitions of a package's files, executed one by one; what fails is left out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[str, Space] = {}

    def load(self, name: str, text: str | None = None) -> Space:
        if text is None and name in self.known:
            return self.known[name]
        space: Space = {
            "__name__": f"mutated.{name}",
            "__builtins__": __builtins__,
            **_HELPERS,
            "__check__": _check,
        }
        if text is None:
            self.known[name] = space
            path = find_in([self.root], name)
            text = "" if path is None else path.read_text(errors="replace")
        # beartype looks names up in the module of a function
        sys.modules[space["__name__"]] = module = types.ModuleType(space["__name__"])
        module.__dict__.update(space)
        space = module.__dict__
        if name in self.known and not self.known[name].get("__loaded__"):
            self.known[name] = space
        space["__loaded__"] = True
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return space
        self._block(tree.body, space, name)
        return space

    def _block(self, body: Sequence[ast.stmt], space: Space, name: str) -> None:
        for statement in body:
            match statement:
                case ast.Import() | ast.ImportFrom():
                    self._import(statement, space, name)
                case ast.If(body=inner) | ast.Try(body=inner):
                    self._block(inner, space, name)
                case ast.FunctionDef() | ast.ClassDef() | ast.Assign() | ast.AnnAssign():
                    if not UNSAFE & {
                        _last(n) for n in ast.walk(statement) if isinstance(n, ast.Name | ast.Attribute)
                    }:
                        self._define(statement, space)

    def _define(self, statement: ast.stmt, space: Space) -> None:
        tree = _Bare().visit(ast.Module([statement], []))
        flags = __import__("__future__").annotations.compiler_flag
        try:
            with _deadline(5):
                exec(compile(ast.fix_missing_locations(tree), "<package>", "exec", flags, True), space)
        except Exception:
            return

    def _import(self, node: ast.Import | ast.ImportFrom, space: Space, name: str) -> None:
        for alias in node.names:
            try:
                if isinstance(node, ast.Import):
                    if alias.name.partition(".")[0] in LIBRARIES:
                        exec(ast.unparse(ast.Import([alias])), space)
                    continue
                source = _absolute(node, name, find_in([self.root], name))
                if not node.level and source.partition(".")[0] in LIBRARIES:
                    exec(ast.unparse(ast.ImportFrom(source, [alias], 0)), space)
                    continue
                found = self.load(source) if find_in([self.root], source) else {}
                if alias.name in found:
                    space[alias.asname or alias.name] = found[alias.name]
                elif find_in([self.root], f"{source}.{alias.name}"):
                    inner = self.load(f"{source}.{alias.name}")
                    space[alias.asname or alias.name] = types.SimpleNamespace(**inner)
            except Exception:
                continue


def _absolute(node: ast.ImportFrom, name: str, path: Path | None) -> str:
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    keep = len(parts) - node.level + (path is not None and path.stem == "__init__")
    return ".".join([*parts[: max(keep, 0)], *([node.module] if node.module else [])])


# -- arguments ----------------------------------------------------------------------------------


class Sizes:
    """One size for each axis name, drawn when it is first met."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.known = rng, dict[str, int]()

    def __getitem__(self, name: str) -> int:
        if name not in self.known:
            free = [s for s in SIZES if s not in self.known.values()] or list(SIZES)
            self.known[name] = self.rng.choice(free)
        return self.known[name]

    def of(self, dim: Dim) -> list[int]:
        if dim.variadic:
            return [self[f"*{dim.name}"]]
        if dim.kind == "fixed":
            return [dim.size or 0]
        if dim.kind == "anonymous":
            return [self.rng.choice(SIZES)]
        if dim.kind == "named":
            return [self[dim.name]]
        if "{" in dim.name:
            raise Cannot(dim.name)
        names = {n.id for n in ast.walk(ast.parse(dim.name, mode="eval")) if isinstance(n, ast.Name)}
        return [int(eval(dim.name, {n: self[n] for n in sorted(names)}))]


def make(annotation: Any, name: str, sizes: Sizes) -> Any:
    """A value that fits an annotation."""
    if hasattr(annotation, "dim_str") and hasattr(annotation, "dtypes"):
        return _array(annotation, sizes)
    if annotation is int:
        return sizes[name]
    if annotation is bool:
        return sizes.rng.random() < 0.5
    if annotation is float:
        return 0.5
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        for option in arguments:
            if option is not type(None):
                try:
                    return make(option, name, sizes)
                except Cannot:
                    continue
    if origin in (list, collections.abc.Sequence) and arguments:
        return [make(arguments[0], name, sizes) for _ in range(2)]
    if origin is tuple and arguments:
        items = arguments[:1] * 2 if arguments[-1] is Ellipsis else arguments
        return tuple(make(item, name, sizes) for item in items)
    if origin is typing.Literal:
        return arguments[0]
    if origin is typing.Annotated:
        return make(arguments[0], name, sizes)
    raise Cannot(name)


def _array(annotation: Any, sizes: Sizes) -> Any:
    shape = [s for dim in parse(annotation.dim_str).dims for s in sizes.of(dim)]
    wanted = (
        [str(d) for d in annotation.dtypes]
        if isinstance(annotation.dtypes, list | tuple | set)
        else ["float32"]
    )
    for dtype in ("float32", "int64", "bool", "int32", "uint8", "float64", "complex64"):
        if dtype in wanted:
            break
    else:
        dtype = "float32"
    if dtype == "bool":
        made = torch.rand(shape) < 0.5
    elif dtype in ("int64", "int32", "uint8"):
        made = torch.randint(0, 2, shape).to(getattr(torch, dtype))
    else:
        made = torch.rand(shape).to(getattr(torch, dtype))
    return made.numpy() if getattr(annotation, "array_type", None) is np.ndarray else made


def arguments(function: Any, space: Space, sizes: Sizes) -> dict[str, Any]:
    made = {}
    shaped = False
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = parameter.annotation
        if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, space)
            except Exception as error:
                raise Cannot(name) from error
        array = hasattr(annotation, "dim_str")
        if parameter.default is not parameter.empty and not array:
            continue
        made[name] = make(annotation, name, sizes)
        shaped = shaped or array
    if not shaped and function.__name__ != "__init__":
        raise Cannot("no tensor")
    return made


@dataclass(frozen=True)
class Call:
    """How to run one function or module: the same arguments for the program and its mutants."""

    name: str
    constructor: dict[str, Any] | None
    arguments: dict[str, Any]

    def run(self, space: Space) -> None:
        torch.manual_seed(0)
        with _deadline(5), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target = space[self.name]
            if self.constructor is not None:
                target = target(**self.constructor)
            given = {k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in self.arguments.items()}
            target(**given)


def runnable(space: Space, name: str) -> Call | None:
    """A call of that definition that succeeds."""
    target = space.get(name)
    for attempt in range(ATTEMPTS):
        sizes = Sizes(random.Random(f"{name} {attempt}"))
        try:
            if inspect.isclass(target):
                if not issubclass(target, torch.nn.Module) or not hasattr(target, "forward"):
                    return None
                made = arguments(target.__init__, space, sizes)
                call = Call(name, made, arguments(target.forward, space, sizes))
            elif inspect.isfunction(target):
                call = Call(name, None, arguments(target, space, sizes))
            else:
                return None
            call.run(space)
        except Cannot:
            return None
        except Exception:
            continue
        return call
    return None


# -- faults -------------------------------------------------------------------------------------
