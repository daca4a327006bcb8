"""Bodies of the program's functions, evaluated with the values of a call.

A function with a shaped signature is used through its signature; any other is evaluated, to a bounded depth
and never twice on one stack.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes import taken
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, Promise, assume
from typedtorch.shapes.infer.annotations.declared import more_precise, more_precise_object
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.calls import definitions
from typedtorch.shapes.infer.calls.aftermath import proven_by, write_back
from typedtorch.shapes.infer.calls.brought import as_annotated, brings_more, is_written, tells_nothing
from typedtorch.shapes.infer.calls.inner_changes import handed_over
from typedtorch.shapes.infer.calls.memo import LEFT_OUT, Outcome, of_this_call
from typedtorch.shapes.infer.calls.signatures import Signature, is_plain_instance, wrapped
from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.conditions.solving import prove, solved
from typedtorch.shapes.infer.containers import mutation
from typedtorch.shapes.infer.expressions.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame, Reporter
from typedtorch.shapes.infer.layers import layer_dtype
from typedtorch.shapes.infer.program.class_text import is_expression, is_stub
from typedtorch.shapes.infer.promises import summaries
from typedtorch.shapes.infer.reports.blame import report, report_result
from typedtorch.shapes.infer.statements.statements import run
from typedtorch.shapes.infer.values import objects
from typedtorch.shapes.infer.values.kinds import is_abstract
from typedtorch.shapes.infer.values.state import State
from typedtorch.shapes.infer.values.tensor_joins import closed, is_open
from typedtorch.shapes.infer.values.values import (
    NEVER,
    UNKNOWN,
    Awaitable,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Sequence,
    Tensor,
    Value,
    join_all,
)
from typedtorch.shapes.rule import like
from typedtorch.shapes.size import Size, atoms, is_unknown, unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter


Def = ast.FunctionDef | ast.AsyncFunctionDef

MAX_DEPTH = 8
MAX_TURNS = 2  # of a function that calls itself with something that ends


def function_result(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    bound: Mapping[str, tuple[Value, ast.expr | None]],
    names: Names,
    node: ast.AST,
    *,
    failed: bool,
) -> Value:
    """What a call gives: the annotated result, else the body's."""
    result = signature.result
    layer_dtype.given_to(frame, function.module, [value for value, _ in bound.values()])
    if isinstance(result, specs.NoneSpec):
        return None
    values = {name: value for name, (value, _) in bound.items()}
    if failed:  # what a refused call would have given is not held against the rest of the body
        return _not_followed(frame, function, values)
    if specs.informative(result) and (signature.shaped or not is_plain_instance(result)):
        summaries.bind(frame, function, signature, bound, names)
        seen = _look_inside(interpreter, frame, function, signature, bound, names, node)
        if isinstance(result, specs.InstanceSpec):
            made = summaries.returned(frame, function, bound, names, result.info, frame.place(node))
            if made is not UNKNOWN:
                return wrapped(signature, more_precise_object(seen, made))
        promised = assume(result, names, frame.place(node))
        if isinstance(result, specs.TupleSpec) and isinstance(promised, tuple):
            parts = list(promised)
            for i, info in summaries.instances(result):
                part = summaries.returned(frame, function, bound, names, info, frame.place(node), i)
                if i is not None and part is not UNKNOWN:
                    parts[i] = part
            promised = like(promised, parts)
        promised = _with_sizes_of(seen, promised)
        promised = _as_given(interpreter, frame, function, signature, bound, names, node, promised)
        if _makes_functions(result):
            promised = _made_functions(interpreter, frame, function, signature, bound, promised, node)
        return wrapped(signature, promised)
    if may_be_another(interpreter, frame, function):
        value = _not_followed(frame, function, values)
    else:
        value = run_inline(interpreter, frame, function, signature, values, node)
    if value is NEVER:
        return NEVER
    is_record = isinstance(value, DictV) and isinstance(result, specs.InstanceSpec)
    refuted = match(result, value, names.copy()) if is_record else []
    if refuted:
        report_result(interpreter, frame, function, refuted[0], node)
    if (value is UNKNOWN or refuted) and not isinstance(result, specs.Anything):
        return wrapped(signature, assume(result, names, frame.place(node)))
    generic = isinstance(function.bound, Instance) and function.bound.variables
    if isinstance(value, Sequence if generic else tuple) and (generic or _says_of_parts(result)):
        # the annotation says something of one part, and the body of another
        return more_precise(value, assume(result, names, frame.place(node)))
    if isinstance(value, (Sequence, DictV)) and isinstance(result, (specs.SequenceSpec, specs.DictSpec)):
        return more_precise(value, assume(result, names, frame.place(node)))
    return value


