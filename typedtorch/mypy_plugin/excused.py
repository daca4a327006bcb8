"""Errors that mypy tells only because it knows what modules return, of programs that run.

While ``module(x)`` was Any all that came of it could be given to anything.  torch takes a tensor of one item
where its stubs ask for a number, and so do ``assertAlmostEqual`` and numpy; a class that goes by another name
may be one that derives from it; and mypy seldom knows how long a tuple is, be it unpacked into a call,
returned by ``net(x).chunk(2)``, or given to a module, as in ``resize(x, x.shape[2:])``.
Such errors are known by what they say and where they stand.  mypy asks a watcher about each, before it is
recorded: nothing is looked at before there is one.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mypy.errors import ErrorInfo, Errors, ErrorWatcher
from mypy.nodes import MypyFile

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.shapes.sources import is_installed, text_of

if TYPE_CHECKING:
    from typedtorch.shapes.syntax import Syntax

_ARGUMENT = re.compile(
    r'Argument (?:\d+|"\w+") (?:to "(?P<function>[^"]+)" (?:of "[^"]+" )?)?'
    r'has incompatible type "(?P<given>.*)"; expected "(?P<wanted>.*)"$'
)
_QUOTED = re.compile(r'"([^"]+)"')
_INCOMPATIBLE = ("Incompatible ", "Argument ", "List item ", "Dict entry ")
_OF_ANY_LENGTH = re.compile(r"tuple\[(?!.*, tuple).*, \.\.\.\]|\bSize\b")
_OVERLOADED = re.compile(r'No overload variant of "[^"]+".* matches argument types? (?P<given>.*)$')
_CODES = {"arg-type", "call-overload", "operator"}
_CODES_OF_VALUES = {"return-value", "assignment", "list-item", "dict-item", "typeddict-item", "misc"}
_TENSORS = {"Tensor", "Parameter"}
_NUMBERS = {"int", "float", "complex", "bool", "SymInt", "Number", "Fraction"}
_CALLS = {"forward", "__call__", "__init__"}  # which a call does not name
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"\b(?:def|class)[ \t]+(\w+)")


class Excused:
    """Watches the errors of a build; ``modules`` gives those that mypy knows."""

    def __init__(self, facts: Facts, modules: Callable[[], Iterable[MypyFile]]) -> None:
        self._facts = facts
        self._modules = modules
        self._watcher: ErrorWatcher | None = None
        self._last: ErrorInfo | None = None
        self._own: set[str] | None = None

    def watch(self, errors: Errors | None) -> None:
        """Below all of mypy's own watchers, which come and go; the daemon drops all before each edit."""
        self._own = None
        watchers = getattr(errors, "_watchers", None)  # mypy's own, which may be called otherwise one day
        if errors is not None and watchers is not None and self._watcher not in watchers:
            self._watcher = ErrorWatcher(errors, filter_errors=self._is_excused)
            watchers.insert(0, self._watcher)

    def _is_excused(self, file: str, info: ErrorInfo) -> bool:
        if info.severity == "note":
            of = self._last
            return of is not None and (info.line, info.column, info.code) == (of.line, of.column, of.code)
        excused = False
        if (
            info.code is not None
            and info.code.code in _CODES | _CODES_OF_VALUES
            and self._facts.knows_results(file)
        ):
            try:
                excused = self._needs_results(file, info)
            except Exception:  # what cannot be looked at stands as mypy has it
                excused = False
        self._last = info if excused else None
        return excused

    def _needs_results(self, file: str, info: ErrorInfo) -> bool:
        from typedtorch.shapes import traced  # noqa: PLC0415  # seldom needed

        argument, overloaded = _ARGUMENT.match(info.message), _OVERLOADED.match(info.message)
        of_length = _is_of_length(info.message)
        if argument is None and overloaded is None and not of_length:
            return False
        syntax = self._facts.syntax(file)
        span = traced.Span(info.line, info.column, info.end_line, info.end_column)
        value = traced.at(span, syntax)
        if value is None:
            return False
        if argument is not None and self._is_asked_of_result(argument, value, file, syntax):
            return True
        call = traced.call_with(value, syntax)
        if argument is not None and of_length and _is_of_module(call, argument["function"]):
            return True
        refused = traced.given_to(value) if overloaded else [value]
        if not any(self._facts.any_typed(file, traced.made_from(part, syntax)) for part in refused):
            return False
        if of_length:
            return True
        if argument is None:
            given = _words(overloaded["given"]) if overloaded is not None else set()
            of_another = not isinstance(value, ast.Call) or not self._is_own(value.func, syntax.nodes)
            return of_another and not _TENSORS.isdisjoint(given)
        if call is None:
            return False
        if argument["given"].startswith("*") or _by_another_name(
            call.func, argument["function"], syntax.nodes
        ):
            return True
        tensors = not _TENSORS.isdisjoint(_words(argument["given"]))
        return tensors and _is_numeric(argument["wanted"]) and not self._is_own(call.func, syntax.nodes)

    def _is_asked_of_result(
        self, argument: re.Match[str], value: ast.expr, file: str, syntax: Syntax
    ) -> bool:
        """Whether a method of a result is given what may be of several kinds, the right one among them.

        ``net(x).view(-1, self.width)`` where the width may be None; ``policy(obs).log_prob(batch.action)``
        where actions are tensors or arrays.
        """
        from typedtorch.shapes import traced  # noqa: PLC0415  # seldom needed

        given, wanted = (set(argument[of].split(" | ")) for of in ("given", "wanted"))
        call = None if given.isdisjoint(wanted) else traced.call_with(value, syntax)
        if call is None or not isinstance(call.func, ast.Attribute):
            return False
        asked = isinstance(value, ast.Name | ast.Attribute)
        return asked and self._facts.any_typed(file, traced.made_from(call.func.value, syntax))

    def _is_own(self, function: ast.expr, nodes: list[ast.AST]) -> bool:
        """Whether the program itself says what a function takes; of a method only its name is known."""
        written = _dotted(function)
        first, *rest = written.split(".")
        imported = _imported(nodes).get(first)
        if imported is not None:
            package = imported.partition(".")[0]
            path = self._facts.path(package)
            outside = package in sys.stdlib_module_names or path is None or is_installed(path)
            return not outside or imported.startswith(".")
        if not rest and hasattr(builtins, first):
            return False
        if self._own is None:
            paths = [Path(tree.path) for tree in self._modules() if _is_of_program(tree)]
            self._own = {name for path in paths for name in _DEFINED.findall(text_of(path))}
        return not written or written.rpartition(".")[2] in self._own


