"""From mypy's classes to what their sources say; sources are read once and kept while they don't change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING

from mypy.checker import TypeChecker
from mypy.nodes import Context, SymbolTableNode, TypeAlias, TypeInfo
from mypy.types import AnyType, Instance, TupleType, Type, TypeOfAny, UnionType, get_proper_type

from typedtorch.mypy_plugin.kept_facts import Written
from typedtorch.mypy_plugin.module_call import MODULE, is_module
from typedtorch.shapes.answers import Stamp, stamp
from typedtorch.shapes.garbage import uncollected
from typedtorch.shapes.sources import text_of

if TYPE_CHECKING:
    from typedtorch.shapes.module_facts import ClassFacts, SourceFacts
    from typedtorch.shapes.module_uses import Position
    from typedtorch.shapes.syntax import Syntax

Lookup = Callable[[str], SymbolTableNode | None]
PathOf = Callable[[str], str | None]
Known = Callable[[str, str], Written | None]
Keep = Callable[[str, str, Written], None]


class Facts:
    """What the source says of a class, and which class a name in a source means."""

    def __init__(self, lookup: Lookup, path_of: PathOf, known: Known, keep: Keep) -> None:
        self._lookup = lookup
        self._path_of = path_of
        self._known = known
        self._keep = keep
        self.files_change = True  # while mypy runs: it is the daemon
        self.results: set[str] = set()  # classes of what we alone know calls and items to be
        self.fields_of: set[str] = set()  # these, and what they inherit fields from
        self._typed: dict[str, set[Position]] = {}  # by file
        self._sources: dict[str, tuple[Stamp, SourceFacts]] = {}
        self._last: Syntax | None = None

    def path(self, module: str) -> Path | None:
        """Where the source of a module is."""
        path = self._path_of(module)
        return None if path is None else Path(path)

    def source(self, module: str) -> SourceFacts | None:
        """What one module says; None where there is no source but a stub, or nothing."""
        path = self._path_of(module)
        return None if path is None or not path.endswith(".py") else self._source(module, path)

    def interface(self, module: str, path: str) -> str:
        """A digest of what other modules can know of a source from its facts."""
        known = self._known(module, path)
        if known is None:
            source = self._source(module, path)
            with uncollected():
                known = Written("") if source is None else Written.of(source, whole=False)
            self._keep(module, path, known)
        return known.interface

    def _source(self, module: str, path: str) -> SourceFacts | None:
        known = self._sources.get(path)
        if known is not None and not (self.files_change and known[0] != stamp(Path(path))):
            return known[1]
        try:
            state, written = stamp(Path(path)), self._known(module, path)
            with uncollected():
                source = (written and written.read()) or _read(Path(path))
        except (OSError, UnicodeDecodeError):
            return None
        self._sources[path] = (state, source)
        return source

    def syntax(self, path: str) -> Syntax:
        """The tree of a file; the last one is kept, as questions about one file come together."""
        from typedtorch.shapes.syntax import read  # noqa: PLC0415  # needed only where mypy checks

        self._last = read(text_of(Path(path)), path)
        return self._last

    def checked(self, api: object) -> SourceFacts | None:
        """What the source of the module that mypy is checking says; None where mypy shows no errors."""
        if not isinstance(api, TypeChecker) or api.tree.path in api.errors.ignored_files:
            return None
        return self.source(api.tree.fullname)

    def typed(self, api: object, context: Context, result: Type) -> None:
        """A call in the module that mypy is checking has a type that only this plugin gives it."""
        self.of_result(result)
        if isinstance(api, TypeChecker):
            self._typed.setdefault(api.tree.path, set()).add((context.line, context.column))

    def forget_typed(self, path: str) -> None:
        """A file is about to be checked."""
        self._typed.pop(path, None)

    def knows_results(self, path: str) -> bool:
        """Whether there are such calls in a file, as far as it is checked."""
        return path in self._typed

    def any_typed(self, path: str, places: Set[Position]) -> bool:
        """Whether one of several calls is such a call."""
        return not self._typed.get(path, set()).isdisjoint(places)

    def of_result(self, result: Type) -> None:
        """Such a type is that of a result, or of a part of one."""
        proper = get_proper_type(result)
        if isinstance(proper, UnionType):
            for item in proper.items:
                self.of_result(item)
        if isinstance(proper, TupleType):
            proper = proper.partial_fallback  # a named one has fields
        if isinstance(proper, Instance):
            self._of_results(proper.type)

    def _of_results(self, info: TypeInfo) -> None:
        if info.fullname not in self.results:
            self.results.add(info.fullname)
            self.fields_of.update(base.fullname for base in info.mro)

    def comes_of_typed(self, api: object, context: Context) -> bool:
        """Whether what an expression is, or what it is used with, was made from such a call."""
        source = self.checked(api)
        if source is None or not isinstance(api, TypeChecker):
            return False
        made_from = source.result_uses.get((context.line, context.column), frozenset())
        return self.any_typed(api.tree.path, made_from)

    def family(self, info: TypeInfo) -> Iterator[tuple[TypeInfo, ClassFacts | None]]:
        """A class and its bases before ``nn.Module``, each with its facts where they can be read."""
        for base in info.mro:
            if base.fullname in (MODULE, "builtins.object"):
                continue
            source = self.source(base.module_name)
            yield base, None if source is None else _of_class(base, source)

    def replaces_forward(self, info: TypeInfo) -> bool:
        """Whether ``self.forward = other`` gives some objects a forward that is not the class's."""
        return any(facts is not None and facts.assigned["forward"] > 0 for _, facts in self.family(info))

    def instance(self, fullname: str) -> Instance | None:
        """An instance of a class that takes no type arguments."""
        symbol = self._lookup(fullname)
        return Instance(symbol.node, []) if symbol is not None and isinstance(symbol.node, TypeInfo) else None

    def module_class(self, name: str, module: str) -> Instance | None:
        """An instance of the module class that a dotted name in a source means."""
        first, *rest = name.split(".")
        symbol = self._lookup(f"{module}.{first}")
        for part in rest:
            symbol = self._lookup(f"{symbol.node.fullname}.{part}") if symbol and symbol.node else None
        node = symbol.node if symbol is not None else None
        if isinstance(node, TypeAlias):
            target = get_proper_type(node.target)
            node = target.type if isinstance(target, Instance) else None
        if not isinstance(node, TypeInfo) or not is_module(node):
            return None
        self._of_results(node)
        return Instance(node, [AnyType(TypeOfAny.special_form)] * len(node.type_vars))


def _read(path: Path) -> SourceFacts:
    from typedtorch.shapes.module_facts import SourceFacts  # noqa: PLC0415  # needed only where mypy checks

    return SourceFacts.read(text_of(path), path=str(path))


def _of_class(info: TypeInfo, source: SourceFacts) -> ClassFacts | None:
    """By name, ``Outer.Inner``; of a class inside a function mypy's name ends in its line."""
    name = info.fullname.removeprefix(f"{info.module_name}.")
    return source.at_line.get(info.defn.line) if "@" in name else source.classes.get(name)