def _with_sizes_of(seen: Value, promised: Value) -> Value:
    """``-> "n heads*out"`` of a layer that was made with both says less than its body does."""
    if isinstance(seen, tuple) and isinstance(promised, tuple) and len(seen) == len(promised):
        return like(promised, map(_with_sizes_of, seen, promised))
    if not isinstance(seen, Tensor) or not isinstance(promised, Tensor) or seen.rank is None:
        return promised
    if seen.rank != promised.rank:
        return promised
    pairs = zip(seen.shape, promised.shape, strict=True)
    shape = [
        own if type(own) is int and not isinstance(said, Pack) and is_unknown(said) else said
        for own, said in pairs
    ]
    return replace(promised, shape=tuple(shape))


def _says_of_parts(result: specs.Spec) -> bool:
    """Whether a result's annotation says of its parts what the body may leave open."""
    items = result.items if isinstance(result, specs.TupleSpec) else ()
    return specs.shaped(result) or any(isinstance(item, specs.NumberSpec) for item in items)


def _as_given(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    bound: Mapping[str, tuple[Value, ast.expr | None]],
    names: Names,
    node: ast.AST,
    made: Value,
) -> Value:
    """``softmax(x: "...") -> "..."`` says nothing of its result; the body says it has the axes of ``x``."""
    values = {name: value for name, (value, _) in bound.items()}
    known = any(isinstance(v, Tensor) and v.shape != (ANY_AXES,) for v in values.values())
    left_open = any(map(is_open, made if isinstance(made, tuple) else (made,)))
    if not (known and left_open) or may_be_another(interpreter, frame, function):
        return made
    with frame.reporter.mute():
        value = run_inline(interpreter, frame, function, signature, values, node)
    return made if match(signature.result, value, names.copy()) else closed(made, value)


def _makes_functions(result: specs.Spec) -> bool:
    if isinstance(result, specs.TupleSpec):
        return any(map(_makes_functions, result.items))
    return isinstance(result, (specs.CallableSpec, specs.ObjectSpec))


def _made_functions(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    bound: Mapping[str, tuple[Value, ast.expr | None]],
    promised: Value,
    node: ast.AST,
) -> Value:
    """Functions that a body returns know what they captured, and distributions what they are of."""
    if may_be_another(interpreter, frame, function):
        return promised
    values = {name: value for name, (value, _) in bound.items()}
    with frame.reporter.mute():
        made = run_inline(interpreter, frame, function, signature, values, node)
    return _functions_of(made, promised)


def _functions_of(made: Value, promised: Value) -> Value:
    if isinstance(promised, tuple) and isinstance(made, tuple) and len(made) == len(promised):
        return like(promised, map(_functions_of, made, promised))
    more = isinstance(made, (FunctionV, LayerV) if isinstance(promised, Promise) else LayerV)
    return made if more and isinstance(promised, (Promise, Object)) else promised


