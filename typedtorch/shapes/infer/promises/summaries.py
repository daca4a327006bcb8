"""What a function gives back, in terms of what it was given.

``-> Float[Tensor, "batch frames dim"]`` promises that ``frames`` is some size; the body says which.
Each body is evaluated once, as it is checked, on its own annotations; the sizes its returns bind to
the names that only the result mentions, and the object it returns, are polynomials in the names of
its parameters and the integers of its instance.  A call puts its own sizes in their place.  What
cannot be expressed so stays unknown, and the annotation remains the contract.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.calls.binding import tensors_given
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.expressions.slicing import in_call
from typedtorch.shapes.infer.frame import Frame, Reporter
from typedtorch.shapes.infer.layers.made_layers import remade
from typedtorch.shapes.infer.promises.as_made import is_as_made
from typedtorch.shapes.infer.values.contents import map_tensors, sizes_in
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Value,
    captures_alike,
    is_size,
    join_all,
)
from typedtorch.shapes.ones import LENGTH_SCOPE
from typedtorch.shapes.proofs import Facts, common
from typedtorch.shapes.scopes import HELD_SCOPE, INSTANCE_SCOPE, INTEGER_SCOPE, LINKED_SCOPE, OWN, bare
from typedtorch.shapes.size import Atom, Size, atoms, unknown
from typedtorch.shapes.taken import Taken, uncertain
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Tensor

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter, Signature
    from typedtorch.shapes.infer.values.state import State

MAX_NESTED = 3  # summaries that wait for one another
Bound = Mapping[str, tuple[Value, "ast.expr | None"]]


@dataclass(frozen=True, slots=True)
class Summary:
    """Sizes of the names that only the result mentions, and the object that is returned.

    ``needs``: pairs of sizes that must be one on every way through the body, with the line that wants it;
    ``proven``: what the body has found out of its sizes wherever it returns.
    """

    sizes: Mapping[str, Size] = field(default_factory=dict)
    value: Value = UNKNOWN
    of: FunctionV | None = None  # with what it captured
    needs: tuple[tuple[Size, Size, int], ...] = ()
    proven: Facts = ()
    taken: tuple[Taken, ...] = ()  # slices that a call may cut off
    suspect: bool = False  # the body may have an error of its own: callers then go by what is annotated


NOTHING = Summary()


def record(frame: Frame, signature: Signature, *, reached: bool) -> None:
    """Remember what a body that was just evaluated gives back."""
    assert frame.function is not None
    table = frame.interpreter.summaries
    suspect = frame.reporter.wrong or frame.blamed()
    sizes: dict[str, Size] = {}
    for name in signature.existential if frame.bound else ():
        found = {bound.get(name) for bound in frame.bound}
        size = found.pop()
        if not found and size is not None:
            sizes[name] = size
    taken = tuple(frame.taken)
    either_way = uncertain(taken)
    sizes = {name: size for name, size in sizes.items() if atoms(size).isdisjoint(either_way)}
    value: Value = UNKNOWN
    if instances(signature.result) and frame.returns:
        value = join_all([v for _, v in frame.returns], "result")
    ends = [*frame.exits, frame.state] if reached else frame.exits
    table[_key(frame.function)] = Summary(
        sizes, value, frame.function, _needs(ends), _proven(ends), taken, suspect
    )


def _needs(ends: Sequence[State]) -> tuple[tuple[Size, Size, int], ...]:
    found = []
    for pair, line in ends[0].ties.lines.items() if ends else ():
        a, b = min(pair, key=str), max(pair, key=str)
        if _of_signature(a, b) and all(state.ties.known(a, b) for state in ends):
            found.append((a, b, line))
    return tuple(found)


def _proven(ends: Sequence[State]) -> Facts:
    facts = common([state.proven for state in ends]) if ends else ()
    return tuple([fact for fact in facts if _of_signature(fact, 0)])


def _of_signature(a: Size, b: Size) -> bool:
    """Whether two sizes are made of what a signature and its object name, and not of the object's alone."""
    found = [atom for atom in atoms(a) | atoms(b) if atom.kind != "floor"]
    given = {a.scope for a in found if bare(a.scope) not in OWN}
    return {atom.kind for atom in found} == {"axis"} and bool(given) and given <= _PASSED


_PASSED = {"", INTEGER_SCOPE}


def _key(function: FunctionV) -> tuple[int, int]:
    receiver = function.bound
    return id(function.node), id(receiver.info) if isinstance(receiver, Instance) else 0


