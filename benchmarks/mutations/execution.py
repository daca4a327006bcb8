"""Executing the definitions of a published package alone, with arguments made from their annotations.

No module is imported: the definitions of a file, and of those it imports from its own package, run
without their decorators; what needs another library stays undefined.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import random
import sys
import time
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from static.running import _HELPERS, _check, _Enforce
from static_mutants import _deadline

from mutations.arguments import Cannot, Sizes, arguments
from typedtorch.shapes.infer.files import find_in

Space = dict[str, Any]
ATTEMPTS = 48
SECONDS = 3  # of searching for one call
LIBRARIES = {
    "torch", "einops", "jaxtyping", "numpy", "math", "typing", "typing_extensions", "functools", "itertools",
    "dataclasses", "collections", "abc", "enum", "__future__", "beartype", "operator", "warnings", "logging",
    "contextlib", "copy", "inspect", "numbers", "random", "re", "statistics", "string", "textwrap", "time",
    "types",
}  # fmt: skip
# What names of libraries that are not here mean where only their shape in the program matters.
STAND_INS: Space = {
    "LightningModule": torch.nn.Module, "LowercaseStrEnum": enum.StrEnum, "PositiveInt": int,
    "NonNegativeInt": int, "PositiveFloat": float, "NonNegativeFloat": float,
}  # fmt: skip
DECORATORS = {"staticmethod", "classmethod", "property", "dataclass", "abstractmethod"}
UNSAFE = {"open", "os", "subprocess", "shutil", "requests", "urllib", "exec", "eval", "save", "load", "Path"}


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
                    if isinstance(statement, ast.ClassDef):
                        statement.body = [s for s in statement.body if _safe(s)] or [ast.Pass()]
                    if _safe(statement):
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
                    elif alias.asname and find_in([self.root], alias.name):
                        space[alias.asname] = types.SimpleNamespace(**self.load(alias.name))
                    continue
                source = _absolute(node, name, find_in([self.root], name))
                if not node.level and source.partition(".")[0] in LIBRARIES:
                    exec(ast.unparse(ast.ImportFrom(source, [alias], 0)), space)
                    continue
                found = self.load(source) if find_in([self.root], source) else STAND_INS
                if alias.name in found:
                    space[alias.asname or alias.name] = found[alias.name]
                elif find_in([self.root], f"{source}.{alias.name}"):
                    inner = self.load(f"{source}.{alias.name}")
                    space[alias.asname or alias.name] = types.SimpleNamespace(**inner)
            except Exception:
                continue


def _safe(statement: ast.stmt) -> bool:
    """Whether nothing in it reaches for files, processes or the network."""
    names = (n for n in ast.walk(statement) if isinstance(n, ast.Name | ast.Attribute))
    return not any(_last(n) in UNSAFE for n in names)


def _absolute(node: ast.ImportFrom, name: str, path: Path | None) -> str:
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    keep = len(parts) - node.level + (path is not None and path.stem == "__init__")
    return ".".join([*parts[: max(keep, 0)], *([node.module] if node.module else [])])


# -- calls ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """How to call a function, a class or one of its methods.

    The arguments are made when it runs, from the annotations as they then are, with the sizes that the axes
    and integers had when the call was found: an annotation with a fault in it is taken at its word.
    """

    name: str
    method: str | None
    seed: str
    known: Mapping[str, int] = field(default_factory=dict)
    shared: bool = False

    def run(self, space: Space) -> Sizes:
        sizes = Sizes(random.Random(self.seed), dict(self.known), shared=self.shared)
        torch.manual_seed(0)
        np.random.seed(0)
        random.seed(0)
        with _deadline(5), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._run(space, sizes)
        return sizes

    def _run(self, space: Space, sizes: Sizes) -> None:
        target = space[self.name]
        if self.method is None:
            given = arguments(target, space, sizes)
        elif isinstance(inspect.getattr_static(target, self.method), staticmethod | classmethod):
            target = getattr(target, self.method)
            given = arguments(target, space, sizes)
        else:
            made = arguments(target, space, sizes)
            given = arguments(getattr(target, self.method), space, sizes, bound=True)
            target = target(**made)
            if self.method not in ("forward", "__call__"):
                target = getattr(target, self.method)
        if not sizes.arrays:
            raise Cannot("no tensor")
        target(**given)


def runnable(space: Space, name: str) -> list[Call]:
    """Calls of that definition that succeed: of a class, one for each method that can be called."""
    target = space.get(name)
    if inspect.isfunction(target):
        found = [_attempt(space, name, None)]
    elif inspect.isclass(target) and not issubclass(target, enum.Enum):
        found = [_attempt(space, name, method) for method in (None, *_methods(target))]
    else:
        found = []
    return [call for call in found if call is not None]


def _methods(cls: type) -> Iterator[str]:
    for name, value in vars(cls).items():
        inner = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if inspect.isfunction(inner) and (not name.startswith("__") or name == "__call__"):
            yield name
    if issubclass(cls, torch.nn.Module) and "forward" not in vars(cls):
        yield "forward"


def _attempt(space: Space, name: str, method: str | None) -> Call | None:
    end = time.process_time() + SECONDS
    for attempt in range(ATTEMPTS):
        call = Call(name, method, f"{name} {attempt}", shared=attempt % 3 == 2)
        try:
            call = dataclasses.replace(call, known=call.run(space).known)
            call.run(space)  # what depends on chance says nothing of a fault
        except Cannot:
            if attempt > 3:  # an optional argument may be one that can be left out
                return None
        except Exception:
            if time.process_time() > end:
                return None
        else:
            return call
    return None
