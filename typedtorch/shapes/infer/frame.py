"""One evaluation of one body: where it is, what it knows, what it has to report."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from typedtorch.shapes.equality import coinciding
from typedtorch.shapes.findings import Finding
from typedtorch.shapes.infer.values.state import State, among
from typedtorch.shapes.infer.values.values import UNKNOWN, FunctionV, Tensor, Value

if TYPE_CHECKING:
    from typedtorch.shapes.infer.annotations.assuming import Names
    from typedtorch.shapes.infer.annotations.specs import Spec
    from typedtorch.shapes.infer.calls.binding import Args
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter
    from typedtorch.shapes.infer.program.program import Module
    from typedtorch.shapes.infer.reports.grounds import Ground
    from typedtorch.shapes.size import Size
    from typedtorch.shapes.taken import Taken


# the name of a size that is not known: where it arose, and what a call's result calls it
_UNKNOWN = re.compile(r"\?\d[\w.:\[\]'@^]*(?:~([A-Za-z_]\w*)['@^\d:]*)?")


def _readable(message: str) -> str:
    """A message where an unknown size in a sum is ``?``, or what the result that has it calls it."""
    return _UNKNOWN.sub(lambda found: found[1] or "?", message)


@dataclass(slots=True)
class Reporter:
    """Collects findings, once per place and code; ``quiet`` evaluations collect for their caller."""

    path: str
    findings: dict[tuple[int, int, str], Finding] = field(default_factory=dict)
    muted: int = 0
    known: dict[ast.AST, bool] = field(default_factory=dict)  # expression -> whether its shape is known
    counting: bool = True
    # of bodies that were looked into from a call, but whoever calls them
    elsewhere: dict[tuple[int, int, str], Finding] = field(default_factory=dict)
    undecided: int = 0  # branches around this place, of this turn of a loop, that may not be taken
    perhaps: set[tuple[int, int, str]] = field(default_factory=set)  # what was found in such branches
    grounds: dict[tuple[int, int, str], Ground] = field(default_factory=dict)  # what findings rest on
    listens: bool = False  # muted from the start, it notes whether there was anything to report
    wrong: bool = False
    trial: bool = False  # of what the program does not say: how a proposal would do there

    def add(
        self,
        node: ast.AST,
        code: str,
        message: str,
        hint: str | None = None,
        severity: str = "error",
        ground: Ground | None = None,
    ) -> None:
        """Report a finding at a node, unless reports are not wanted here."""
        if self.muted:
            self.wrong |= self.listens and self.muted == 1 and severity == "error"
            return
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        finding = Finding(
            self.path,
            line,
            column,
            getattr(node, "end_lineno", None) or line,
            getattr(node, "end_col_offset", None) or column + 1,
            code,
            _readable(message),
            hint and _readable(hint),
            "note" if severity == "note" else "error",
        )
        if severity == "note":  # what is so in the last turn of a loop is so in each
            if self.counting:  # but not what is so on one of several ways
                self.findings[line, column, code] = finding
        else:
            kept = self.findings.setdefault((line, column, code), finding)
            if ground is not None and kept is finding:
                self.grounds[line, column, code] = ground
            if self.undecided:
                self.perhaps.add((line, column, code))

    def declared(self, node: ast.AST, value: Value) -> None:
        """What an annotation says of an expression is known of it."""
        if self.counting and self.known.get(node) is False and isinstance(value, Tensor):
            self.known[node] = value.is_known

    def take(self, other: Reporter) -> None:
        """What was reported to another, too."""
        for found, more in ((self.findings, other.findings), (self.elsewhere, other.elsewhere)):
            found.update({key: finding for key, finding in more.items() if key not in found})
        self.grounds = {**other.grounds, **self.grounds}
        self.known.update(other.known)
        self.perhaps |= other.perhaps

    def mute(self) -> _Muted:
        """Nothing is reported inside ``with reporter.mute():``."""
        return _Muted(self)


@dataclass(frozen=True, slots=True)
class _Muted:
    reporter: Reporter

    def __enter__(self) -> None:
        self.reporter.muted += 1

    def __exit__(self, *error: object) -> None:
        self.reporter.muted -= 1


@dataclass(slots=True)
class Loop:
    """The states that leave a loop's body early, and what is found where not every item may lead."""

    breaks: State | None = None
    continues: State | None = None
    targets: frozenset[str] = frozenset()  # of a loop over items that are not looked at one by one
    doubtful: set[tuple[int, int, str]] = field(default_factory=set)
    body: Sequence[ast.stmt] = ()  # of a first turn
    ways: list[State] = field(default_factory=list)  # to its end, by a fork in it
    turns: int = 1  # that are run one by one


