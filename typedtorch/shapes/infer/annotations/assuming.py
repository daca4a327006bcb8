"""What an annotation promises, as a value; and the sizes that axis names have been given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from typedtorch.shapes import dtypes
from typedtorch.shapes.axes import Dim, evaluate
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.specs import ArraySpec, Spec
from typedtorch.shapes.infer.values.contents import OF_ITEMS, Substitution, sizes_in, with_parts
from typedtorch.shapes.infer.values.values import (
    Awaitable,
    DictV,
    Instance,
    Object,
    Sequence,
    Value,
    choice,
    of_others,
)
from typedtorch.shapes.rule import Fields
from typedtorch.shapes.rules.layout import contiguous_strides
from typedtorch.shapes.size import Atom, Size, axis, integer, substitute, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    PROMISED,
    UNKNOWN,
    Entry,
    Pack,
    Scalar,
    Shape,
    Tensor,
)


def in_result(name: str, place: str) -> Size:
    """The size of an axis that a call does not bind, and that its result may mention in several places."""
    return unknown(f"?{place}{PROMISED}{name}")


def _no_brace(_: str) -> Size | None:
    return None


@dataclass(slots=True)
class Names:
    """What axis names mean in one evaluation.

    ``default`` gives a name met for the first time its size when an annotation is assumed: the
    generic axis for a function's own parameters, a fresh unknown for a call's result.
    """

    default: Callable[[str], Size]
    sizes: dict[str, Size] = field(default_factory=dict)
    packs: dict[str, Shape] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    binders: dict[str, str] = field(default_factory=dict)
    brace: Callable[[str], Size | None] = _no_brace
    generic: bool = False  # names are the function's own: packs are generic too
    several: bool = False  # inside a list or dict: an anonymous axis is not one size
    strict: bool = False  # a function's own result: a name is not a number
    free: frozenset[str] = frozenset()  # names that no argument binds on some way here
    dispatched: bool = False  # a test has told one of the names from a number
    where: str = ""  # distinguishes the unknown sizes of one call from those of another
    of_items: frozenset[str] = frozenset()  # names of axes that each item of a list has for itself
    spread: Mapping[str, int] = field(default_factory=dict)  # how many axes a run of axes is taken for
    of_tensors: Names | None = None  # what an argument that may be a number binds where it is a tensor
    tie: Callable[[Size, Size], bool] | None = None  # False where two sizes that must be one cannot be
    tied: Callable[[Size, Size], bool] | None = None  # whether two sizes had to be one before

    def size(self, name: str) -> Size:
        """The size of an axis name, from now on the same."""
        if name not in self.sizes:
            self.sizes[name] = self.default(name)
        return self.sizes[name]

    def pack(self, name: str) -> Shape:
        """The run of axes that ``*name`` stands for, from now on the same."""
        if name not in self.packs:
            known = self.spread.get(name)
            if known is not None:
                self.packs[name] = tuple(axis(f"*{name}{'*' * i}") for i in range(known))
            else:
                self.packs[name] = (Pack(name if self.generic else f"?{self.where}{name}"),)
        return self.packs[name]

    def release(self, names: frozenset[str]) -> None:
        """Nothing is known of these names: no argument has bound them."""
        self.free = names
        for name in names:
            self.sizes.pop(name, None)
            self.packs.pop(name, None)

    def copy(self) -> Names:
        """The same names, of which more can be bound without binding them here."""
        return Names(
            self.default, dict(self.sizes), dict(self.packs), dict(self.variables), dict(self.binders),
            self.brace, self.generic, self.several, self.strict, self.free, self.dispatched, self.where,
            self.of_items, self.spread, tied=self.tied,
        )  # fmt: skip

    def complete(self, other: Names) -> None:
        """Take over what another has bound beyond this."""
        self.sizes = {**other.sizes, **self.sizes}
        self.packs = {**other.packs, **self.packs}

    def learn(self, known: Mapping[Atom, Size]) -> None:
        """Sizes turned out to be others, or one of several."""
        if known:
            self.sizes = {name: substitute(size, known) for name, size in self.sizes.items()}

    def adopt(self, other: Names, *others: Names) -> None:
        """Take over what a trial copy has bound; of several, what all of them have bound alike."""
        self.sizes, self.packs = other.sizes, other.packs
        self.variables, self.binders = other.variables, other.binders
        for another in others:
            self.sizes = {k: v for k, v in self.sizes.items() if another.sizes.get(k) == v}
            self.packs = {k: v for k, v in self.packs.items() if another.packs.get(k) == v}
            self.variables = {k: v for k, v in self.variables.items() if another.variables.get(k) is v}


def assume(spec: Spec, names: Names, hint: str = "") -> Value:
    """The value an annotation promises.  ``hint`` names integers, for messages."""
    match spec:
        case ArraySpec():
            return assume_array(spec, names, hint)
        case specs.NoneSpec():
            return None
        case specs.NumberSpec(kind=kind):
            return _assume_number(kind, names, hint)
        case specs.LiteralSpec(values=values):
            return choice(list(values)) if values else UNKNOWN
        case specs.UnionSpec(options=options):
            if names.of_tensors is not None and any(isinstance(o, specs.NumberSpec) for o in options):
                names.complete(names.of_tensors)  # a number for a number, and a tensor for a tensor
            return choice([assume(option, names, hint) for option in options])
        case specs.TupleSpec(items=items):
            parts = (assume(item, names, f"{hint}[{i}]") for i, item in enumerate(items))
            return tuple(parts) if specs.shaped(spec) else Fields(parts)
        case specs.SequenceSpec(kind=kind, element=element):
            if kind == "context":
                return UNKNOWN
            return Sequence("list" if kind == "tuple" else kind, None, _each(element, names, hint))
        case specs.DictSpec(value=value):
            return DictV({}, of_others(_each(value, names, hint)))
        case specs.AwaitableSpec(result=result):
            return Awaitable(assume(result, names, hint))
        case specs.CallableSpec():
            return Promise(spec, names)
        case specs.ClassSpec(info=info):  # or a subclass, whose constructor takes what it likes
            return Promise(specs.CallableSpec(None, specs.InstanceSpec(info)), names)
        case specs.InstanceSpec(info=info, arguments=arguments):
            given = zip(info.type_parameters(), arguments, strict=False)
            return info.assumed(hint, {name: assume(argument, names, hint) for name, argument in given})
        case specs.ObjectSpec(name=name):
            return Object(name)
        case specs.VariableSpec(name=name):
            return names.variables.get(name, UNKNOWN)
    return UNKNOWN


def _each(spec: Spec, names: Names, hint: str) -> Value:
    """One of several items: an anonymous axis is another in each, and so are the axes of an object."""
    outside, names.several = names.several, True
    value = assume(spec, names, f"{hint}[i]")
    names.several = outside
    for name in names.of_items:
        names.sizes.pop(name, None)
    return _of_one_item(value, names.of_items, f"{hint}[i]")


def _of_one_item(value: Value, named: frozenset[str], hint: str) -> Value:
    """The objects in an item with sizes of their own, of which nothing is known, and so its tensors' axes."""
    if isinstance(value, tuple):
        return with_parts(value, lambda part: _of_one_item(part, named, hint))
    if not (isinstance(value, (Instance, DictV)) or (named and isinstance(value, Tensor))):
        return value
    found = [a for a in sizes_in(value) if isinstance(a, Atom)]
    if isinstance(value, Tensor):
        own = [a for a in found if a.kind == "axis" and a.name in named]
    else:
        own = [a for a in found if a.kind == "int" or (a.kind == "axis" and a.scope)]
    apart = {a: unknown(f"?{hint}.{a.scope}{OF_ITEMS}{a.name}") for a in own}
    return Substitution(apart)(value) if own else value


