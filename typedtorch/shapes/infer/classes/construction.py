"""Instances: what a constructor call makes, and what ``self`` is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.annotations.declared import more_precise
from typedtorch.shapes.infer.calls.binding import Args, Parameter, bind, check_argument
from typedtorch.shapes.infer.classes import attribute_dicts, kept_items, kept_shapes
from typedtorch.shapes.infer.classes.annotated_attributes import with_own_axes
from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.classes.given_sizes import may_be_settings, passed, with_integers
from typedtorch.shapes.infer.classes.new_objects import is_followed
from typedtorch.shapes.infer.classes.passed import Passed
from typedtorch.shapes.infer.classes.updates import as_later, emptied, stable
from typedtorch.shapes.infer.containers import enumerations, mutation
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers.layer_dtype import given_to, may_cast, perhaps_cast
from typedtorch.shapes.infer.layers.made_layers import passed_layer
from typedtorch.shapes.infer.library import library
from typedtorch.shapes.infer.program.class_text import declares_only, left_to_subclasses
from typedtorch.shapes.infer.reports.outliers import Beside
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Sequence,
    Value,
    choice,
    is_size,
)
from typedtorch.shapes.size import Size, integer, unknown
from typedtorch.shapes.tensor import Scalar, Tensor

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter


def construct(interpreter: Interpreter, frame: Frame, info: ClassInfo, args: Args, node: ast.AST) -> Value:
    """``C(...)``."""
    if info.kind.is_enum:
        return enumerations.of_value(info, args.get(0, "value", UNKNOWN))
    if _made_by_another(info):
        return UNKNOWN
    if info.kind.is_typed_dict:
        return DictV(dict(args.keywords)) if not args.values and not args.open else DictV({}, UNKNOWN)
    if info.find("__new__") is not None and info.find("__init__") is None:
        return UNKNOWN
    if (items := attribute_dicts.made(frame, info, args, node)) is not None:
        return items
    if (container := _container(info)) is not None:
        return library.call_external(frame, container, args, node)
    found = info.constructor()
    if found is None:
        if info.kind.is_fields:
            return _from_fields(interpreter, frame, info, args, node)
        return _without_constructor(frame, info, args, node)
    owner, definition = found
    function = FunctionV(definition, owner.module, owner.closure, owner)
    instance = Instance(info, {}, {}, partial=True)
    function = function.bind(instance)
    signature = interpreter.signature(function)
    bound = bind(signature.parameters, args)
    if bound is None:
        mutation.forget(frame, args)
        return Instance(info, {}, {}, partial=True)
    names = interpreter.call_names(frame, function, bound, node)
    names.tie = frame.tie(node)
    beside = Beside(signature.parameters, bound, names.copy())
    values: dict[str, Value] = {}
    for p in signature.parameters:
        if p.name in bound:
            values[p.name] = _checked(frame, node, p, bound[p.name], names, beside)
            _correct(values, names, beside)
    given_to(frame, info.module, values.values())
    return replace(_run_constructor(interpreter, frame, info, function, values, node), axes=names.sizes)


def _container(info: ClassInfo) -> str | None:
    """The container of torch's modules whose objects these are but for the name, if any."""
    bases = info.kind.external
    found = next((base for base in bases if base in library.CONTAINERS), None)
    alike = found is not None and "?" not in bases and all(declares_only(each.node) for each in info.mro())
    return found if alike else None


def _checked(
    frame: Frame,
    node: ast.AST,
    parameter: Parameter,
    given: tuple[Value, ast.expr | None],
    names: Names,
    beside: Beside,
) -> Value:
    """An argument, or what is annotated where that is told to be wrong: once is enough."""
    failed = check_argument(frame, node, parameter, *given, names, beside)
    whole = parameter.kind in ("positional", "keyword")
    return assume(parameter.spec, names, parameter.name) if failed and whole else given[0]


def _correct(values: dict[str, Value], names: Names, beside: Beside) -> None:
    """Likewise of an argument that those after it show to be wrong."""
    wrong, beside.wrong = beside.wrong, None
    if wrong is not None:
        values[wrong.name] = assume(wrong.spec, names, wrong.name)


def _made_by_another(info: ClassInfo) -> bool:
    """Whether a metaclass of the program says what a call of the class gives."""
    kinds = (i.evaluate(k.value) for i in info.mro() for k in i.node.keywords if k.arg == "metaclass")
    return any(isinstance(kind, ClassV) and kind.info.find("__call__") is not None for kind in kinds)


