"""What a class says of its attributes, read from its source: their names, and which are registered.

``nn.Module`` answers every attribute with ``Tensor | Module``, so a type checker alone can neither tell a
misspelt name nor a registered buffer.  The source says more.  Whatever may give an instance attributes
that cannot be read off (``setattr``, a registered name that is computed, a decorator) makes a class ``open``:
then nothing is known to be missing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

from typedtorch.shapes.assigned_elsewhere import HELD_IN, REGISTER, argument, assigned_elsewhere, is_self
from typedtorch.shapes.call_results import Keep, kept_results, rebound_names, returned_calls
from typedtorch.shapes.chosen import chosen_names, makers, replaced
from typedtorch.shapes.kept_values import cast_places
from typedtorch.shapes.module_containers import Container, containers
from typedtorch.shapes.module_uses import Position, first_of_several, harmless_places, position
from typedtorch.shapes.result_uses import result_uses
from typedtorch.shapes.sources import absolute
from typedtorch.shapes.syntax import Syntax, children, dotted, read, walk

Registered = Literal["buffer", "parameter", "none"]

_OPENING = {*HELD_IN, "__setattr__"}
_OPENING_METHODS = {"__getattr__", "__getattribute__", "__setattr__"}
_HARMLESS_DECORATORS = {"final", "jaxtyped", "typed", "beartype", "runtime_checkable"}
# Functions that get ``self`` and leave its attributes as they are.
_HARMLESS = {"super", "isinstance", "hasattr", "getattr", "len", "print", "repr", "str", "id", "type", "iter"}
_FORGIVING = {"raises", "assertRaises", "assertRaisesRegex", "suppress"}
_SWALLOWING = {"AttributeError", "Exception", "BaseException"}


class _Facts:
    """What is read from a tree when it is asked for; another process gets all that is kept, and no tree."""

    _KEPT: ClassVar[tuple[str, ...]]

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self._KEPT}


@dataclass(frozen=True)
class ClassFacts(_Facts):
    """One class statement."""

    node: ast.ClassDef
    nodes: list[ast.AST]  # all that is inside it, in order of appearance
    own: list[ast.AST]  # of these, what is in no function or class inside it
    outside: frozenset[str]  # attributes that the module gives to, or asks of, other objects

    _KEPT = (
        "name", "outside", "bases", "defined", "assigned", "open", "forward_is_abstract", "unfinished",
        "registered", "containers", "makers",
    )  # fmt: skip

    @cached_property
    def name(self) -> str:
        """As it is called where it stands."""
        return self.node.name

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """Base classes as written, without subscripts; "" for one that is no name."""
        return tuple(dotted(b.value if isinstance(b, ast.Subscript) else b) or "" for b in self.node.bases)

    @cached_property
    def defined(self) -> frozenset[str]:
        """Every name an instance may have from this class; strings that could be names count."""
        names = set(self.outside)
        names.update(n.id for n in self.own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        for node in self.nodes:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                    names.add(name)
                case ast.Constant(value=str(name)) if name.isidentifier():
                    names.add(name)
                case ast.alias(name=name, asname=asname):
                    names.add(asname or name)
                case ast.Try() if any(map(_swallows, node.handlers)):
                    names.update(n.attr for s in node.body for n in walk(s) if isinstance(n, ast.Attribute))
        return frozenset(names)

    @cached_property
    def own_methods(self) -> frozenset[str]:
        """Names of the functions that the class itself defines."""
        return frozenset(n.name for n in self.node.body if isinstance(n, ast.FunctionDef))

    @cached_property
    def assigned(self) -> Counter[str]:
        """How often each attribute of ``self`` is assigned."""
        return Counter(
            node.attr
            for node in self.nodes
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value)
        )

    @cached_property
    def open(self) -> bool:
        """Whether instances may have attributes that the source does not name."""
        return bool(
            self.node.keywords
            or any(not is_harmless(d) for d in self.node.decorator_list)
            or any(map(opens, self.nodes))
        )

    @cached_property
    def forward_is_abstract(self) -> bool:
        """Whether ``forward`` does nothing but raise, or is decorated as abstract."""
        defined = [n for n in self.node.body if isinstance(n, ast.FunctionDef) and n.name == "forward"]
        if not defined:
            return False
        forward = defined[-1]  # of overloads, what is run
        decorators = [dotted(d) or "" for d in forward.decorator_list]
        does = [
            s for s in forward.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        ]
        nothing = all(isinstance(s, ast.Raise | ast.Pass) for s in does)
        return nothing or any(name.endswith("abstractmethod") for name in decorators)

    @cached_property
    def unfinished(self) -> bool:
        """Whether the class is made to be derived from, so that its attributes may come from below."""
        if any(word in self.name for word in ("Base", "Mixin", "Abstract")) or "ABC" in self.bases:
            return True
        return any(
            (isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node))
            or (
                isinstance(node, ast.Name | ast.Attribute) and (dotted(node) or "").endswith("abstractmethod")
            )
            for node in self.nodes
        )

    @cached_property
    def registered(self) -> dict[str, Registered]:
        """Buffers and parameters registered by name, and those that are registered as None."""
        found: dict[str, Registered] = {}
        for node in self.nodes:
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            kind = node.func.attr
            if kind not in ("register_buffer", "register_parameter") or not is_self(node.func.value):
                continue
            name, value = argument(node, 0, "name"), argument(node, 1, "tensor", "param")
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                empty = value is None or (isinstance(value, ast.Constant) and value.value is None)
                as_what: Registered = "buffer" if kind == "register_buffer" else "parameter"
                if empty or found.get(name.value) != "none":
                    found[name.value] = "none" if empty else as_what
        return found

    @cached_property
    def containers(self) -> dict[str, Container]:
        """Attributes of ``self`` that hold modules in plain sight."""
        return {n: held for n, held in containers(self.nodes).items() if n not in self.outside}

    @cached_property
    def makers(self) -> dict[str, frozenset[str]]:
        """What each attribute is made by that the class declares nowhere."""
        return makers(self.nodes)


@dataclass
class SourceFacts(_Facts):
    """The classes of one source, by qualified name."""

    syntax: Syntax
    outside: frozenset[str] = frozenset()  # attributes that the module gives to, or asks of, other objects
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    at_line: dict[int, ClassFacts] = field(default_factory=dict)  # by the line of the statement

    package: str = ""  # that relative imports start from

    _KEPT = (
        "outside", "replaced", "classes", "at_line", "harmless_places", "kept_results", "rebound_names",
        "returned_calls", "cast_places", "result_uses", "forgiven", "chosen_names",
        "first_of_several",
    )  # fmt: skip

    @classmethod
    def read(cls, text: str, package: str = "", *, path: str = "") -> SourceFacts:
        """Facts of a source; none if it is not Python."""
        try:
            syntax = read(text, path)
        except (SyntaxError, ValueError, RecursionError):
            syntax = Syntax(ast.Module([], []))
        return cls.of(syntax, package)

    @classmethod
    def of(cls, syntax: Syntax, package: str = "") -> SourceFacts:
        """Facts of a source that is parsed already; of a name that is defined in two ways, none by name."""
        outside = frozenset(assigned_elsewhere(syntax.nodes))
        found = list(_classes(syntax.tree, ""))
        once = Counter(name for name, _ in found)
        at_line = {
            node.lineno: ClassFacts(node, syntax.within(node), syntax.scopes[node], outside)
            for _, node in found
        }
        classes = {name: at_line[node.lineno] for name, node in found if once[name] == 1}
        return cls(syntax, outside, classes, at_line, package)

    @cached_property
    def interface(self) -> str:
        """What other modules can know of this source from its facts, as text that tells it from others.

        >>> text = "class A:\\n    def f(self):\\n        self.x = {}"
        >>> one, other = (SourceFacts.read(text.format(value)).interface for value in ("1", "2"))
        >>> one == other, one == SourceFacts.read(text.replace("x", "y")).interface
        (True, False)
        """
        classes = {name: facts.__getstate__() for name, facts in self.classes.items()}
        return repr(_in_order({"outside": self.outside, "classes": classes}))

    @cached_property
    def _imported(self) -> dict[str, str]:
        """Names that imports anywhere in the source bind, and what they stand for."""
        found = {}
        for node in self.syntax.nodes:
            match node:
                case ast.Import(names=names):
                    for alias in names:
                        found[alias.asname or alias.name.partition(".")[0]] = (
                            alias.name if alias.asname else alias.name.partition(".")[0]
                        )
                case ast.ImportFrom(module=module, names=names, level=level):
                    base = absolute("." * level + (module or ""), self.package)
                    found.update({a.asname or a.name: f"{base}.{a.name}" for a in names if base})
        return found

    def origin(self, name: str) -> str | None:
        """The full name of something imported: ``nn.Module`` is ``torch.nn.Module``."""
        first, _, rest = name.partition(".")
        imported = self._imported.get(first)
        return None if imported is None else f"{imported}.{rest}" if rest else imported

    @cached_property
    def harmless_places(self) -> frozenset[Position]:
        """Where items of containers may be typed exactly."""
        return harmless_places(self.syntax)

    @cached_property
    def first_of_several(self) -> frozenset[Position]:
        """Attributes that other values join, or take the place of."""
        return first_of_several(self.syntax)

    @cached_property
    def kept_results(self) -> dict[Position, Keep]:
        """Calls whose results stay among other values."""
        return kept_results(self.syntax)

    @cached_property
    def rebound_names(self) -> frozenset[Position]:
        """Uses of names whose type mypy knows by their first binding alone."""
        return rebound_names(self.syntax)

    @cached_property
    def replaced(self) -> dict[str, frozenset[str]]:
        """What attributes are made by that the module gives to other objects."""
        return replaced(self.syntax.nodes)

    @cached_property
    def chosen_names(self) -> dict[Position, int]:
        """Uses of names that hold one of several things, and of how many."""
        return chosen_names(self.syntax)

    @cached_property
    def returned_calls(self) -> frozenset[Position]:
        """Calls whose results are returned at once."""
        return returned_calls(self.syntax)

    @cached_property
    def result_uses(self) -> dict[Position, frozenset[Position]]:
        """Where torch's annotations are too wide for what comes of a call's result."""
        return result_uses(self.syntax)

    @cached_property
    def forgiven(self) -> frozenset[Position]:
        """Expressions that a program expects to fail, or does not mind to."""
        return frozenset(position(node) for node in _forgiven(self.syntax.nodes))

    @cached_property
    def cast_places(self) -> frozenset[Position]:
        """Expressions whose type the program states itself."""
        return cast_places(self.syntax)

    def subclasses(self, name: str) -> Iterator[ClassFacts]:
        """Classes of this source that derive from a class called ``name``, however indirectly."""
        family = {name}
        for facts in self.classes.values():  # a base stands above what derives from it
            if family & {base.rpartition(".")[2] for base in facts.bases}:
                family.add(facts.name)
                yield facts


def _in_order(value: object) -> object:
    """The same with what has no order of its own in order."""
    if isinstance(value, dict):
        return [(key, _in_order(inner)) for key, inner in sorted(value.items())]
    return sorted(value) if isinstance(value, frozenset) else value


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in children(node):
        if isinstance(child, ast.ClassDef):
            yield f"{prefix}{child.name}", child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _classes(child, prefix)


def _forgiven(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """What is in ``with pytest.raises(...)``, or under an ``except`` for attributes that are not there."""
    for node in nodes:
        if isinstance(node, ast.Try):
            expected = any(map(_swallows, node.handlers))
        elif isinstance(node, ast.With):
            openers = [i.context_expr.func for i in node.items if isinstance(i.context_expr, ast.Call)]
            names = {(dotted(opener) or "").rpartition(".")[2] for opener in openers}
            expected = not _FORGIVING.isdisjoint(names)
        else:
            continue
        if expected:
            inside = (part for statement in node.body for part in walk(statement))
            yield from (part for part in inside if isinstance(part, ast.Attribute | ast.Call))


def _swallows(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any((dotted(n) or "") in _SWALLOWING for n in walk(handler.type) if isinstance(n, ast.expr))


def is_harmless(node: ast.expr) -> bool:
    """Whether a decorator leaves a class as it is written."""
    name = dotted(node.func if isinstance(node, ast.Call) else node) or ""
    return name.rpartition(".")[2] in _HARMLESS_DECORATORS


def opens(node: ast.AST) -> bool:
    """Whether a node may give ``self`` attributes whose names the source does not show."""
    if type(node) not in (ast.FunctionDef, ast.Attribute, ast.Call):
        return False
    match node:
        case ast.FunctionDef(name=name):
            return name in _OPENING_METHODS
        case ast.Attribute(attr=attr):
            return attr in _OPENING
        case ast.Call(func=ast.Name(id="vars"), args=[_, *_]):
            return True
        case ast.Call(func=ast.Name(id="setattr"), args=[_, name, _]):
            return not isinstance(name, ast.Constant)
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in REGISTER:
            return not isinstance(argument(node, 0, "name"), ast.Constant)
        case ast.Call(func=ast.Attribute(attr="__init__")):
            return False
        case ast.Call(func=function, args=arguments):
            called = (dotted(function) or "").rpartition(".")[2]
            return called not in _HARMLESS and any(map(is_self, arguments))
    return False