@dataclass(frozen=True, slots=True, eq=False)
class Promise:
    """A parameter annotated ``Callable[[...], ...]``."""

    spec: specs.CallableSpec
    names: Names


def _assume_number(kind: str, names: Names, hint: str) -> Value:
    if kind == "int":
        return integer(hint) if names.generic and hint else unknown(f"?{names.where}{hint}")
    if kind == "bool":
        return Scalar("bool", name=hint if names.generic else "")
    return Scalar("complex" if kind == "complex" else "float")


def assume_array(spec: ArraySpec, names: Names, hint: str = "") -> Tensor:
    """A tensor that is just what its annotation says."""
    entries: list[Entry] = []
    for i, dim in enumerate(spec.axes.dims):
        entries.extend(_assume_dim(dim, names, f"?{names.where}{hint}.{i}"))
    # jax has numpy's operators and methods, and makes other dtypes of two that differ
    library: Literal["torch", "numpy"] = "numpy" if spec.library in ("numpy", "jax") else "torch"
    dtype = dtypes.ANY if spec.library == "jax" else spec.dtype
    # a signature claims every tensor of its shape, so also those that lie in memory row by row
    layout = contiguous_strides(tuple(entries)) if names.generic and library == "torch" else None
    return Tensor(tuple(entries), dtype, layout=layout, library=library)


def _assume_dim(dim: Dim, names: Names, place: str) -> Shape:
    """A broadcastable axis of a function's own signature is taken at its full size, one of the sizes
    it claims to work for; in a call's result it may be 1."""
    flexible = dim.broadcastable and not names.generic
    if dim.variadic:
        if dim.kind == "anonymous" and names.generic and "..." in names.spread:
            return tuple(axis(f"...{'.' * i}", "_...") for i in range(names.spread["..."]))
        if dim.kind == "anonymous" or flexible or dim.treepath:
            return (ANY_AXES,)
        return names.pack(dim.name)
    if dim.kind == "anonymous":
        return (axis("_", f"_{place}") if names.generic and not names.several else unknown(place),)
    if flexible or dim.treepath:
        if dim.kind == "named" and names.sizes.get(dim.name) == 1:
            return (1,)
        return (unknown(f"{place}#{dim.name}"),)
    if dim.kind == "fixed":
        return (dim.size or 0,)
    if dim.kind == "named":
        return (names.size(dim.name),)
    known = evaluate(dim, names.size, names.brace)
    return (unknown(place) if known is None else known,)
