"""What the findings of one module rest on: the modules from which something it speaks of was taken.

The engine goes from one module to another through names alone: a name is bound by an import, the module
that is imported binds it again, until there is a definition; and what that says is names again.  So texts
tell where the engine can have been, and of those places only the ones count for which it asked.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from typedtorch.shapes.infer.program import EXTERNAL, Binding, Module, Program

_WORD = re.compile(r"[^\W\d]\w*")
_Import = ast.Import | ast.ImportFrom
_Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reached:
    """The modules, and the names of such as there were none: the findings rest on that, too."""

    modules: frozenset[str]
    absent: frozenset[str]


class Reach:
    """Answers for the modules that one program has checked."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._texts: dict[Module, _Text] = {}

    def of(self, name: str) -> Reached:
        """What the findings of a module rest on besides its own text, once it has been checked."""
        module = self._program.known(name)
        if module is None:
            return Reached(frozenset(), frozenset())
        search = _Search(self._program, self._texts)
        search.read(module, None)
        search.follow()
        return Reached(frozenset(search.modules - {name}), frozenset(search.absent))


class _Text:
    """The words and the import statements of some lines of a module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._lines = module.text.split("\n")
        self._imports = [n for n in module.syntax.nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
        self._words: dict[_Lines, frozenset[str]] = {}
        self._names: dict[_Lines, Set[str]] = {}

    @property
    def whole(self) -> _Lines:
        return (1, len(self._lines))

    def words(self, lines: _Lines) -> frozenset[str]:
        if lines not in self._words:
            first, last = lines
            self._words[lines] = frozenset(_WORD.findall("\n".join(self._lines[first - 1 : last])))
        return self._words[lines]

    def names(self, lines: _Lines) -> Set[str]:
        """The words that may be names of the module itself."""
        if lines not in self._names:
            self._names[lines] = _own(self._module, self.words(lines))
        return self._names[lines]

    def imports(self, lines: _Lines) -> Iterable[_Import]:
        first, last = lines
        return (node for node in self._imports if first <= node.lineno <= last)


@dataclass(slots=True)
class _Search:
    program: Program
    texts: dict[Module, _Text]
    modules: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    _words: set[str] = field(default_factory=set)  # all that have been read
    _ahead: list[tuple[Module, Binding]] = field(default_factory=list)
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _values: dict[str, Module] = field(default_factory=dict)  # modules that some name stands for
    _asked: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by package

    def read(self, module: Module, lines: _Lines | None) -> None:
        """Some lines of a module; all of the one that was checked, which needs to ask for no name."""
        self.modules.add(module.name)
        text = self.texts.get(module)
        if text is None:
            text = self.texts[module] = _Text(module)
        within = lines or text.whole
        for statement in text.imports(within):
            self._import(module, statement)
        for name in text.names(within):
            self._name(module, name, asked=lines is not None)
        new = text.words(within) - self._words
        self._words |= new
        for value in list(self._values.values()) if new else ():
            self._inside(value, new)

    def follow(self) -> None:
        """Read the definitions of all names that were found, and of those in them."""
        while self._ahead:
            module, binding = self._ahead.pop()
            match binding:
                case Binding(kind="import", alias=(name, _)):
                    self._value(name)
                case Binding(kind="from", alias=(name, attribute)):
                    self._from(name, attribute or "")
                case Binding(node=node):
                    self.read(module, _lines(node))

    def _import(self, module: Module, statement: _Import) -> None:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                parts = alias.name.split(".")
                for end in range(1, len(parts) + 1):
                    self._value(".".join(parts[:end]))
            return
        source = module.absolute(statement)
        for alias in statement.names:
            self._from(source, alias.name)

    def _from(self, name: str, attribute: str) -> None:
        module = self._known(name)
        if module is not None:
            self.modules.add(name)
            self._name(module, attribute)
        self._value(f"{name}.{attribute}")

    def _value(self, name: str) -> None:
        """A module under some name: whatever is read may ask it for anything."""
        module = self._known(name)
        if module is not None and name not in self._values:
            self._values[name] = module
            self.modules.add(name)
            self._inside(module, self._words)

    def _inside(self, module: Module, words: Set[str]) -> None:
        for name in _own(module, words):
            self._name(module, name)
        for word in words & self._below(module):
            self._value(f"{module.name}.{word}")

    def _below(self, module: Module) -> Set[str]:
        """What of a package was asked for as a module."""
        if not self._asked:
            for name in self.program.asked:
                package, _, last = name.rpartition(".")
                self._asked[package].add(last)
        return self._asked.get(module.name, frozenset())

    def _known(self, name: str) -> Module | None:
        """A module that the engine asked for and found; what it asked for in vain is noted."""
        if name.partition(".")[0] in EXTERNAL or name not in self.program.asked:
            return None
        module = self.program.known(name)
        if module is None:
            self.absent.add(name)
        return module

    def _name(self, module: Module, name: str, *, asked: bool = True) -> None:
        if (module.name, name) in self._seen:
            return
        bindings = module.bindings.get(name)
        if bindings is None:
            self._seen.add((module.name, name))
            self._star(module, name)
        elif not asked or module.was_asked(name):
            self._seen.add((module.name, name))
            self._ahead.extend((module, binding) for binding in bindings)

    def _star(self, module: Module, name: str) -> None:
        """The name in the modules that this one imports whole."""
        for star in module.stars:
            source = self._known(star)
            if source is not None:
                self.modules.add(star)
                self._name(source, name)


def _own(module: Module, words: Set[str]) -> Set[str]:
    return words if module.stars else words & module.bindings.keys()


def _lines(node: ast.AST) -> _Lines:
    """From the first decorator to the end of a statement."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    decorators = getattr(node, "decorator_list", ())
    return min([first, *(d.lineno for d in decorators)]), last or first