def _run_constructor(
    interpreter: Interpreter,
    frame: Frame,
    info: ClassInfo,
    function: FunctionV,
    values: Mapping[str, Value],
    node: ast.AST,
) -> Instance:
    signature = interpreter.signature(function)
    filled = dict(values)
    for parameter in signature.parameters:
        if parameter.name not in filled and parameter.default is not None:
            filled[parameter.name] = interpreter.evaluate_in(
                parameter.default, function.module, function.closure or {}
            )
    start = Instance(info, _constants(info), _integers(filled), partial=True)
    frame.state.variables[_HOLDER] = start
    interpreter.run_inline(frame, function.bind(start), signature, filled, node)
    made = frame.state.variables.pop(_HOLDER)
    if not isinstance(made, Instance):
        made = replace(start, attributes={})  # what it became is not known
    interpreter.made += [made] if frame.depth == 0 else []
    certain = perhaps_cast(made) if may_cast(frame.module) else made
    assert isinstance(certain, Instance)
    own = with_own_axes(certain, frame.place(node))
    return _shared(frame, own, node)


def _integers(values: Mapping[str, Value]) -> dict[str, Size]:
    """Integers among arguments, and those of a configuration: ``cfg.d_model``."""
    found: dict[str, Size] = {}
    for name, value in values.items():
        if is_size(value):
            found[name] = value
        elif isinstance(value, DictV):
            found |= {f"{name}.{k}": size for k, size in value.items.items() if is_size(size)}
        elif isinstance(value, Passed):
            found |= {f"{name}.{k}": size for k, size in value.sizes.items()}
        elif isinstance(value, Instance) and not value.info.kind.is_module:
            found |= {f"{name}.{k}": v for k, v in value.attributes.items() if is_size(v)}
        elif isinstance(value, LayerV):
            found |= {f"{name}.{k}": v for k, v in value.layer.attributes.items() if is_size(v)}
    return found


_HOLDER = "<instance being made>"


def _without_constructor(frame: Frame, info: ClassInfo, args: Args, node: ast.AST) -> Value:
    base = info.kind.layer
    if base is not None and not args.open:
        return Instance(
            info, {"__layer__": library.construct_layer(frame, base, args, node)}, {}, partial=True
        )
    if "torch.nn.Sequential" in info.kind.external:
        made = library.call_external(frame, "torch.nn.Sequential", args, node)
        return Instance(info, {"__layer__": made}, {}, partial=True)
    if not args.open and not args.values and not _NAMESPACES.isdisjoint(info.kind.external):
        made = Instance(info, dict(args.keywords), _integers(args.keywords), partial=True)
        return _shared(frame, made, node)
    return Instance(info, _constants(info), {}, partial=True)


def _constants(info: ClassInfo) -> dict[str, Value]:
    """``expansion: int = 4``, of a class whose objects do not assign it: of these it is 4."""
    found: dict[str, Value] = {}
    line = () if info.kind.is_fields else info.mro()
    for name in set().union(*(i.annotated.keys() & i.assigned.keys() for i in line)):
        if any(name in i.self_stores or name in i.module.facts(i.module.tree).given for i in line):
            continue
        owner = next(i for i in line if name in i.assigned)
        value = owner.evaluate(owner.assigned[name])
        if isinstance(value, (bool, int, str)):
            found[name] = value
    return found


_NAMESPACES = {"types.SimpleNamespace", "argparse.Namespace"}


def field_parameters(info: ClassInfo) -> list[Parameter]:
    """The constructor's parameters of a dataclass or NamedTuple."""
    found = []
    for name, owner in info.fields().items():
        spec = info.spec(name) or specs.ANYTHING
        found.append(Parameter(name, spec, "positional", owner.assigned.get(name), owner.annotated[name]))
    return found


