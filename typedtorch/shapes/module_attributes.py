"""Attributes of ``self`` that no instance of a module class has, from source alone.

``nn.Module`` answers every name with ``Tensor | Module``, so neither Python's linters nor type checkers see
``self.encodr``.  What the class and its bases assign, declare or register settles which names exist; where
that cannot be seen, nothing is said.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from typedtorch.shapes.assigned_elsewhere import is_among
from typedtorch.shapes.findings import Finding
from typedtorch.shapes.given_elsewhere import given_elsewhere
from typedtorch.shapes.module_facts import ClassFacts, SourceFacts
from typedtorch.shapes.record_attributes import missing_of_records
from typedtorch.shapes.sources import text_of
from typedtorch.shapes.syntax import Syntax, children

_MODULES = {"torch.nn.Module", "torch.nn.modules.module.Module", "typedtorch.Module", "typedtorch.nn.Module"}
_MODULE_METHODS = frozenset(
    {
        "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile",
        "cpu", "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward",
        "get_buffer", "get_extra_state", "get_parameter", "get_submodule", "half", "ipu",
        "load_state_dict", "modules", "mtia", "named_buffers", "named_children", "named_modules",
        "named_parameters", "parameters", "register_backward_hook", "register_buffer",
        "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
        "register_full_backward_pre_hook", "register_load_state_dict_post_hook",
        "register_load_state_dict_pre_hook", "register_module", "register_parameter",
        "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_",
        "set_extra_state", "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train",
        "training", "type", "xpu", "zero_grad", "T_destination",
    }
)  # fmt: skip


def no_attribute(class_name: str, attribute: str, known: Iterator[str] | set[str]) -> str:
    """The message, with the nearest name there is.

    >>> no_attribute("Net", "encodr", {"encoder", "decoder"})
    '"Net" has no attribute "encodr"; maybe "encoder"?'
    """
    close = difflib.get_close_matches(attribute, sorted(known), n=1, cutoff=0.6)
    return f'"{class_name}" has no attribute "{attribute}"' + (f'; maybe "{close[0]}"?' if close else "")


@dataclass(slots=True)
class AttributeCheck:
    """Checks modules one by one; ``find`` gives the file of a module of the program.

    ``asked`` are the modules whose classes the last answer rests on, whether they are there or not.
    """

    find: Callable[[str], Path | None]
    asked: set[str] = field(default_factory=set)
    _sources: dict[str, SourceFacts | None] = field(default_factory=dict)

    def __call__(self, module: str, path: Path, syntax: Syntax) -> list[Finding]:
        """What is read from ``self`` in the classes of one source, or from records, and exists nowhere."""
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        source = SourceFacts.of(syntax, package)
        self._sources[module] = source
        self.asked = set()
        of_self = [f for name in source.classes for f in self._class(module, name, source, str(path))]
        return of_self + [
            _finding(str(path), node, no_attribute(facts.name, node.attr, set(known)))
            for node, facts, known in missing_of_records(source)
            if not given_elsewhere(module, path, facts.name, node.attr)
        ]

    def _class(self, module: str, name: str, source: SourceFacts, path: str) -> Iterator[Finding]:
        facts = source.classes[name]
        read = {node.attr: node for node in reversed(list(_read_from_self(facts.node)))}
        if not read:
            return
        family = self._family(module, name)
        if family is None or not any("__init__" in base.own_methods for base in family):
            return
        if any(base.open or base.unfinished for base in family):
            return  # what is missing may come from elsewhere
        known = set().union(*(base.defined for base in family)) | _MODULE_METHODS
        below = list(source.subclasses(facts.name))
        if any(base.open for base in below):
            return
        given = known.union(*(base.defined for base in below))
        for attribute, node in read.items():
            if is_among(attribute, given) or attribute.startswith("_"):
                continue
            if not given_elsewhere(module, Path(path), facts.name, attribute):
                yield _finding(path, node, no_attribute(facts.name, attribute, known))

    def _family(self, module: str, name: str, depth: int = 0) -> list[ClassFacts] | None:
        """A class and its bases down to ``nn.Module``; None where one of them cannot be seen."""
        source = self._source(module)
        facts = source.classes.get(name) if source is not None else None
        if source is None or facts is None or depth > 20 or not facts.bases:
            return None
        family = [facts]
        for base in facts.bases:
            origin = source.origin(base)
            if base in source.classes and base != name:
                # One of two definitions, of which the other is imported, says nothing of the other.
                above = self._family(module, base, depth + 1) if origin is None else None
            elif origin in _MODULES:
                continue
            else:
                where, _, what = (origin or "").rpartition(".")
                above = self._family(where, what, depth + 1) if where else None
            if above is None:
                return None
            family += above
        return family

    def _source(self, module: str) -> SourceFacts | None:
        self.asked.add(module)
        if module not in self._sources:
            path = self.find(module)
            self._sources[module] = None
            if path is not None:
                package = module if path.stem == "__init__" else module.rpartition(".")[0]
                try:
                    self._sources[module] = _read(path, package)
                except (OSError, UnicodeDecodeError):
                    return None
        return self._sources[module]


def _read(path: Path, package: str) -> SourceFacts:
    return SourceFacts.read(text_of(path), package, path=str(path))


def _read_from_self(node: ast.ClassDef) -> Iterator[ast.Attribute]:
    """Loads of ``self.name`` in the methods of a class, where ``self`` is its instance.

    It is not in a method that gives the name to something else: ``self = self.net``.
    """
    stack: list[tuple[ast.AST, ast.AST | None]] = [(part, None) for part in node.body]
    read: list[tuple[ast.Attribute, ast.AST | None]] = []
    renamed: set[ast.AST | None] = set()
    while stack:
        inner, method = stack.pop()
        if isinstance(inner, ast.ClassDef):
            continue
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if _takes_self(inner) is (method is not None):
                continue  # a method whose receiver has another name, or a function with a ``self`` of its own
            method = method or inner
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Load()):
                read.append((inner, method))
            case ast.Name(id="self", ctx=ast.Store()):
                renamed.add(method)
        stack += [(part, method) for part in children(inner)]
    return (attribute for attribute, method in read if method not in renamed)


def _takes_self(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return bool(arguments) and arguments[0].arg == "self"


def _finding(path: str, node: ast.Attribute, message: str) -> Finding:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Finding(path, node.lineno, node.col_offset, end_line, end_column, "attribute", message)
