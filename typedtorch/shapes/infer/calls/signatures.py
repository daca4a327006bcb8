"""Signatures: parameters and results of a function, read once, and the names that a call gives its axes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typedtorch.shapes import axes as axis_language
from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume, in_result
from typedtorch.shapes.infer.calls.binding import Parameter, tensors_given
from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.expressions.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Awaitable,
    FunctionV,
    Instance,
    Value,
    is_size,
)
from typedtorch.shapes.size import Size

if TYPE_CHECKING:
    from typedtorch.shapes.infer.annotations.specs import Spec
    from typedtorch.shapes.infer.interpreter import Interpreter


Def = ast.FunctionDef | ast.AsyncFunctionDef
Brace = Callable[[str], Size | None]


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters and result, read once."""

    parameters: list[Parameter]
    result: Spec
    shaped: bool
    is_generator: bool
    is_async: bool
    braces: frozenset[str]
    existential: frozenset[str]  # axis names that only the result mentions
    unkept: bool = False  # every ``return`` is of another kind than the result's annotation


def signature_of(interpreter: Interpreter, function: FunctionV) -> Signature:
    """Parameters (the bound one left out) and result."""
    key = id(function.node) * 2 + function.is_bound
    known = interpreter.signatures.get(key)
    if known is None:
        with interpreter.apart():
            known = interpreter.signatures[key] = _read_signature(interpreter, function)
    return known


def _read_signature(interpreter: Interpreter, function: FunctionV) -> Signature:
    node = function.node
    frame = interpreter.quiet_frame(function.module, function.closure or {})

    def read(annotation: ast.expr | None) -> Spec:
        return reading.read(annotation, lambda n: evaluate(frame, n))

    parameters = _parameters(node.args, read)
    if function.is_bound and parameters and parameters[0].kind == "positional":
        parameters = parameters[1:]
    returns = None if isinstance(node, ast.Lambda) else node.returns
    result = read(returns)
    if _is_slip(result, function):
        result = specs.ANYTHING  # the body says what it is
    if function.owner is not None and _is_self_type(returns, function.owner):
        result = specs.InstanceSpec(function.owner)
    shaped = specs.shaped(result) or any(specs.shaped(p.spec) for p in parameters)
    braces = frozenset(w for p in parameters for w in _braces(p.spec)) | frozenset(_braces(result))
    is_async = isinstance(node, ast.AsyncFunctionDef)
    known = frozenset(n for p in parameters for n in specs.binding_names(p.spec))
    existential = frozenset(specs.binding_names(result)) - known
    is_generator = function.module.facts(node).generator
    unkept = not is_generator and _unkept(result, function)
    return Signature(parameters, result, shaped, is_generator, is_async, braces, existential, unkept)


def _unkept(result: Spec, function: FunctionV) -> bool:
    """Whether a tuple is returned where a tensor is promised, or a tuple of another length."""
    if not isinstance(result, (specs.ArraySpec, specs.TupleSpec)):
        return False
    returned = _returned(function)
    wanted = len(result.items) if isinstance(result, specs.TupleSpec) else -1
    return bool(returned) and all(
        isinstance(value, ast.Tuple)
        and len(value.elts) != wanted
        and not any(isinstance(item, ast.Starred) for item in value.elts)
        for value in returned
    )


def _is_slip(result: Spec, function: FunctionV) -> bool:
    """Whether a number is promised and a tuple, list or dict returned, or nothing and something returned."""
    if isinstance(result, specs.NumberSpec):
        return any(isinstance(value, (ast.Tuple, ast.List, ast.Dict)) for value in _returned(function))
    nothing = isinstance(result, specs.NoneSpec)
    return nothing and any(v and not isinstance(v, (ast.Constant, ast.Call)) for v in _returned(function))


def _returned(function: FunctionV) -> list[ast.expr | None]:
    _, own = next(function.module.syntax.scopes_in(function.node))
    return [node.value for node in own if isinstance(node, ast.Return)]


def yield_spec(interpreter: Interpreter, frame: Frame) -> Spec | None:
    """What a generator promises to yield."""
    if frame.function is None:
        return None
    signature = signature_of(interpreter, frame.function)
    return signature.result.element if isinstance(signature.result, specs.SequenceSpec) else None


def call_names(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    bound: Mapping[str, tuple[Value, ast.expr | None]],
    node: ast.AST,
) -> Names:
    """Axis names of one call: what the instance remembers, the rest still open."""
    place = frame.place(node)
    names = Names(_sizes_in_result(place, signature_of(interpreter, function), bound), where=f"{place}.")
    names.brace = _brace(interpreter, function, {name: value for name, (value, _) in bound.items()})
    receiver = function.bound
    if function.is_bound and isinstance(receiver, Instance):
        names.variables.update(receiver.variables)
        for name in linked_axes(receiver.info, signature_of(interpreter, function), function):
            size = receiver.arguments.get(name)
            off = isinstance(size, int) and size < 1  # ``label_dim=0``: the object has no such axis
            if size is not None and not off and not receiver.altered:
                names.sizes[name] = size
                names.binders[name] = _receiver_text(node)
    return names


