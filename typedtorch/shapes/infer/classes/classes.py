"""Classes of the program: members, bases, constructors, and what an instance remembers.

Class-scoped axes.  An axis of a method that is also an int parameter of ``__init__`` *usually* means
the instance's.  The criterion is evidence, not the name: the methods are first evaluated with the
constructor's integers as numbers that may equal anything, while every comparison of an axis with
such an integer is observed.  Where an axis meets the integer of its own name (``x`` is ``(b, d_in)``
and goes into ``Linear(d_in, d_out)``), the name is linked.  Where it only ever meets something else,
the two names coincide by accident and nothing is reported.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.specs import Spec
from typedtorch.shapes.infer.classes.given_sizes import integers_in
from typedtorch.shapes.infer.classes.updates import assigned_later
from typedtorch.shapes.infer.program.class_kinds import Kind, class_of, kind_of
from typedtorch.shapes.infer.program.class_text import (
    Def,
    axis_words,
    declared_attributes,
    defaults,
    is_class_variable,
    sets_by_name,
    with_default,
)
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    External,
    FunctionV,
    Instance,
    SpecV,
    Value,
)
from typedtorch.shapes.scopes import DEFAULTED, HELD_SCOPE, INSTANCE_SCOPE
from typedtorch.shapes.size import Size, axis, integer

if TYPE_CHECKING:
    from typedtorch.shapes.infer.checking import Checked
    from typedtorch.shapes.infer.program.program import Module


@dataclass(slots=True, eq=False, repr=False)
class ClassInfo:
    """One class statement."""

    node: ast.ClassDef
    module: Module | Any
    closure: dict[str, Value] = field(default_factory=dict)
    methods: dict[str, list[Def]] = field(default_factory=dict)
    alternatives: set[str] = field(default_factory=set)  # methods of which a condition chooses one of two
    assigned: dict[str, ast.expr] = field(default_factory=dict)
    annotated: dict[str, ast.expr] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    _rewrites: bool | None = None
    self_stores: dict[str, set[str]] = field(default_factory=dict)  # attribute -> methods that assign it
    self_within: dict[str, set[str]] = field(default_factory=dict)  # of which they assign an attribute
    self_changes: dict[str, set[str]] = field(
        default_factory=dict
    )  # attribute -> methods that change its items
    _bases: list[Value] | None = None
    _settled: bool = False  # the bases are known, not just being looked up
    _mro: list[ClassInfo] | None = None
    _kind: Kind | None = None
    _replaced: frozenset[str] | None = None
    _integers: list[str] | None = None
    answers: dict[tuple[Any, str], bool] = field(default_factory=dict)  # see ``updates``
    reports: dict[ast.AST, Checked] = field(default_factory=dict)  # of its constructor, once it was run
    _symbolic: dict[bool, Instance] = field(default_factory=dict)
    _links: dict[str, Size] | None = None
    _linking: bool = False
    weighed: Mapping[Def | ast.Lambda, Set[str]] = field(default_factory=dict)  # see ``links.Evidence``
    keeps: Mapping[str, frozenset[int]] | None = None  # see ``kept_shapes``; None: not looked for yet
    fills: Mapping[str, Value] | None = None  # see ``kept_items``; None: not looked for yet
    helpers: dict[str, int] = field(default_factory=dict)  # what the constructor calls: how many arguments
    _names: frozenset[str] | None = None
    _specs: dict[str, Spec] = field(default_factory=dict)
    _declared: dict[str, ast.expr] | None = None  # annotations of attributes inside the constructor

    @property
    def name(self) -> str:
        """The name in the class statement."""
        return self.node.name

    @property
    def bases(self) -> list[Value]:
        """The values of the bases, in order."""
        if self._bases is None:
            self._bases = []
            self._bases = [self.evaluate(b) for b in self.node.bases if not isinstance(b, ast.Starred)]
            self._settled = True
        return self._bases

    def evaluate(self, node: ast.expr) -> Value:
        """An expression of the class body or its header."""
        return self.module.program.interpreter.evaluate_in(node, self.module, self.closure)

    def mro(self) -> Sequence[ClassInfo]:
        """This class and its bases in the program, in the order in which Python asks them."""
        if self._mro is not None:
            return self._mro
        found = self._linearised(frozenset())
        if all(info._settled for info in found):
            self._mro = found
        return found

    def _linearised(self, seen: frozenset[int]) -> list[ClassInfo]:
        """Each class before its bases, and these as they are written (C3), as far as that goes."""
        if id(self) in seen:
            return []
        parents = [info for base in self.bases if (info := class_of(base)) is not None]
        rows = [info._linearised(seen | {id(self)}) for info in parents]
        rows = [row for row in (*rows, parents) if row]
        order = [self]
        while rows:
            heads = [row[0] for row in rows]
            later = {id(info) for row in rows for info in row[1:]}
            first = next((head for head in heads if id(head) not in later), heads[0])
            order.append(first)
            rows = [left for row in rows if (left := [info for info in row if info is not first])]
        return order

    @property
    def is_settled(self) -> bool:
        """Whether its bases, and theirs, are known: what they say can be kept."""
        return self._mro is not None

    @property
    def kind(self) -> Kind:
        """What the class is by its bases."""
        if self._kind is not None:
            return self._kind
        kind = kind_of(self)
        if self.is_settled:
            self._kind = kind
        return kind

    def find(self, name: str, after: ClassInfo | None = None) -> tuple[ClassInfo, list[Def]] | None:
        """The method of a name and the class that has it; ``after`` starts behind that class."""
        skipping = after is not None
        for info in self.mro():
            if skipping:
                skipping = info is not after
                continue
            if name in info.methods:
                return info, info.methods[name]
        return None

    def is_replaced(self, name: str) -> bool:
        """Whether a member may be another: ``Net.forward = patched``, or one of two under a condition."""
        if self._replaced is not None:
            return name in self._replaced
        replaced = frozenset(
            [
                attribute
                for info in self.mro()
                for owner, attribute in info.module.facts(info.module.tree).stored
                if owner in (info.name, "cls")
            ]
        ).union(*(info.alternatives for info in self.mro()))
        if self.is_settled:
            self._replaced = replaced
        return name in replaced

    def spec(self, name: str) -> Spec | None:
        """The annotation of an attribute, on this class or a base."""
        for info in self.mro():
            if name in info._specs:
                return info._specs[name]
            if name in info.annotated:
                spec = reading.read(info.annotated[name], info.evaluate)
                info._specs[name] = spec
                return spec
        return self._spec_at_start(name)

    def spec_of_any(self, name: str) -> Spec | None:
        """Likewise of an object of any subclass: ``kind: Literal["node"] = "node"`` marks one class."""
        spec = self.spec(name)
        marks = isinstance(spec, specs.LiteralSpec) and any(name in info.assigned for info in self.mro())
        return specs.ANYTHING if marks else spec

    def _spec_at_start(self, name: str) -> Spec | None:
        """The annotation of ``self.name: ... = ...`` in a constructor."""
        for info in self.mro():
            if info._declared is None:
                info._declared = {}
                for definition in info.methods.get("__init__", ()):
                    info._declared |= declared_attributes(definition)
            if name in info._declared:
                spec = reading.read(info._declared[name], info.evaluate)
                info._specs[name] = spec
                return spec
        return None

    @property
    def rewrites(self) -> bool:
        """Whether the class sets attributes by names it computes, as one that broadcasts its fields."""
        return any(info.sets_by_name for info in self.mro())

    @property
    def sets_by_name(self) -> bool:
        """The same of this class statement alone."""
        if self._rewrites is None:
            self._rewrites = sets_by_name(self.node)
        return self._rewrites

    def fields(self) -> dict[str, ClassInfo]:
        """The fields of a dataclass, NamedTuple or TypedDict, in the constructor's order."""
        found: dict[str, ClassInfo] = {}
        for info in reversed(list(self.mro())):
            for name in info.annotated:
                if not is_class_variable(info.annotated[name]):
                    found[name] = info
        return found

    def constructor(self) -> tuple[ClassInfo, Def] | None:
        """The ``__init__`` of the class and the class that defines it."""
        found = self.find("__init__")
        return None if found is None else (found[0], found[1][-1])

    def integer_parameters(self) -> list[str]:
        """Constructor parameters that are integers, or None where they are left out."""
        if self._integers is not None:
            return self._integers
        integers = self._find_integers()
        if self.is_settled:
            self._integers = integers
        return integers

    def _find_integers(self) -> list[str]:
        if self.kind.is_fields and self.find("__init__") is None:
            fields = [(name, self.spec(name)) for name in self.fields()]
            return [n for n, spec in fields if isinstance(spec, specs.NumberSpec) and specs.is_int(spec)]
        found = self.constructor()
        if found is None:
            return []
        info, node = found
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs][1:]
        names_used = self.annotation_names() | integers_in(node, info.node)
        given = defaults(node.args)
        floats = {a.arg for a, d in given if isinstance(d, ast.Constant) and isinstance(d.value, float)}
        return [a.arg for a in arguments if a.arg not in floats and _is_integer(a, info, names_used)]

    def annotation_names(self) -> frozenset[str]:
        """Axis names in the annotations of this class's methods, or in what those are short for."""
        if self._names is None:
            words: set[str] = set()
            for info in self.mro():
                for definitions in info.methods.values():
                    for node in definitions:
                        own, names = axis_words(node)
                        values = [info.evaluate(name) for name in names]
                        aliases = [value.spec for value in values if isinstance(value, SpecV)]
                        words |= own.union(*map(specs.axis_names, aliases))
            self._names = frozenset(words)
        return self._names

    def links(self) -> dict[str, Size]:
        """Constructor integers that are axes of the methods, by evidence (see the module's text)."""
        if self._links is not None:
            return self._links
        if self._linking:
            return {}
        self._linking = True
        try:
            self._links = self.module.program.interpreter.discover_links(self)
        finally:
            self._linking = False
        return self._links

    @property
    def linking(self) -> bool:
        """Whether the evidence is being gathered just now."""
        return self._linking

    def integer_value(self, name: str, *, linked: bool) -> Size:
        """What a constructor integer is inside the class's own methods."""
        return self.links().get(name, self.own_integer(name)) if linked else integer(name)

    def own_integer(self, name: str) -> Size:
        """An integer that is no axis of the methods: in a file with shapes, generic among its like."""
        if not self.annotation_names() and "jaxtyping" not in self.module.text:
            return integer(name)
        default = self.defaulted().get(name, "") if name.isidentifier() else DEFAULTED
        return axis(name, INSTANCE_SCOPE + default)

    def own_axis(self, name: str) -> Size:
        """An axis of a tensor the constructor is given; one named like an integer of it may be that."""
        return integer(name) if name in self.integer_parameters() else axis(name, HELD_SCOPE)

    def defaulted(self) -> dict[str, str]:
        """Constructor parameters with a default, and it; every integer of a passed object counts as one."""
        found = self.constructor()
        if found is None:
            return dict.fromkeys(self.assigned, DEFAULTED)
        return with_default(found[1].args)

    def symbolic(self, *, linked: bool = True) -> Instance:
        """``self`` inside a method: constructed with integers that stand for every value."""
        if self._linking:
            linked = False
        if linked not in self._symbolic:
            self._symbolic[linked] = Instance(self, {}, {}, partial=True)  # while it is being made
            self._symbolic[linked] = self.module.program.interpreter.construct_symbolic(self, linked=linked)
        return self._symbolic[linked]

    def kept_shapes(self, attribute: str) -> Mapping[str, frozenset[int]]:
        """Attributes that methods assign anew with as many axes, and which change; where this one may be."""
        if (
            self.keeps is None
            and not self._linking
            and True not in self._symbolic
            and assigned_later(self, attribute)
        ):
            self.symbolic()
        return self.keeps or {}

    def kept_items(self, attribute: str) -> Value:
        """A list that the constructor leaves empty and methods fill; None where its items may be anything."""
        if (
            self.fills is None
            and not self._linking
            and True not in self._symbolic
            and any(attribute in info.self_changes for info in self.mro())
        ):
            self.symbolic()
        return None if self.fills is None else self.fills.get(attribute)

    def assumed(self, hint: str, variables: Mapping[str, Value] | None = None) -> Value:
        """An instance that was passed in: annotated attributes are known, with axes of its own.

        ``variables`` are the arguments of a generic class, by the name of its type parameter.
        """
        return self.module.program.interpreter.assume_instance(self, hint, variables or {})

    def type_parameters(self) -> list[str]:
        """Names of the type variables of ``Generic[T]`` or ``Protocol[T]``."""
        for base in self.node.bases:
            if isinstance(base, ast.Subscript):
                value = self.evaluate(base.value)
                if isinstance(value, External) and value.name in ("typing.Generic", "typing.Protocol"):
                    parts = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
                    return [ast.unparse(p) for p in parts]
        return [p.name for p in getattr(self.node, "type_params", [])]

    def as_function(
        self, name: str, receiver: Value = UNKNOWN, after: ClassInfo | None = None
    ) -> FunctionV | None:
        """A method as a value, bound to its receiver where it takes one."""
        found = self.find(name, after)
        if found is None:
            return None
        info, definitions = found
        return self.module.program.interpreter.method(info, definitions, receiver)


def _is_integer(argument: ast.arg, info: ClassInfo, used: frozenset[str]) -> bool:
    if argument.annotation is not None:
        spec = reading.read(argument.annotation, info.evaluate)
        return specs.is_int(spec) or specs.is_int_or_none(spec)
    return argument.arg in used
