"""Which constructor integers are axes of the methods: by evidence (see ``classes``)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from typedtorch.shapes.equality import observing
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.checking import check_methods
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.program.class_text import Def, is_stub
from typedtorch.shapes.scopes import GIVEN_SCOPE, LINKED_SCOPE, LOCAL_SCOPE, STATED_SCOPE
from typedtorch.shapes.size import Atom, Poly, Size, atoms, axis
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.signatures import Signature
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter
    from typedtorch.shapes.infer.values.values import FunctionV


Method: TypeAlias = Def | ast.Lambda


@dataclass(slots=True)
class Evidence:
    """What axes of the methods were compared with."""

    integers: frozenset[str]
    agreed: set[str] = field(default_factory=set)
    met: dict[str, set[str]] = field(default_factory=dict)  # axis -> other integers it met, alone
    given: dict[str, set[str]] = field(default_factory=dict)  # likewise, those that a call gave for it
    other: set[str] = field(default_factory=set)  # axes that met an expression
    multiple: set[str] = field(default_factory=set)  # axes that met a multiple of their own integer
    sums: set[frozenset[str]] = field(default_factory=set)  # axes that met a sum, and all names of both
    elsewhere: set[str] = field(default_factory=set)  # integers that are sizes of other axes, or of none
    stated: set[str] = field(default_factory=set)  # axes that an assert says are some number
    own: frozenset[str] = frozenset()  # that only the result of the method at hand names
    taken: set[str] = field(default_factory=set)  # axes that some method takes
    given_back: set[str] = field(default_factory=set)  # that a result names of which some argument is unsaid
    by_taken: set[str] = field(default_factory=set)  # and those that met something there
    weighed: dict[Method, set[str]] = field(default_factory=dict)  # axes that met something, by method
    here: set[str] = field(default_factory=set)  # of the method at hand
    parts: dict[Method, set[str]] = field(default_factory=dict)  # axes that met a part of their integer alone
    part: set[str] = field(default_factory=set)  # of the method at hand
    whole: set[str] = field(default_factory=set)  # and those that met the integer itself

    def enter(self, function: FunctionV, signature: Signature) -> None:
        """What is met from here on is met in another method."""
        self.part -= self.whole
        self.part, self.whole = self.parts.setdefault(function.node, set()), set()
        self.own = signature.existential
        self.here = set() if is_stub(function.node) else self.weighed.setdefault(function.node, set())
        self.taken |= {name for p in signature.parameters for name in specs.axis_names(p.spec)}
        if any(isinstance(p.spec, specs.Anything) and p.default is None for p in signature.parameters):
            self.given_back |= signature.existential

    def __call__(self, a: Size, b: Size) -> None:
        if any(atom.scope.startswith(LOCAL_SCOPE) for atom in (*atoms(a), *atoms(b))):
            return  # a variable of a method may have the name of an integer of the object
        axes = [atom for atom in (*atoms(a), *atoms(b)) if atom.kind == "axis"]
        self.by_taken |= {atom.name for atom in axes if atom.scope in ("", GIVEN_SCOPE)} - self.own
        if any(map(self._is_own, (*atoms(a), *atoms(b)))):
            self.here |= {atom.name for atom in axes if not atom.scope or atom.name in self.own}
        self._elsewhere(a, b)
        self._elsewhere(b, a)
        self._products(a, b)
        self._products(b, a)
        self._sums(a, b)
        self._sums(b, a)
        first, second = _alone(a), _alone(b)
        for one, two, whole in ((first, second, b), (second, first, a)):
            if one is None or one.kind != "axis" or one.name not in self.integers:
                continue
            if one.scope == STATED_SCOPE:
                self.stated.add(one.name)
            if one.scope not in ("", GIVEN_SCOPE):
                continue
            if two is not None and two.kind == "int" and two.name in self.integers:
                if two.name == one.name:
                    self.agreed.add(one.name)
                    self.whole.add(one.name)
                else:
                    found = self.given if one.scope else self.met
                    found.setdefault(one.name, set()).add(two.name)
            elif any(map(self._is_own, atoms(whole))):
                self.other.add(one.name)
                if any(atom.name == one.name for atom in atoms(whole)):
                    self.part.add(one.name)

    def _is_own(self, atom: Atom) -> bool:
        return atom.kind == "int" and atom.name in self.integers

    def _elsewhere(self, size: Size, other: Size) -> None:
        """``d`` of the constructor against an axis of another name, or beside one: ``t + 1 - k``."""
        if isinstance(size, int):
            return
        own = {atom.name for atom in atoms(size) if self._is_own(atom)}
        one, two = _alone(size), _alone(other)
        another = one is not None and two is not None and two.kind != "int" and two.name not in self.integers
        if another or (len(size.terms) > 1 and any(atom.kind == "axis" for atom in atoms(size))):
            self.elsewhere |= own

    def _sums(self, axes: Size, integers: Size) -> None:
        """``obs + act`` of the axes against ``obs + act`` of the integers, or ``2*obs`` against it."""
        own, theirs = _summands(axes, "axis"), _summands(integers, "int")
        names = own.keys() | theirs.keys()
        if len(names) < 2 or own.keys().isdisjoint(theirs) or not names <= self.integers:
            return
        if own == theirs:
            self.agreed |= names
        else:
            self.sums.add(frozenset(names))

    def _products(self, a: Size, b: Size) -> None:
        """``3*d`` of an axis against ``2*d`` of the integer, or ``k*k*d`` against ``k*d``, k an integer."""
        one, two = _factors(a), _factors(b)
        axes = [atom for atom in one if atom.kind == "axis"]
        if len(axes) != 1 or axes[0].scope or one.pop(axes[0]) != 1:
            return
        name = axes[0].name
        others = [atom for atom in two if atom.name == name]
        if len(others) != 1 or two.pop(others[0]) != 1:
            return
        if not all(map(self._is_own, (*others, *one, *two))):
            return
        (self.agreed if one == two and _coefficient(a) == _coefficient(b) else self.multiple).add(name)


def _add_those_of_callees(weighed: Mapping[Method, set[str]]) -> None:
    """What met something in a method counts in those that call it as well."""
    by_name: dict[str, list[set[str]]] = {}
    for method, names in weighed.items():
        by_name.setdefault(getattr(method, "name", ""), []).append(names)
    called = {method: {n.attr for n in walk(method) if isinstance(n, ast.Attribute)} for method in weighed}
    growing = True
    while growing:
        growing = False
        for method, names in weighed.items():
            more = set[str]().union(*(found for name in called[method] for found in by_name.get(name, ())))
            growing |= not more <= names
            names.update(more)


def _leave_out_parts(evidence: Evidence) -> None:
    """``rms(self, x: "b h s dim")`` that multiplies by ``dim // heads``: there the name is of a head."""
    evidence.part -= evidence.whole
    for method, names in evidence.weighed.items():
        if getattr(method, "name", "") not in _PUBLIC:
            names.difference_update(evidence.parts.get(method, ()))