def bind(frame: Frame, function: FunctionV, signature: Signature, bound: Bound, names: Names) -> None:
    """Give the names that only the result mentions their sizes in this call."""
    if not signature.existential or signature.existential <= names.sizes.keys():
        return
    if not are_as_made(function, bound):
        return
    summary = _summary(frame.interpreter, function)
    if not summary.sizes or is_wrong(frame.interpreter, function):
        return
    own = meaning(function, signature, {**_left_out(frame, function, signature, bound), **bound}, names)
    unsaid = any(not specs.shaped(spec) for spec, _ in tensors_given(signature.parameters, bound))
    for name, size in summary.sizes.items():
        if name not in names.sizes:
            try:
                here = in_call(size, summary.taken, own)
            except LookupError:
                continue
            if here != 1 or size == 1 or not unsaid:  # else what is unknown in the body may widen it
                names.sizes[name] = here


def are_as_made(function: FunctionV, bound: Bound) -> bool:
    """Whether the objects of a call are what the body was looked at with: those that constructors make."""
    objects = [function.bound, *(value for value, _ in bound.values())]
    return all(is_as_made(value) for value in objects if isinstance(value, Instance) and not value.assumed)


def _left_out(frame: Frame, function: FunctionV, signature: Signature, bound: Bound) -> Bound:
    """What stands for the arguments that a call leaves out."""
    closure = function.closure or {}
    return {
        p.name: (frame.interpreter.evaluate_in(p.default, function.module, closure), None)
        for p in signature.parameters
        if p.default is not None and p.name not in bound
    }


def instances(result: specs.Spec) -> tuple[tuple[int | None, ClassInfo], ...]:
    """The objects in a result: it is one (at None), or a tuple with some."""
    if isinstance(result, specs.InstanceSpec):
        return ((None, result.info),)
    items = result.items if isinstance(result, specs.TupleSpec) else ()
    return tuple((i, item.info) for i, item in enumerate(items) if isinstance(item, specs.InstanceSpec))


def returned(
    frame: Frame,
    function: FunctionV,
    bound: Bound,
    names: Names,
    info: ClassInfo,
    place: str,
    item: int | None = None,
) -> Value:
    """The object a call gives back (an item of its tuple); unknown where the body does not show it."""
    summary = _summary(frame.interpreter, function)
    value = summary.value
    if item is not None:
        value = value[item] if isinstance(value, tuple) and item < len(value) else UNKNOWN
    if not _made_here(value, info) or is_wrong(frame.interpreter, function):
        return UNKNOWN
    own = meaning(function, frame.interpreter.signature(function), bound, names)

    def size(given: Size) -> Size:
        try:
            return in_call(given, summary.taken, own)
        except LookupError:
            return unknown(f"?{place}.{given}")

    def entry(given: Entry) -> tuple[Entry, ...]:
        return names.packs.get(given.name, (ANY_AXES,)) if isinstance(given, Pack) else (size(given),)

    def tensor(given: Tensor) -> Tensor:
        return replace(given, layout=None, shape=tuple(e for part in given.shape for e in entry(part)))

    def holding(given: FunctionV) -> FunctionV:
        """One that the object holds, with what it captured as it is in this call."""
        captured = {name: map_tensors(part, tensor, size) for name, part in given.captured.items()}
        return replace(given, closure={**(given.closure or {}), **captured}) if captured else given

    def layer(given: LayerV) -> Value:
        """One of which the sizes are those of this call; a distribution has those of its parameters."""
        made_of = given.arguments
        if made_of is None:
            made_of = tuple(v for v in given.layer.attributes.values() if isinstance(v, Tensor))
        now = tuple(map(here, made_of))
        others = any(new is not old for new, old in zip(now, made_of, strict=True) if isinstance(old, LayerV))
        return remade(given, now) if others or sizes_in(now) != sizes_in(made_of) else given

    def here(part: Value) -> Value:
        return map_tensors(part, tensor, size, holding, layer)

    return here(value)


def _made_here(value: Value, info: ClassInfo) -> bool:
    """Whether a body shows the object of a class that it returns, or every item of a TypedDict."""
    if isinstance(value, DictV) and info.kind.is_typed_dict:
        shown = value.items.keys() >= info.fields().keys()
        return shown and value.rest is None and UNKNOWN not in value.items.values()
    return isinstance(value, Instance) and value.info is info