def _look_inside(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    bound: Mapping[str, tuple[Value, ast.expr | None]],
    names: Names,
    node: ast.AST,
) -> Value:
    """A body whose signature the arguments fit, where they say what the signature leaves open.

    ``forward(x: "batch feat")`` takes every ``feat``, but this instance begins with ``Linear(10, 32)``;
    and an inner ``loss(x: "n d")`` subtracts a target that it captured.
    """
    if not brings_more(frame, function, signature, bound, names) or may_be_another(
        interpreter, frame, function
    ):
        return UNKNOWN
    values = as_annotated(signature, {name: value for name, (value, _) in bound.items()}, names)
    reported = len(frame.reporter.findings) + len(frame.reporter.elsewhere)
    value = run_inline(interpreter, frame, function, signature, values, node, effects=False)
    if value is NEVER:
        return UNKNOWN
    names.learn(solved(frame.state.proven))
    trial = names.copy()
    summed_up = signature.existential.difference(names.binders)  # of the body in general; here it says itself
    for name in summed_up.intersection(trial.sizes):
        del trial.sizes[name]
    problems = match(signature.result, value, trial, binder="the result")
    told = len(frame.reporter.findings) + len(frame.reporter.elsewhere) > reported
    if told or (signature.existential and summaries.is_wrong(interpreter, function)):
        names.sizes = {n: size for n, size in names.sizes.items() if n not in summed_up}
        return UNKNOWN  # what follows from an error that was told is not held against the caller
    if not problems:
        names.sizes.update(
            (n, trial.sizes[n]) for n in summed_up.intersection(trial.sizes) if _is_said(trial.sizes[n])
        )
    if problems:
        report_result(interpreter, frame, function, problems[0], node)
    if not signature.existential <= names.sizes.keys() and not problems:
        names.adopt(trial)
        own = signature.existential
        names.sizes = {n: size for n, size in names.sizes.items() if n not in own or _is_said(size)}
    return UNKNOWN if problems else value


def _is_said(size: Size) -> bool:
    """Whether a body shows a size; of what it does not, the name says more: it is one and the same."""
    return all(atom.kind != "opaque" for atom in atoms(size))


def may_be_another(interpreter: Interpreter, frame: Frame, function: FunctionV) -> bool:
    """Whether a method's body is not what is run: decorated, or overridden in a subclass of the object."""
    if definitions.is_replaced(interpreter, function) or is_stub(function.node):
        return True
    receiver = function.bound
    if not isinstance(receiver, Instance) or not receiver.assumed:
        return False
    modules = {receiver.info.module, frame.module}
    return any(function.name in m.overridden(receiver.info.name) for m in modules) or is_abstract(
        receiver.info
    )


def run_inline(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    values: dict[str, Value],
    node: ast.AST,
    *,
    effects: bool = True,
) -> Value:
    """Evaluate a body with the caller's values."""
    body, memo = function.node, interpreter.memo
    turns = interpreter.stack.count(id(body))
    if interpreter.steps <= 0 or (turns and turns > _most_turns(frame, function, values)):
        return _not_followed(frame, function, values) if effects else UNKNOWN
    unknown_call = not function.is_bound and values and all(tells_nothing(v) for v in values.values())
    if unknown_call and not is_expression(body):
        return UNKNOWN
    if frame.depth >= MAX_DEPTH:
        memo.cuts += 1
        return _not_followed(frame, function, values) if effects else UNKNOWN
    given = tuple([values.get(p.name, LEFT_OUT) for p in signature.parameters])
    autocast = frame.state.autocast or definitions.under_autocast(interpreter, function)
    key = (effects, autocast, function.bound, *given, *function.captured.values())
    known = memo.find(body, key, frame.depth)
    if known is not None and not taken.crossing(known.taken):
        taken.repeat(known.taken)
        for place, new in known.changed:
            frame.state.replace_value(key[place], new)
        prove(frame, known.proven)
        return of_this_call(frame.place(node), key, known.result)
    cuts = memo.cuts
    inner = body_frame(interpreter, function, frame.depth + 1, autocast=autocast)
    fill_parameters(interpreter, inner, function, signature, values)
    before = dict(inner.state.variables)
    inner.given = tuple(before.values())
    interpreter.stack.append(id(body))
    try:
        with taken.noting(inside=True) as sliced:
            result = run_body(inner, function, signature)
    finally:
        interpreter.stack.pop()
    if interpreter.steps <= 0:  # the rest of the body was not looked at
        report(interpreter, frame, function, signature, values, inner, node)
        return _not_followed(frame, function, values) if effects else UNKNOWN
    if not inner.exits and not (signature.is_generator or signature.is_async):
        result = NEVER  # each way that such values can take raises
    changed = write_back(frame, function, inner, before) if effects else []
    proven = proven_by(inner, key)
    prove(frame, proven)
    report(interpreter, frame, function, signature, values, inner, node)
    if not inner.reporter.findings:
        places = {id(value): place for place, value in enumerate(key)}
        if all(id(old) in places for old, _ in changed):
            moved = tuple([(places[id(old)], new) for old, new in changed])
            outcome = Outcome(result, moved, proven, tuple(sliced))
            memo.keep(body, key, outcome, frame.depth if memo.cuts > cuts else 0)
    return of_this_call(frame.place(node), key, result)


