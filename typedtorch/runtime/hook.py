"""An import hook that checks every array annotation of named packages, without a decorator in them.

>>> hook = install(["no_such_package"])
>>> hook.seen
set()
>>> hook.uninstall()

Each function, method and dataclass of a module imported from then on is decorated as the module runs.
Functions whose annotations hold no array are left as they are.
"""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any, get_args

from typedtorch.runtime.fields import check_fields
from typedtorch.runtime.switch import disabled_by_environment, is_compiling
from typedtorch.runtime.wrapper import is_typed, wrap

# what runs the checks, and what must load without torch, is not checked by itself
MACHINERY = tuple(
    f"typedtorch.{part}" for part in ("runtime", "shapes", "mypy_plugin", "check", "pytest_plugin")
)
_NEEDED = frozenset({"torch", "numpy", "jaxtyping", "beartype"})
_NAME = "__typedtorch_checked__"


def install(packages: Iterable[str]) -> Hook:
    """Check the packages (and modules) named, from their next import on.

    Raises:
        ImportError: one of them is imported already, so that its functions exist unchecked, or the checks
            themselves need it.
    """
    hook = Hook(tuple(packages))
    needed = sorted(_NEEDED.intersection(hook.packages))
    if needed:
        raise ImportError(
            f"cannot check {', '.join(needed)}: the checks themselves need it; name your own package"
        )
    late = sorted(name for name in sys.modules if hook.covers(name) and name != "typedtorch")
    if late:
        raise ImportError(
            f"cannot check {', '.join(hook.packages)}: already imported: {', '.join(late[:5])}"
            f"{' ...' if len(late) > 5 else ''}"
        )
    sys.meta_path.insert(0, hook)
    return hook


class Hook(MetaPathFinder):
    """Finds the modules of the named packages as usual and has them loaded with checks."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages
        self.seen: set[str] = set()

    def covers(self, name: str) -> bool:
        """Whether a module belongs to a named package; test files stay with pytest, which rewrites them."""
        last = name.rpartition(".")[2]
        if last == "conftest" or last.startswith("test_") or last.endswith("_test"):
            return False
        return _within(name, self.packages) and not _within(name, MACHINERY)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec another finder gives, with a loader that adds the checks."""
        if not self.covers(fullname):
            return None
        for finder in sys.meta_path:
            if finder is self or type(finder).__name__ == "AssertionRewritingHook":
                continue
            spec = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
            if spec is None:
                continue
            self.seen.add(fullname)
            if type(spec.loader) is SourceFileLoader:
                spec.loader = Loader(spec.loader.name, spec.loader.path)
            return spec
        return None

    def uninstall(self) -> None:
        """Modules imported from now on are left alone."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def _within(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


class Loader(SourceFileLoader):
    """Compiles a module with the decorators added; bytecode is neither read nor written."""

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        return compile(decorated(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_NAME] = checked
        super().exec_module(module)


def decorated(tree: ast.Module) -> ast.Module:
    """The module with a decorator on each annotated function and each decorated class; lines stay."""
    for node in _unless_excluded(tree):
        if isinstance(node, ast.ClassDef):
            if node.decorator_list:  # it may be a dataclass; the outermost decorator sees it complete
                node.decorator_list.insert(0, _decorator(node))
        elif _is_annotated(node):
            node.decorator_list.append(_decorator(node))
    return tree


def _unless_excluded(tree: ast.AST) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if any("no_type_check" in ast.unparse(decorator) for decorator in node.decorator_list):
                continue
            yield node
        yield from _unless_excluded(node)


def _is_annotated(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    overload = any(ast.unparse(d).endswith("overload") for d in node.decorator_list)
    return (
        not overload and any(isinstance(child, ast.arg) and child.annotation for child in ast.walk(node.args))
    ) or (not overload and node.returns is not None)


def _decorator(node: ast.stmt) -> ast.expr:
    return ast.copy_location(ast.Name(_NAME, ast.Load()), node)


def checked(target: Any) -> Any:
    """``typed`` for what holds an array annotation; anything else as it is."""
    if is_compiling() or disabled_by_environment() or getattr(target, "__no_type_check__", False):
        return target
    if isinstance(target, FunctionType):
        annotations, names = target.__annotations__.values(), target.__globals__
        worthwhile = not is_typed(target) and any(_may_hold_array(a, names) for a in annotations)
        return wrap(target, "call", arrays_only=True) if worthwhile else target
    if isinstance(target, type) and dataclasses.is_dataclass(target) and "__typed__" not in vars(target):
        _dataclass(target)
    return target


def _dataclass(kind: type) -> None:
    names = vars(sys.modules[kind.__module__]) if kind.__module__ in sys.modules else {}
    if not any(_may_hold_array(field.type, names) for field in dataclasses.fields(kind)):
        return
    init = vars(kind).get("__init__")
    if isinstance(init, FunctionType) and not is_typed(init):
        kind.__init__ = wrap(init, "call", arrays_only=True)  # type: ignore[misc]  # the same signature
    check_fields(kind, arrays_only=True)
    kind.__typed__ = True  # type: ignore[attr-defined]  # a mark, as `typed` leaves it


_PLAIN = {
    "int",
    "str",
    "bool",
    "float",
    "bytes",
    "None",
    "object",
    "list",
    "tuple",
    "dict",
    "set",
    "Any",
    "Self",
}


def _is_plain(value: Any) -> bool:
    """A class of torch, numpy or Python: what is annotated with it alone need not be wrapped."""
    return isinstance(value, type) and value.__module__.partition(".")[0] in {"torch", "numpy", "builtins"}


def _may_hold_array(annotation: Any, names: Mapping[str, Any]) -> bool:
    """Whether an annotation holds an array, or is text that may turn out to, with these names in it."""
    if isinstance(annotation, str):
        try:
            tree = ast.parse(annotation, mode="eval")
        except SyntaxError:
            return False
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _PLAIN
        return any(not _is_plain(names.get(name)) for name in used)
    if type(annotation).__module__.startswith("jaxtyping"):
        return True
    named: list[Any] = [
        getattr(annotation, name, None) for name in ("__bound__", "__value__", "__supertype__")
    ]
    parts = (*get_args(annotation), *getattr(annotation, "__constraints__", ()), *named)
    return any(_may_hold_array(part, names) for part in parts if part is not None)