def _from_fields(interpreter: Interpreter, frame: Frame, info: ClassInfo, args: Args, node: ast.AST) -> Value:
    """A dataclass or NamedTuple: fields are checked like arguments, and share axis names."""
    parameters = field_parameters(info)
    bound = bind(parameters, args)
    if bound is None:
        return Instance(info, {}, {}, partial=True)
    place = frame.place(node)
    names = Names(lambda name: unknown(f"?{place}.{name}"), where=f"{place}.")
    if not frame.depth:  # two axes of one field are two in the others as well
        frame.state.ties.meet("", [value for value, _ in bound.values()], {}, None)
    names.tie = frame.tie(node)
    beside = Beside(parameters, bound, names.copy())
    attributes: dict[str, Value] = {}
    reported = len(frame.reporter.findings)
    for parameter in parameters:
        if parameter.name in bound:
            value, where = bound[parameter.name]
            # fields that the class broadcasts to each other need not agree when they are given
            own = replace(names, sizes={}, packs={}) if info.rewrites else names
            checked = _checked(frame, node, parameter, (value, where), own, beside)
            _correct(attributes, own, beside)
            attributes[parameter.name] = UNKNOWN if info.rewrites else checked
        elif parameter.default is not None:
            attributes[parameter.name] = info.evaluate(parameter.default)
    wrong = len(frame.reporter.findings) > reported  # which field it is may be told wrongly
    names = Names(names.default, where=names.where) if wrong else names
    for parameter in parameters:
        known = attributes.get(parameter.name, UNKNOWN)
        known = UNKNOWN if wrong and isinstance(known, Tensor) else known
        if known is UNKNOWN or (isinstance(known, Tensor) and not known.is_known):
            promised = assume(parameter.spec, names, parameter.name)
            attributes[parameter.name] = more_precise(known, promised)
    arguments = {name: value for name, value in attributes.items() if is_size(value)}
    made = Instance(info, attributes, arguments, axes={} if info.rewrites else names.sizes)
    return after_fields(interpreter, frame, made, node)


def with_fields(
    interpreter: Interpreter, frame: Frame, instance: Instance, given: Mapping[str, Value], node: ast.AST
) -> Instance:
    """``dataclasses.replace``: the fields of one object and some others, and what is derived from them."""
    fields = instance.info.fields()
    kept = {name: value for name, value in instance.attributes.items() if name in fields}
    attributes = {**kept, **given}
    sizes = {name: value for name, value in attributes.items() if is_size(value)}
    made = Instance(instance.info, attributes, sizes, instance.partial, instance.assumed)
    return after_fields(interpreter, frame, made, node)


def after_fields(interpreter: Interpreter, frame: Frame, made: Instance, node: ast.AST) -> Instance:
    """``__post_init__``, where there is one."""
    found = made.info.find("__post_init__")
    if found is None:
        return _shared(frame, made, node)
    owner, definitions = found
    function = FunctionV(definitions[-1], owner.module, owner.closure, owner, made, is_bound=True)
    frame.state.variables[_HOLDER] = made
    interpreter.run_inline(frame, function, interpreter.signature(function), {}, node)
    result = frame.state.variables.pop(_HOLDER)
    return _shared(frame, result if isinstance(result, Instance) else made, node)


def _shared(frame: Frame, made: Instance, node: ast.AST) -> Instance:
    """What stays true of a new object; a list that it was given and fills is filled for its giver too."""
    lasting = stable(made, is_new=True, is_followed=is_followed(frame, made.info, node))
    for name, value in made.attributes.items():
        if name not in lasting.attributes and isinstance(value, (Sequence, DictV)):
            frame.state.replace_value(value, emptied(value))
    return lasting


# -- self, and instances that were passed in ----------------------------------------------------