def meaning(
    function: FunctionV, signature: Signature, bound: Bound, names: Names
) -> Callable[[Atom], Size | None]:
    """What an atom of a body is in one call."""
    receiver = function.bound

    def look(atom: Atom) -> Size | None:
        scope = bare(atom.scope)
        if atom.kind == "floor":
            return None
        if atom.kind == "either":
            raise LookupError(atom.name)  # the call decides which: its body is evaluated
        if atom.kind == "axis" and scope in ("", LINKED_SCOPE) and atom.name in names.sizes:
            return names.sizes[atom.name]
        own = isinstance(receiver, Instance) and atom.name in receiver.arguments
        if atom.kind == "axis" and not scope and atom.name not in signature.braces:
            raise LookupError(atom.name)  # an axis that no argument is known to have
        if scope in ("", INTEGER_SCOPE) and (atom.kind == "axis" or (atom.kind == "int" and not own)):
            value = bound[atom.name][0]  # an int parameter, which ``{n}`` of the signature may name
            if is_size(value):
                return value  # type: ignore[no-any-return]  # a value that is a size
        if scope.startswith(LENGTH_SCOPE):
            length = length_of(bound[scope.removeprefix(LENGTH_SCOPE)][0])
            if length is not None:
                return length
        if scope == HELD_SCOPE and isinstance(receiver, Instance):
            return receiver.axes[atom.name]
        if atom.kind == "axis" and scope in (INSTANCE_SCOPE, LINKED_SCOPE) and isinstance(receiver, Instance):
            return _integer_of(receiver, atom.name)
        if atom.kind == "axis" and atom.scope in bound:
            return _axis_of(bound[atom.scope][0], atom.name)
        raise LookupError(atom.name)

    return look


def _axis_of(value: Value, name: str) -> Size:
    """An axis of an object that a call was given: ``n`` of the ``points`` it holds."""
    fields = value.attributes if isinstance(value, Instance) else {}
    for field_name, held in fields.items():
        spec = value.info.spec(field_name)
        if isinstance(spec, specs.ArraySpec) and isinstance(held, Tensor) and held.rank is not None:
            for dim, size in zip(spec.axes.dims, held.shape, strict=False):
                if dim.variadic:
                    break
                if dim.kind == "named" and dim.name == name and not dim.broadcastable:
                    assert not isinstance(size, Pack)
                    return size
    raise LookupError(name)


def _integer_of(receiver: Instance, name: str) -> Size:
    """An integer of an instance: an argument of its constructor, or ``cfg.d_model``."""
    value: Value = receiver.arguments.get(name, UNKNOWN)
    if value is UNKNOWN:
        value = receiver
        for part in name.split("."):
            value = value.attributes.get(part, UNKNOWN) if isinstance(value, Instance) else UNKNOWN
    if not is_size(value):
        raise LookupError(name)
    return value  # type: ignore[no-any-return]  # likewise


def is_wrong(interpreter: Interpreter, function: FunctionV) -> bool:
    """Whether a body contradicts itself whoever calls it, so that what it gives says nothing."""
    from typedtorch.shapes.infer.reports.blame import own_findings  # noqa: PLC0415 - it checks bodies

    if not _summary(interpreter, function).suspect or id(function.node) in interpreter.stack:
        return False
    return bool(own_findings(interpreter, function))


def needs(interpreter: Interpreter, function: FunctionV) -> tuple[tuple[Size, Size, int], ...]:
    """Sizes of a signature that must be one for its body to work, and the lines that want it."""
    return _summary(interpreter, function).needs


def proven(interpreter: Interpreter, function: FunctionV) -> Facts:
    """What holds of the sizes of a signature once its body has returned."""
    return _summary(interpreter, function).proven


def _summary(interpreter: Interpreter, function: FunctionV) -> Summary:
    from typedtorch.shapes.infer.checking import check_function  # noqa: PLC0415 - checking holds calls

    if isinstance(function.bound, Instance) and function.bound.altered:
        return NOTHING
    key = _key(function)
    known = interpreter.summaries.get(key)
    if known is not None and (known.of is None or captures_alike(known.of, function)):
        return known
    receiver = function.bound
    info = receiver.info if isinstance(receiver, Instance) else None
    if key[0] in interpreter.stack or interpreter.summarising >= MAX_NESTED:
        return NOTHING
    if info is not None and info.linking:
        return NOTHING
    interpreter.summaries[key] = replace(NOTHING, of=function)
    own = function if info is None else function.bind(info.symbolic())
    reporter = Reporter(function.module.path, muted=1, counting=False, listens=True)
    pending = interpreter.pending, interpreter.pending_classes
    interpreter.pending, interpreter.pending_classes = {}, {}
    interpreter.summarising += 1
    try:
        with interpreter.apart():
            check_function(interpreter, own, reporter, info)
    finally:
        interpreter.summarising -= 1
        interpreter.pending, interpreter.pending_classes = pending
    return interpreter.summaries[key]


__all__ = ["Summary", "are_as_made", "bind", "is_wrong", "meaning", "needs", "proven", "record", "returned"]