_PUBLIC = frozenset({"__init__", "__call__", "forward"})  # they are given what the constructor speaks of


def _given_anew(info: ClassInfo) -> set[str]:
    """Names of the base's constructor that are given something else there: ``super().__init__(2 * d)``."""
    found, base = info.find("__init__"), info.find("__init__", info)
    if found is None or base is None or found[0] is not info:
        return set()
    parameters = [a.arg for a in (*base[1][-1].args.posonlyargs, *base[1][-1].args.args)][1:]
    changed: set[str] = set()
    for node in walk(found[1][-1]):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__":
            given = [*zip(parameters, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
            changed |= {name for name, value in given if name and not _is_name(value, name)}
    return changed


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _of_arguments(interpreter: Interpreter, info: ClassInfo) -> set[str]:
    """Axis names of the arguments of ``forward``: a name that only a result has may say too little."""
    function = info.as_function("forward")
    if function is None:
        return set()
    found: set[str] = set()
    for parameter in interpreter.signature(function).parameters:
        found |= specs.axis_names(parameter.spec)
    return found


def _summands(size: Size, kind: str) -> dict[str, int]:
    """How often each name stands in a sum of bare names of one kind; nothing for any other size."""
    found = {}
    for monomial, coefficient in size.terms if isinstance(size, Poly) else ():
        atom, power = monomial[0] if len(monomial) == 1 else (None, 0)
        if atom is None or atom.kind != kind or atom.scope or power != 1:
            return {}
        found[atom.name] = coefficient
    return found


def _factors(size: Size) -> dict[Atom, int]:
    """The names a size is a product of, each with its power; nothing for a sum."""
    return dict(size.terms[0][0]) if isinstance(size, Poly) and len(size.terms) == 1 else {}


def _coefficient(size: Size) -> int:
    return size.terms[0][1] if isinstance(size, Poly) else size


def _alone(size: Size) -> Atom | None:
    """The atom a size consists of, if it is one."""
    if isinstance(size, Poly) and len(size.terms) == 1:
        monomial, coefficient = size.terms[0]
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return None


def discover(interpreter: Interpreter, info: ClassInfo) -> dict[str, Size]:
    """Run the methods with unlinked integers and weigh what their axes met."""
    integers = frozenset(info.integer_parameters())
    named = info.annotation_names()
    if not integers & named:
        return {}
    evidence = Evidence(integers)
    reporter = Reporter(info.module.path, muted=1, counting=False)
    pending = interpreter.pending, interpreter.pending_classes
    interpreter.pending, interpreter.pending_classes = {}, {}
    try:
        with observing(evidence):
            for ancestor in info.mro():
                check_methods(interpreter, ancestor, info, reporter, linked=False, entering=evidence.enter)
    finally:
        interpreter.pending, interpreter.pending_classes = pending
    _add_those_of_callees(evidence.weighed)
    _leave_out_parts(evidence)
    info.weighed = evidence.weighed
    linked = set(evidence.agreed)
    for name in evidence.met.keys() | evidence.given.keys():
        used, given = evidence.met.get(name, set()), evidence.given.get(name, set())
        if used == given and len(used) == 1:
            continue  # who calls and who is called mean the other integer by this name
        if name in evidence.elsewhere - evidence.taken:
            continue  # the result alone has an axis of this name, and the integer is used for another
        if name not in evidence.agreed and name not in evidence.other:
            linked |= {name, *used, *given}
    alone = evidence.multiple - evidence.agreed - evidence.met.keys() - evidence.given.keys()
    if alone:
        linked |= alone & _of_arguments(interpreter, info)
    for names in evidence.sums:
        if names.isdisjoint(evidence.met.keys() | evidence.given.keys()):
            linked |= names if names <= _of_arguments(interpreter, info) else frozenset()
    linked -= evidence.stated | _given_anew(info)
    # a table of ``"seq dim"`` that one method returns says nothing of the ``seq`` that another takes
    linked -= evidence.taken - evidence.by_taken
    linked -= evidence.given_back - evidence.taken  # what the result has may be what was given
    defaulted = info.defaulted()
    return {name: axis(name, LINKED_SCOPE + defaulted.get(name, "")) for name in sorted(linked)}