@dataclass(slots=True)
class Frame:
    """An evaluation in progress.  ``state`` is None where the code is not reached."""

    interpreter: Interpreter | Any
    module: Module | Any
    state: State
    reporter: Reporter
    function: FunctionV | None = None
    owner: ClassInfo | None = None
    closure: Mapping[str, Value] = field(default_factory=dict)
    local_names: Set[str] = frozenset()
    result: Spec | None = None
    returns: list[tuple[ast.AST, Value]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    bound: list[Mapping[str, Size]] = field(default_factory=list)  # axis names at each return
    exits: list[State] = field(default_factory=list)
    raised: list[State] = field(default_factory=list)  # at each ``raise`` of the ``try`` that is run
    loops: list[Loop] = field(default_factory=list)
    depth: int = 0
    given: tuple[Value, ...] = ()  # what a call gave it, its own object first
    declared: dict[str, Spec] = field(default_factory=dict)
    holding: dict[str, tuple[Spec, Names]] = field(default_factory=dict)  # of annotated lists and dicts
    rebound: Set[str] = frozenset()  # names that functions defined here rebind whenever they are called
    is_async: bool = False
    optional: Mapping[str, Set[str]] = field(default_factory=dict)  # parameter -> axes only it may bind
    taken: Iterable[Taken] = ()  # slices of which the length is that of a name
    last_call: tuple[ast.Call, Args] | None = None  # the call that was evaluated last, and what it was given
    counters: dict[Size, Iterable[int]] = field(default_factory=dict)  # of a loop, with what they run through
    parted: bool = False  # what is run is on one of two ways of a flag
    exhausted: bool = False  # the rest of the body was not looked at

    def comparing(self) -> contextlib.AbstractContextManager[None]:
        """Inside the block two sizes may be one that were compared on the way here, whatever came of it."""
        asked = self.state.asked
        return coinciding(lambda a, b: among(a, b, asked)) if asked else contextlib.nullcontext()

    def is_qualified(self) -> bool:
        """Whether what is run is reached on some ways only, or where sizes are known to be one, or may be."""
        state = self.state
        return bool(self.depth or state.tests or state.proven or state.asked)

    def lookup(self, name: str) -> Value:
        """The value of a name here: local, enclosing, global, builtin."""
        if name in self.state.variables:
            return self.state.variables[name]
        if name in self.local_names:
            return UNKNOWN
        if name in self.closure:
            return self.closure[name]
        return self.module.lookup(name)

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression here."""
        return self.interpreter.evaluate(self, node)

    def run(self, body: Sequence[ast.stmt]) -> bool:
        """Run statements here; False where their end is not reached."""
        return self.interpreter.run(self, body)

    def call(self, function: Value, args: Args, node: ast.AST) -> Value:
        """What calling a value gives here."""
        return self.interpreter.call(self, function, args, node)

    def call_method(
        self,
        receiver: Value,
        name: str,
        values: tuple[Value, ...],
        keywords: Mapping[str, Value],
        node: ast.AST,
        nodes: tuple[ast.expr | None, ...],
    ) -> Value:
        """What a method of a tensor gives here."""
        return self.interpreter.call_method(self, receiver, name, values, keywords, node, nodes)

    def tie(self, node: ast.AST) -> Callable[[Size, Size], bool] | None:
        """Notes what must be equal from here on; answers False where that cannot be."""
        if self.depth:
            return None
        ties, before = self.state.ties, self.state.ties.copy()

        def note(a: Size, b: Size) -> bool:
            if before.conflict(a, b) is not None:  # what one promise ties at once may be a square
                return False
            ties.add(a, b, getattr(node, "lineno", 0))
            return True

        return note

    def blamed(self) -> bool:
        """Whether something in this body was reported: what follows from it is not reported again."""
        lines = [line for line, _, code in self.reporter.findings if code not in ("note", "aside")]
        if not lines or self.function is None:
            return bool(lines)
        node = self.function.node
        last = node.end_lineno or node.lineno
        return any(node.lineno <= line <= last for line in lines)

    def place(self, node: ast.AST) -> str:
        """A name for the unknown sizes that arise at a node."""
        return f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


_LOOSE = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Await)


def callable_on(hint: str | None, nodes: Iterable[ast.expr | None]) -> str | None:
    """A hint such as ``use t - 1.long()`` with the operands in brackets that need them."""
    for node in nodes:
        if hint is not None and isinstance(node, _LOOSE):
            text = source(node, 40)
            hint = f" {hint}".replace(f" {text}.", f" ({text}).")[1:]
    return hint


def source(node: ast.AST, limit: int = 60) -> str:
    """An expression as the user wrote it (normalised), shortened where it is long."""
    text = _name(node) or _unparsed(node)
    return text if len(text) <= limit else text[: limit - 3].rstrip() + "..."


def _name(node: ast.AST) -> str | None:
    """``x`` or ``self.x``, as most expressions are: much sooner than ``ast.unparse``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return None


_unparsed = lru_cache(maxsize=4096)(ast.unparse)  # a body is run many times