def _sizes_in_result(
    place: str, signature: Signature, bound: Mapping[str, tuple[Value, ast.expr | None]]
) -> Callable[[str], Size]:
    """What a call's result calls by a name that no argument has; two of them are two sizes of one result.

    Not so where several tensors are given, or may be, one of them for ``x: Tensor`` or two that are unknown:
    ``similarity(x, x)`` is ``n n``.
    """

    def size(name: str) -> Size:
        given = tensors_given(signature.parameters, bound)
        unsaid = any(not specs.shaped(spec) for spec, _ in given)
        apart = len(given) > 1 and (unsaid or sum(value is UNKNOWN for _, value in given) > 1)
        return in_result(name, f"{place}.{name}" if apart else place)

    return size


def linked_axes(info: ClassInfo, signature: Signature, function: FunctionV) -> dict[str, Size]:
    """The axes of a method that are integers of its object; those named as its own integers are not.

    Nor are those of which its body makes no use, which may have any size there (``norm(x: "b dim")``), nor
    those that only its result names, where a class overrides what an inherited method calls.
    """
    links = info.links()
    if not links:
        return links
    own = {p.name for p in signature.parameters if specs.is_int(p.spec) or specs.is_int_or_none(p.spec)}
    if function.owner not in (None, info) and not isinstance(function.node, ast.Lambda):
        from typedtorch.shapes.infer.promises.inherited import overridden_call  # noqa: PLC0415 - it checks, which asks this file

        if overridden_call(info, function.node) is not None:
            own |= signature.existential
    used = info.weighed.get(function.node, links)
    return {name: size for name, size in links.items() if name in used and name not in own}


def _receiver_text(node: ast.AST) -> str:
    return source(node.func, 40) if isinstance(node, ast.Call) else "the instance"


def _brace(interpreter: Interpreter, function: FunctionV, values: Mapping[str, Value]) -> Brace:
    """What ``{...}`` of an axis string is where the parameters have these values."""

    def brace(text: str) -> Size | None:
        node = reading.parse_annotation(text)
        if node is None:
            return None
        frame = interpreter.quiet_frame(function.module, function.closure or {})
        frame.state.variables.update(values)
        if function.is_bound and not isinstance(function.node, ast.Lambda):
            own = [*function.node.args.posonlyargs, *function.node.args.args]
            if own:
                frame.state.variables[own[0].arg] = function.bound
        value = evaluate(frame, node)
        return value if is_size(value) else None

    return brace


def unbound_result(
    interpreter: Interpreter, frame: Frame, function: FunctionV, signature: Signature, node: ast.AST
) -> Value:
    """The result where the arguments could not be laid out: by annotation, names unknown."""
    names = call_names(interpreter, frame, function, {}, node)
    if not specs.informative(signature.result):
        return UNKNOWN
    return wrapped(signature, assume(signature.result, names, frame.place(node)))


def wrapped(signature: Signature, value: Value) -> Value:
    """The result of a call: something to be awaited where the function is ``async``."""
    return Awaitable(value) if signature.is_async and not signature.is_generator else value


def _parameters(arguments: ast.arguments, read) -> list[Parameter]:  # type: ignore[no-untyped-def]  # a closure
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(
        arguments.defaults
    )
    found = [
        _parameter(a, read, "positional", default) for a, default in zip(positional, defaults, strict=True)
    ]
    if arguments.vararg is not None:
        found.append(_parameter(arguments.vararg, read, "args", None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(_parameter(argument, read, "keyword", default))
    if arguments.kwarg is not None:
        found.append(_parameter(arguments.kwarg, read, "kwargs", None))
    return found


def _parameter(argument: ast.arg, read, kind: str, default: ast.expr | None) -> Parameter:  # type: ignore[no-untyped-def]  # a closure
    spec = read(argument.annotation)
    if isinstance(default, ast.Constant) and default.value is None and not isinstance(spec, specs.Anything):
        spec = specs.union([spec, specs.NoneSpec()])
    if specs.is_int(spec) and isinstance(default, ast.Constant) and isinstance(default.value, float):
        spec = specs.NumberSpec("float")  # ``init: int = 0.55``: the default says what is meant
    return Parameter(argument.arg, spec, kind, default, argument.annotation)


def _is_self_type(node: ast.expr | None, owner: ClassInfo) -> bool:
    text = node.value if isinstance(node, ast.Constant) else getattr(node, "id", None)
    return text in ("Self", owner.name)


def _braces(spec: Spec) -> set[str]:
    """Names read inside ``{...}`` of axis strings."""
    found: set[str] = set()
    match spec:
        case specs.ArraySpec(axes=axes):
            texts = (t for dim in axes.dims if dim.kind == "symbolic" for t in axis_language.braces(dim))
            for node in map(reading.parse_annotation, texts):
                found |= set() if node is None else {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        case specs.UnionSpec(options=parts) | specs.TupleSpec(items=parts):
            for part in parts:
                found |= _braces(part)
        case (
            specs.SequenceSpec(element=inner)
            | specs.DictSpec(value=inner)
            | specs.AwaitableSpec(result=inner)
        ):
            found |= _braces(inner)
    return found


def is_plain_instance(spec: Spec) -> bool:
    """A class of the program: its body says more about the attributes than its name."""
    return isinstance(spec, (specs.InstanceSpec, specs.ObjectSpec, specs.NumberSpec))