def _is_of_module(call: ast.Call | None, function: str | None) -> bool:
    """Whether arguments are held against ``forward`` only because ``module(x)`` is known to call it."""
    if call is None or function != "forward":
        return False
    return not (isinstance(call.func, ast.Attribute) and call.func.attr == "forward")


def _is_of_length(message: str) -> bool:
    """Whether a tuple of any length was given for one of two, as ``net(x).chunk(2)`` or its shape is."""
    types = _QUOTED.findall(message) if message.startswith(_INCOMPATIBLE) else []
    given = next((one for one in types[:-1] if _OF_ANY_LENGTH.search(one)), None)
    return given is not None and _may_fit(given, types[-1])


def _may_fit(given: str, wanted: str) -> bool:
    """Whether the one type is the other, or one of several, but for how long tuples are."""
    parts, end = list[str](), 0
    for found in _OF_ANY_LENGTH.finditer(given):
        parts += [re.escape(given[end : found.start()]), r"tuple\[.*\]"]
        end = found.end()
    pattern = re.sub(r"\bAny\b", ".*", "".join([*parts, re.escape(given[end:])]))
    if any(re.fullmatch(pattern, one) for one in (wanted, *wanted.split(" | "))):
        return True
    several = given.split(" | ")
    return len(several) > 1 and all(_may_fit(one, wanted) for one in several)


def _is_of_program(tree: MypyFile) -> bool:
    path = Path(tree.path)
    typeshed = "/typeshed/" in tree.path.replace("\\", "/")
    return not (tree.is_stub or typeshed or is_installed(path.absolute())) and path.is_file()


def _by_another_name(function: ast.expr, name: str | None, nodes: list[ast.AST]) -> bool:
    """Whether ``self.family(...)`` is a call of a ``Distribution``: one of that kind, or of one below."""
    if name is None or name in _CALLS:
        return False
    written = _dotted(function)
    first, _, rest = written.partition(".")
    full = ".".join(filter(None, [_imported(nodes).get(first, first), rest]))
    return full.rpartition(".")[2] != name


def _dotted(function: ast.expr) -> str:
    match function:
        case ast.Subscript(value=inner):
            return _dotted(inner)
        case ast.Attribute(value=inner, attr=name):
            return f"{_dotted(inner)}.{name}"
        case ast.Name(id=name):
            return name
    return ""


def _imported(nodes: list[ast.AST]) -> dict[str, str]:
    """Names that imports bind, and what they stand for."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.update({a.asname or a.name: f"{module}.{a.name}" for a in node.names})
    return found


def _is_numeric(wanted: str) -> bool:
    """Whether a number is wanted, or something that numbers are too."""
    return any(word in _NUMBERS or word.startswith("Supports") for word in _words(wanted))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))