def symbolic(
    interpreter: Interpreter, info: ClassInfo, *, linked: bool, variables: Mapping[str, Value] | None = None
) -> Instance:
    """``self`` in a method: the constructor run with integers that stand for every value."""
    sizes: dict[str, Size] = {
        name: info.integer_value(name, linked=linked) for name in info.integer_parameters()
    }
    arguments = {**(info.links() if linked else {}), **sizes}
    own = info.own_axis if linked else integer
    found = info.constructor()
    frame = interpreter.quiet_frame(info.module, info.closure)
    if found is None:
        if info.kind.is_fields:
            attributes = {
                name: sizes[name] if name in sizes else assume_member(info, name, arguments, own)
                for name in info.fields()
            }
            axes = {
                n: own(n)
                for name in info.fields()
                for n in specs.binding_names(info.spec(name) or specs.ANYTHING)
            }
            fresh = Instance(info, attributes, arguments, partial=True, axes=axes)
            lasting = after_fields(interpreter, frame, fresh, info.node)
            return kept_items.with_fields(interpreter, lasting) if linked else lasting
        return Instance(info, {}, arguments, partial=True)
    owner, definition = found
    start = Instance(info, {}, arguments, partial=True)
    if left_to_subclasses(definition):
        return start  # every subclass has a constructor of its own, which may put other parts in place
    function = FunctionV(definition, owner.module, owner.closure, owner, start, is_bound=True)
    signature = interpreter.signature(function)
    used = owner.module.integers_given
    outside, interpreter.number = interpreter.number, info.own_integer if linked else integer
    try:
        values = {
            p.name: symbolic_argument(interpreter, p, sizes, own, variables, used.get(p.name, frozenset()))
            for p in signature.parameters
        }
    finally:
        interpreter.number = outside
    axes = {n: own(n) for p in signature.parameters for n in specs.binding_names(p.spec)}
    start = replace(start, arguments={**_integers(values), **arguments}, axes=axes)
    function = function.bind(start)
    made: Value = None
    if linked and owner is info:
        made = interpreter.check_constructor(info, function, values)
    if made is None:
        frame.state.variables[_HOLDER] = start
        interpreter.run_inline(frame, function, signature, values, definition)
        made = frame.state.variables[_HOLDER]
    if not isinstance(made, Instance):  # its constructor gives it away, and it may be anything by now
        made = replace(start, partial=True)
    made = with_parts(made, as_later)
    left = stable(made, values.values())
    if linked and owner is info and info.keeps is None:
        info.keeps = kept_shapes.find(interpreter, made, left)
        info.fills = kept_items.find(interpreter, made, left)
        left = stable(made, values.values()) if info.keeps or info.fills else left
    lasting = perhaps_cast(left)
    assert isinstance(lasting, Instance)
    return lasting


def symbolic_argument(
    interpreter: Interpreter,
    parameter: Parameter,
    sizes: Mapping[str, Size],
    own: Callable[[str], Size],
    variables: Mapping[str, Value] | None = None,
    integers: frozenset[str] = frozenset(),
) -> Value:
    """A constructor argument of which only the annotation is known, and perhaps that it has integers."""
    name, spec, default = parameter.name, parameter.spec, parameter.default
    if name in sizes:
        size = sizes[name]
        absent = isinstance(default, ast.Constant) and default.value is None
        return choice([size, None]) if absent or isinstance(spec, specs.UnionSpec) else size
    names = Names(own, generic=True, where=f"{name}.", variables=dict(variables or {}))
    if parameter.kind == "args":
        anything = isinstance(spec, specs.Anything)
        return UNKNOWN if anything else assume(specs.SequenceSpec("tuple", spec), names, name)
    if parameter.kind == "kwargs":
        return DictV({}, UNKNOWN)
    numbers = [getattr(e, "value", None) for e in getattr(default, "elts", ())]
    if isinstance(default, (ast.Tuple, ast.List)) and {type(number) for number in numbers} == {int}:
        # how many blocks there are and how wide is a choice; that which was written down stands for all
        values = tuple(numbers)
        if isinstance(default, ast.Tuple) and isinstance(spec, specs.TupleSpec):
            # of ``size: tuple[int, int] = (720, 1440)`` another pair of numbers will do as well
            return tuple(interpreter.number(f"{name}[{values.index(v)}]") for v in values)
        # nothing is 0 wide: ``dims=[0, 0, 0, 0]`` says only how many every caller has to give
        items = tuple(v or UNKNOWN for v in values)
        return items if isinstance(default, ast.Tuple) else Sequence("list", items)
    if isinstance(spec, specs.Anything) and isinstance(default, ast.Constant):
        if isinstance(default.value, (bool, float)):
            return Scalar("bool", name) if isinstance(default.value, bool) else Scalar("float")
        if isinstance(default.value, str):
            return Object("str")
    if integers and default is None and may_be_settings(spec):
        return passed(name, integers, interpreter.number)
    if isinstance(spec, specs.ObjectSpec):
        return passed_layer(spec.name, name, interpreter.number)
    return with_integers(assume(spec, names, name), name, integers, interpreter.number)


def assume_member(
    info: ClassInfo, name: str, arguments: Mapping[str, Size], own: Callable[[str], Size]
) -> Value:
    spec = info.spec(name)
    if spec is None:
        return UNKNOWN
    return assume(spec, Names(own, dict(arguments), generic=True, where=f"{name}."), name)