def _not_followed(frame: Frame, function: FunctionV, values: Mapping[str, Value]) -> Value:
    """The result of a call whose body is not looked into, which may change what it is given."""
    mutation.forget_contents(frame, values.values())
    handed_over(frame, [function.bound, *values.values()])
    return UNKNOWN


def _most_turns(frame: Frame, function: FunctionV, values: Mapping[str, Value]) -> int:
    """How often a body that calls itself is followed: further down an object than with a smaller number."""
    own = list(frame.state.variables.values())[:1]  # ``self`` of the method that calls
    part = function.bound
    is_object = isinstance(part, Instance) and not part.assumed
    if is_object and own and part is not own[0] and objects.is_or_holds(own[0], part):
        return MAX_DEPTH
    return MAX_TURNS if any(map(is_written, values.values())) else 0


def body_frame(interpreter: Interpreter, function: FunctionV, depth: int, *, autocast: bool = False) -> Frame:
    reporter = Reporter(function.module.path, counting=False)
    state = State({}, Names(lambda name: unknown(f"?{depth}.{name}"), where=f"{depth}."), autocast, log=[])
    return Frame(
        interpreter, function.module, state, reporter, function, function.owner, function.closure or {},
        function.module.facts(function.node).local, depth=depth,
    )  # fmt: skip


def fill_parameters(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    values: Mapping[str, Value],
) -> None:
    variables = frame.state.variables
    if function.is_bound:
        own = [*function.node.args.posonlyargs, *function.node.args.args]
        if own:
            variables[own[0].arg] = function.bound
    for parameter in signature.parameters:
        if parameter.name in values:
            variables[parameter.name] = values[parameter.name]
        elif parameter.kind == "args":
            variables[parameter.name] = ()
        elif parameter.kind == "kwargs":
            variables[parameter.name] = DictV({})
        elif parameter.default is not None:
            default = interpreter.evaluate_in(parameter.default, function.module, function.closure or {})
            kept = parameter.name in function.module.facts(function.node).changed_names
            variables[parameter.name] = updates.emptied(default) if kept else default  # by earlier calls
        else:
            variables[parameter.name] = UNKNOWN


def run_body(frame: Frame, function: FunctionV, signature: Signature) -> Value:
    node = function.node
    if isinstance(node, ast.Lambda):
        value = evaluate(frame, node.body)
        frame.exits.append(frame.state)
        return value
    reached = run(frame, node.body)
    if reached:
        frame.exits.append(frame.state)
        frame.returns.append((node, None))
    place = f"{node.name}"
    if signature.is_generator:
        element = join_all(frame.yields, place) if frame.yields else UNKNOWN
        return Sequence("iterator", None, element)
    if not frame.returns:
        return UNKNOWN
    value = join_all([v for _, v in frame.returns], place)
    return Awaitable(value) if signature.is_async else value
