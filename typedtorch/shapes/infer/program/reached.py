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
from pathlib import Path

from typedtorch.shapes.answers import Answer, stamp
from typedtorch.shapes.conftests import conftests
from typedtorch.shapes.infer.program.bindings import Binding
from typedtorch.shapes.infer.program.program import EXTERNAL, Module, Program
from typedtorch.shapes.syntax import walk

_WORD = re.compile(r"[^\W\d]\w*")
_Import = ast.Import | ast.ImportFrom
_Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reached:
    """The modules, and the names of such as there were none: the findings rest on that, too."""

    modules: frozenset[str]
    absent: frozenset[str]


class Reach:
    """Answers for the modules of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._texts: dict[Module, _Text] = {}

    def answer(self, name: str, path: Path, text: str | None = None) -> Answer:
        """Check a module, and say what its findings rest on."""
        before = stamp(path)
        report = self._program.check(name, path, text)
        reached = self.of(name)
        return Answer(before, report.findings, reached.modules, reached.absent, report.coverage)

    def of(self, name: str) -> Reached:
        """What the findings of a module rest on besides its own text, once it has been checked."""
        module = self._program.known(name)
        if module is None:
            return Reached(frozenset(), frozenset())
        search = _Search(self._program, self._texts)
        search.begin(module)
        search.follow()
        return Reached(frozenset(search.modules - {name}), frozenset(search.absent))


class _Text:
    """The words and the import statements of some lines of a module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._lines = module.text.split("\n")
        self._imports = [n for n in module.syntax.nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
        self._words: dict[_Lines, frozenset[str]] = {}

    def uses(self) -> set[str]:
        """The words of the whole module, but for names that it imports or lists and makes nothing of."""
        nodes = self._module.syntax.nodes
        listed = {id(n) for statement in self._module.tree.body if _lists(statement) for n in walk(statement)}
        found: set[str] = set()
        for node in nodes:
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    found.add(name)
                case ast.Constant(value=str(text)) if id(node) not in listed:
                    found.update(_WORD.findall(text))
        return found

    def words(self, lines: _Lines) -> frozenset[str]:
        if lines not in self._words:
            first, last = lines
            self._words[lines] = frozenset(_WORD.findall("\n".join(self._lines[first - 1 : last])))
        return self._words[lines]

    def imports(self, lines: _Lines | None = None) -> Iterable[_Import]:
        """Import statements of some lines, or all."""
        return (node for node in self._imports if lines is None or lines[0] <= node.lineno <= lines[1])


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
    _whole: dict[str, set[str]] = field(default_factory=dict)  # names of modules that import others whole

    def begin(self, module: Module) -> None:
        """All of the module that was checked, which needs to ask nobody for its own names."""
        text, words = self._text(module), self._text(module).uses()
        for statement in text.imports():
            self._import(module, statement, words)
        for name in self._own(module, words):
            self._name(module, name, asked=False)
        for conftest in map(self._known, conftests(module.name)):  # tests name its fixtures without an import
            if conftest is not None:
                self.modules.add(conftest.name)
                for name in self._own(conftest, words):
                    self._name(conftest, name)
        self._meet(words)

    def read(self, module: Module, lines: _Lines) -> None:
        """Some lines of a module."""
        self.modules.add(module.name)
        self._registered(module)
        text = self._text(module)
        for statement in text.imports(lines):
            self._import(module, statement)
        words = text.words(lines)
        for name in self._own(module, words):
            self._name(module, name)
        self._meet(words)

    def _registered(self, module: Module) -> None:
        """What files that the package imports put into the tables of a module."""
        for name, definition in sorted(self.program.registered.get(module.name, ())):
            other = self.program.known(name)
            for package in (name.rpartition(".")[0], module.name.rpartition(".")[0]):
                if self.program.known(package) is not None:
                    self.modules.add(package)
            if other is not None:
                self.modules.add(name)
                if definition:
                    self._name(other, definition)

    def _text(self, module: Module) -> _Text:
        if module not in self.texts:
            self.texts[module] = _Text(module)
        return self.texts[module]

    def _meet(self, words: Set[str]) -> None:
        """Each word may be a name of each module that is a value."""
        new = words - self._words
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

    def _import(self, module: Module, statement: _Import, used: Set[str] | None = None) -> None:
        """What a statement imports, as far as it is used."""
        names = [n for n in statement.names if used is None or _bound(n) in used]
        if isinstance(statement, ast.Import):
            for alias in names:
                parts = alias.name.split(".")
                for end in range(1, len(parts) + 1):
                    self._value(".".join(parts[:end]))
            return
        source = module.absolute(statement)
        for alias in names:
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
        for name in self._own(module, words):
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

    def _own(self, module: Module, words: Set[str]) -> Set[str]:
        """The words that may be names of a module, its own or those of modules that it imports whole."""
        return words & (self._with_stars(module) if module.stars and words else module.bindings.keys())

    def _with_stars(self, module: Module) -> Set[str]:
        if module.name not in self._whole:
            found, ahead = {module.name: module}, [module]
            while ahead:
                for star in ahead.pop().stars:
                    source = self._known(star)
                    if source is not None and star not in found:
                        found[star] = source
                        ahead.append(source)
            self.modules.update(found)  # also for what they do not have
            self._whole[module.name] = set().union(*(source.bindings for source in found.values()))
        return self._whole[module.name]

    def _star(self, module: Module, name: str) -> None:
        """The name in the modules that this one imports whole."""
        for star in module.stars:
            source = self._known(star)
            if source is not None:
                self.modules.add(star)
                self._name(source, name)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _lists(statement: ast.stmt) -> bool:
    """Whether a statement says what a module exports."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AugAssign(target=ast.Name(id="__all__")):
            return True
    return False


def _lines(node: ast.AST) -> _Lines:
    """From the first decorator to the end of a statement."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    decorators = getattr(node, "decorator_list", ())
    return min([first, *(d.lineno for d in decorators)]), last or first
