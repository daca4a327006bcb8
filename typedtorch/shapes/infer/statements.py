"""Statements: one function per kind.  Each returns whether the next statement is reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer import calls, messages, paths, refine, specs
from typedtorch.shapes.infer.expressions import MAX_UNROLL, evaluate, items_of, iterate, operate
from typedtorch.shapes.infer.frame import Frame, Loop
from typedtorch.shapes.infer.state import MAX_ROUNDS, State, equal_states, forget_changed, join_states
from typedtorch.shapes.infer.unify import Names, assume, match
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Bound,
    Choice,
    DictV,
    External,
    Instance,
    Tensor,
    Value,
    choice,
    is_size,
    join,
    options_of,
)
from typedtorch.shapes.infer.values import Sequence as SequenceV
from typedtorch.shapes.size import Atom, Size, atoms, integer, substitute, unknown
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, better, pack_index


def run(frame: Frame, body: Sequence[ast.stmt]) -> bool:
    """Run a block; False where its end is not reached."""
    for i, statement in enumerate(body):
        if isinstance(statement, ast.If) or isinstance(getattr(statement, "value", None), ast.IfExp):
            tail = paths.tail_of(frame, body, i)
            if tail:
                return paths.run_each(frame, statement, tail, run)
        handler = _HANDLERS.get(type(statement))
        if handler is not None and not handler(frame, statement):
            return False
    return True


# -- binding ----------------------------------------------------------------------------------


def assign(frame: Frame, node: ast.Assign) -> bool:
    value = evaluate(frame, node.value)
    for target in node.targets:
        assign_target(frame, target, value, node.value)
    return True


def assign_target(frame: Frame, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
    """Bind a target: a name, an attribute, an item, or a tuple of targets."""
    match target:
        case ast.Name(id=name):
            if name in frame.declared and source is not None:
                value = check_declared(frame, frame.declared[name], value, source)
            frame.state.variables[name] = value
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(frame, elts, value, target, source)
        case ast.Starred(value=inner):
            assign_target(frame, inner, value, source)
        case ast.Attribute(value=base, attr=attr):
            _assign_attribute(frame, base, attr, value, source)
        case ast.Subscript():
            _assign_item(frame, target, value, source)


def _assign_attribute(frame: Frame, base: ast.expr, attr: str, value: Value, source: ast.expr | None) -> None:
    holder = evaluate(frame, base)
    if isinstance(holder, Instance):
        spec = holder.info.spec(attr)
        if spec is not None and source is not None and specs.shaped(spec):
            value = frame.interpreter.check_attribute(frame, holder, attr, spec, value, source)
        frame.state.replace_value(holder, holder.with_attribute(attr, value))
    elif isinstance(holder, Tensor) and attr == "data" and isinstance(value, Tensor):
        frame.state.replace_value(holder, value)


def _assign_item(frame: Frame, target: ast.Subscript, value: Value, source: ast.expr | None) -> None:
    holder, index = evaluate(frame, target.value), evaluate(frame, target.slice)
    if isinstance(holder, Tensor):
        nodes = (target.value, target.slice, source or target)
        calls.tensor_method(frame, holder, "__setitem__", (index, value), {}, target, nodes)
    elif isinstance(holder, DictV):
        if isinstance(index, (str, int)):
            updated = DictV({**holder.items, index: value}, holder.rest, holder.kind)
        else:
            rest = value if holder.rest is None else join(holder.rest, value, frame.place(target))
            updated = DictV(holder.items, rest, holder.kind)
        frame.state.replace_value(holder, updated)
    elif isinstance(holder, SequenceV):
        frame.state.replace_value(holder, _with_item(holder, index, value, frame.place(target)))


def _with_item(holder: SequenceV, index: Value, value: Value, place: str) -> SequenceV:
    if (
        isinstance(index, int)
        and holder.items is not None
        and -len(holder.items) <= index < len(holder.items)
    ):
        items = list(holder.items)
        items[index] = value
        return replace(holder, items=tuple(items))
    element = value if holder.items == () else join(holder.any_item, value, place)
    return SequenceV(holder.kind, None, element)


def _unpack(
    frame: Frame, elts: list[ast.expr], value: Value, target: ast.expr, source: ast.expr | None
) -> None:
    star = next((i for i, e in enumerate(elts) if isinstance(e, ast.Starred)), None)
    if isinstance(value, Choice):
        fits = [v for v in value.options if not isinstance(v, tuple) or len(v) == len(elts)]
        value = fits[0] if len(fits) == 1 and star is None else UNKNOWN
    if isinstance(value, Tensor):
        value = _unpack_tensor(frame, value, elts, star, target, source)
    if isinstance(value, tuple) and any(isinstance(v, Pack) for v in value):
        if star is not None and len(value) == len(elts) and isinstance(value[star], Pack):
            # *batch, s, d = x.shape: the run of axes itself, to be spread again in view(*batch, ...)
            for i, (element, part) in enumerate(zip(elts, value, strict=True)):
                assign_target(frame, element, (part,) if i == star else part)
            return
        value = _unpack_shape(frame, value, elts, star, source)
    items = items_of(value)
    if items is None:
        each = iterate(value, frame.place(target))
        for element in elts:
            inner = SequenceV("list", None, each) if isinstance(element, ast.Starred) else each
            assign_target(frame, element, inner)
        return
    if star is None:
        if len(items) != len(elts):
            if _certain_count(frame, value, source):
                messages.unpack(frame, source or target, value, len(elts), len(items))
            items = [UNKNOWN] * len(elts)
        for element, item in zip(elts, items, strict=True):
            assign_target(frame, element, item)
        return
    after = len(elts) - star - 1
    if len(items) < len(elts) - 1:
        items = [UNKNOWN] * len(elts)
    for element, item in zip(elts[:star], items[:star], strict=True):
        assign_target(frame, element, item)
    assign_target(frame, elts[star], SequenceV("list", tuple(items[star : len(items) - after])))
    for element, item in zip(elts[star + 1 :], items[len(items) - after :], strict=True):
        assign_target(frame, element, item)


def _certain_count(frame: Frame, value: Value, source: ast.expr | None) -> bool:
    """A shape, or what an operator returned; an annotated tuple is a type checker's to count."""
    if not isinstance(value, tuple):
        return False
    if all(is_size(v) for v in value) and not isinstance(source, ast.Call):
        return True
    if isinstance(source, ast.Call) and refine._shape_of(source) is not None:
        return True
    if not isinstance(source, ast.Call) or not all(isinstance(v, Tensor) for v in value):
        return False
    with frame.reporter.mute():
        return isinstance(evaluate(frame, source.func), (Bound, External))


def _unpack_tensor(
    frame: Frame,
    value: Tensor,
    elts: list[ast.expr],
    star: int | None,
    target: ast.expr,
    source: ast.expr | None,
) -> Value:
    """``q, k, v = qkv``: the first axis is taken apart."""
    from typedtorch.shapes.infer.expressions import tensor_item  # noqa: PLC0415 - one use

    first = value.shape[0] if value.shape else None
    if star is None and isinstance(first, int) and first != len(elts):
        messages.unpack(frame, source or target, value, len(elts), first)
    each = tensor_item(value)
    return tuple([each] * len(elts)) if star is None else SequenceV("list", None, each)


def _unpack_shape(
    frame: Frame, value: tuple[Value, ...], elts: list[ast.expr], star: int | None, source: ast.expr | None
) -> Value:
    """``*batch, s, d = x.shape`` or ``b, s, d = x.shape`` where the rank is not known."""
    packed = pack_index(value)
    assert packed is not None
    if star is not None:
        return UNKNOWN
    missing = len(elts) - (len(value) - 1)
    if missing < 0 or sum(isinstance(v, Pack) for v in value) > 1:
        return UNKNOWN
    names = [e.id if isinstance(e, ast.Name) else "?" for e in elts[packed : packed + missing]]
    fresh: Shape = tuple(integer(f"{n}") for n in names)
    subject = refine._shape_of(source) if source is not None else None
    if subject is not None:
        tensor = refine.read_place(frame, subject)
        pack = value[packed]
        if isinstance(tensor, Tensor) and isinstance(pack, Pack):
            if pack.anonymous:
                shape: tuple[Entry, ...] = (*tensor.shape[:packed], *fresh, *tensor.shape[packed + 1 :])
                refine.write_place(frame, subject, replace(tensor, layout=None, shape=shape))
            else:
                frame.state.replace_pack(pack, fresh)
    return (*value[:packed], *fresh, *value[packed + 1 :])


def augmented(frame: Frame, node: ast.AugAssign) -> bool:
    target = node.target
    left, right = evaluate(frame, _loaded(target)), evaluate(frame, node.value)
    operands = (_loaded(target), node.value)
    value = operate(frame, node, node.op, left, right, operands, in_place=True)
    if isinstance(left, SequenceV) and isinstance(node.op, ast.Add):
        frame.state.replace_value(left, value)
    if isinstance(target, ast.Subscript) and isinstance(evaluate(frame, target.value), Tensor):
        return True
    assign_target(frame, target, value)
    return True


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment, read."""
    match target:
        case ast.Name(id=name):
            loaded: ast.expr = ast.Name(id=name, ctx=ast.Load())
        case ast.Attribute(value=value, attr=attr):
            loaded = ast.Attribute(value=value, attr=attr, ctx=ast.Load())
        case ast.Subscript(value=value, slice=index):
            loaded = ast.Subscript(value=value, slice=index, ctx=ast.Load())
        case _:
            return target
    return ast.copy_location(loaded, target)


def annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    spec = specs.read(node.annotation, lambda n: evaluate(frame, n))
    if node.value is None:
        if isinstance(node.target, ast.Name) and specs.shaped(spec):
            frame.declared[node.target.id] = spec
        return True
    value = evaluate(frame, node.value)
    if isinstance(node.target, ast.Attribute):
        holder = evaluate(frame, node.target.value)
        if isinstance(holder, Instance):
            value = frame.interpreter.check_attribute(
                frame, holder, node.target.attr, spec, value, node.value
            )
            assign_target(frame, node.target, value)
            return True
    assign_target(frame, node.target, check_declared(frame, spec, value, node.value))
    return True


def check_declared(frame: Frame, spec: specs.Spec, value: Value, source: ast.expr) -> Value:
    """A local annotation: names that are bound are checked, new ones are bound."""
    if isinstance(spec, specs.Anything):
        return value
    if value is UNKNOWN and isinstance(spec, specs.ArraySpec):
        value = _cast(source)
    names = frame.state.names
    problems = match(spec, value, names, binder=messages.source(source))
    if problems:
        messages.declared(frame, source, problems[0])
    promised = _existential(spec, names, frame.place(source), messages.source(source))
    if problems:
        return join(value, promised, frame.place(source))  # whichever is right
    return more_precise(value, promised)


_CASTS = {
    "float": dtypes.FLOAT32, "double": dtypes.FLOAT64, "half": dtypes.FLOAT16, "long": dtypes.INT64,
    "int": dtypes.BIT["int32"], "bool": dtypes.BOOL, "bfloat16": dtypes.BIT["bfloat16"],
}  # fmt: skip


def _cast(node: ast.expr) -> Value:
    """``something.float()`` where an annotation says that it is a tensor: its dtype at least."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=[], keywords=[]) if attr in _CASTS:
            return Tensor((ANY_AXES,), _CASTS[attr])
    return UNKNOWN


def _existential(spec: specs.Spec, names: Names, place: str, hint: str) -> Value:
    """What a local annotation promises: a name it is the first to mention is some size, not every size."""
    default, generic = names.default, names.generic
    names.default, names.generic = (lambda name: unknown(f"?{place}.{name}")), False
    try:
        return assume(spec, names, hint)
    finally:
        names.default, names.generic = default, generic


def more_precise(value: Value, promised: Value) -> Value:
    """What is known from both a value and its annotation."""
    if value is UNKNOWN:
        return promised
    if isinstance(value, Tensor) and isinstance(promised, Tensor):
        dtype = value.dtype & promised.dtype or value.dtype
        return replace(value, layout=None, shape=_meet(value.shape, promised.shape), dtype=dtype)
    if isinstance(value, tuple) and isinstance(promised, tuple) and len(value) == len(promised):
        if type(value) is tuple:
            return tuple(more_precise(v, p) for v, p in zip(value, promised, strict=True))
        return value
    if isinstance(value, SequenceV) and isinstance(promised, SequenceV) and value.items is None:
        return replace(value, element=more_precise(value.element, promised.element))
    if isinstance(value, DictV) and isinstance(promised, DictV) and value.rest is not None:
        return replace(value, rest=more_precise(value.rest, promised.rest))
    if isinstance(value, (Tensor, Choice)) and isinstance(promised, (Tensor, Choice)):
        return _more_precise_options(value, promised)
    return value


def _more_precise_options(value: Tensor | Choice, promised: Tensor | Choice) -> Value:
    """``Tensor | None`` against a promise with one kind of tensor in it."""
    tensors = [p for p in options_of(promised) if isinstance(p, Tensor)]
    if len(tensors) != 1:
        return value
    return choice([more_precise(v, tensors[0]) if isinstance(v, Tensor) else v for v in options_of(value)])


def _meet(value: Shape, promised: Shape) -> Shape:
    if pack_index(value) is not None and pack_index(promised) is None:
        return promised
    if _open(value) and not _open(promised):
        return promised
    if len(value) == len(promised):
        return tuple(
            x if isinstance(x, Pack) or isinstance(y, Pack) else better(x, y)
            for x, y in zip(value, promised, strict=True)
        )
    return value


def _open(shape: Shape) -> bool:
    """Whether some run of its axes has no name."""
    return any(isinstance(entry, Pack) and entry.anonymous for entry in shape)


# -- control flow -----------------------------------------------------------------------------


def if_(frame: Frame, node: ast.If) -> bool:
    then, other = refine.branch(frame, node.test)
    return _run_branches(frame, [(then, node.body), (other, node.orelse)], frame.place(node))


def _run_branches(frame: Frame, branches: list[tuple[State | None, Sequence[ast.stmt]]], place: str) -> bool:
    after: State | None = None
    possible = [(state, body) for state, body in branches if state is not None]
    undecided = frame.depth > 0 and len(possible) > 1
    ended = 0
    for state, body in possible:
        frame.state = state
        if undecided:
            frame.reporter.muted += 1  # the caller's values may never lead here
        if run(frame, body):
            after = join_states(after, frame.state, place)
        else:
            ended += 1
        if undecided:
            frame.reporter.muted -= 1
    if undecided and ended:
        frame.reporter.muted += 1  # nor past here, for the rest of the body
    if after is None:
        return False
    frame.state = after
    return True


def for_(frame: Frame, node: ast.For | ast.AsyncFor) -> bool:
    iterable = evaluate(frame, node.iter)
    items = items_of(iterable)
    if items is not None and len(items) <= MAX_UNROLL:
        return _unrolled(frame, node, items)
    each = iterate(iterable, frame.place(node.target))
    return _fixed_point(frame, node, lambda: assign_target(frame, node.target, each), None)


def _unrolled(frame: Frame, node: ast.For | ast.AsyncFor, items: list[Value]) -> bool:
    loop = Loop()
    frame.loops.append(loop)
    alive = True
    for item in items:
        assign_target(frame, node.target, item)
        reached = run(frame, node.body)
        state = join_states(frame.state if reached else None, loop.continues, frame.place(node))
        loop.continues = None
        if state is None:
            alive = False
            break
        frame.state = state
    frame.loops.pop()
    if alive:
        alive = run(frame, node.orelse)
    after = join_states(frame.state if alive else None, loop.breaks, frame.place(node))
    if after is None:
        return False
    frame.state = after
    return True


def while_(frame: Frame, node: ast.While) -> bool:
    return _fixed_point(frame, node, lambda: None, node.test)


def _fixed_point(
    frame: Frame, node: ast.For | ast.AsyncFor | ast.While, bind: Callable[[], None], test: ast.expr | None
) -> bool:
    """Run a body until its head no longer changes; at least one turn is assumed."""
    place = frame.place(node)
    head = frame.state
    loop, end, left = Loop(), None, None
    if frame.depth:
        frame.reporter.muted += 1  # a helper's loop may not be entered with the caller's values
    for turn in range(MAX_ROUNDS + 2):
        loop = Loop()
        frame.loops.append(loop)
        frame.state = head.copy()
        entered, left = (frame.state, None) if test is None else refine.branch(frame, test)
        end = None
        if entered is not None:
            frame.state = entered
            bind()
            end = frame.state if run(frame, node.body) else None
        frame.loops.pop()
        end = join_states(end, loop.continues, place)
        if end is None:
            break
        age(end, node)
        joined = join_states(head, end, place)
        assert joined is not None
        if equal_states(joined, head):
            break
        head = forget_changed(head, joined) if turn >= MAX_ROUNDS else joined
    if frame.depth:
        frame.reporter.muted -= 1
    always = test is not None and isinstance(test, ast.Constant) and bool(test.value)
    normal = None if always else (end or left or head)
    if normal is not None:
        frame.state = normal
        if test is not None and end is not None:
            frame.state = refine.branch(frame, test)[1] or normal
        normal = frame.state if run(frame, node.orelse) else None
    after = join_states(normal, loop.breaks, place)
    if after is None:
        return False
    frame.state = after
    return True


_PLACE = re.compile(r"\?(\d+):")


def age(state: State, loop: ast.stmt) -> None:
    """Unknown sizes that arose in this turn of a loop are not those of the same names in the next."""
    first, last = loop.lineno, loop.end_lineno or loop.lineno

    def older(size: Size) -> Size:
        if isinstance(size, int):
            return size
        found = {a: unknown(f"{a.name}'") for a in atoms(size) if _arose(a, first, last)}
        return substitute(size, found) if found else size

    state.transform(older)


def _arose(atom: Atom, first: int, last: int) -> bool:
    if atom.kind != "opaque" or atom.name.endswith("'"):
        return False
    place = _PLACE.match(atom.name)
    return place is not None and first <= int(place.group(1)) <= last


def break_(frame: Frame, node: ast.Break) -> bool:
    if frame.loops:
        loop = frame.loops[-1]
        loop.breaks = join_states(loop.breaks, frame.state, frame.place(node))
    return False


def continue_(frame: Frame, node: ast.Continue) -> bool:
    if frame.loops:
        loop = frame.loops[-1]
        loop.continues = join_states(loop.continues, frame.state, frame.place(node))
    return False


def try_(frame: Frame, node: ast.Try) -> bool:
    before = frame.state.copy()
    reached = run(frame, node.body)
    after_body = frame.state
    # a handler may be entered from anywhere in the body
    entry = join_states(before, after_body, frame.place(node))
    assert entry is not None
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = [(after_body if reached else None, node.orelse)]
    for handler in node.handlers:
        state = entry.copy()
        if handler.name:
            state.variables[handler.name] = UNKNOWN
        branches.append((state, handler.body))
    alive = _run_branches(frame, branches, frame.place(node))
    if node.finalbody:
        if not alive:
            frame.state = entry
        final = run(frame, node.finalbody)
        alive = alive and final
    return alive


def with_(frame: Frame, node: ast.With | ast.AsyncWith) -> bool:
    before = frame.state.autocast
    for item in node.items:
        value = evaluate(frame, item.context_expr)
        if calls.is_autocast(frame, item.context_expr):
            frame.state.autocast = True
        if item.optional_vars is not None:
            assign_target(frame, item.optional_vars, calls.entered(frame, value, item.context_expr))
    reached = run(frame, node.body)
    frame.state.autocast = before
    return reached


def match_(frame: Frame, node: ast.Match) -> bool:
    subject = evaluate(frame, node.subject)
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = []
    total = False
    rest = subject
    for case in node.cases:
        state = frame.state.copy()
        saved, frame.state = frame.state, state
        value, rest_after = _match_pattern(frame, case.pattern, rest)
        if value is not _NEVER:
            if isinstance(node.subject, ast.Name) and value is not UNKNOWN:
                frame.state.variables[node.subject.id] = value
            _bind_pattern(frame, case.pattern, value)
            _prove_pattern(frame, case.pattern, value)
            entered: State | None = frame.state
            if case.guard is not None:
                entered = refine.branch(frame, case.guard)[0]
            else:
                rest = rest_after
            branches.append((entered, case.body))
            total = total or (case.guard is None and _irrefutable(case.pattern))
        frame.state = saved
    if not total and rest is not _NEVER:
        branches.append((frame.state, []))
    return _run_branches(frame, branches, frame.place(node))


_NEVER = object()


def _prove_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> None:
    """``match x.shape[0]: case 1:`` says what a size is."""
    match pattern:
        case ast.MatchValue(value=ast.Constant(value=int(number))) if is_size(value):
            refine.equate(frame, value, number)
        case ast.MatchSequence(patterns=patterns) if isinstance(value, tuple):
            if len(patterns) == len(value) and not any(isinstance(p, ast.MatchStar) for p in patterns):
                for part, item in zip(patterns, value, strict=True):
                    _prove_pattern(frame, part, item)
        case ast.MatchAs(pattern=inner) if inner is not None:
            _prove_pattern(frame, inner, value)


def _irrefutable(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _match_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> tuple[Value, Value]:
    """What the subject is if the pattern matches, and what it is for the cases below."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return value, _NEVER
        case ast.MatchAs(pattern=inner) if inner is not None:
            return _match_pattern(frame, inner, value)
        case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
            kind = evaluate(frame, cls)
            return _split(value, lambda v: refine.instance_of(v, kind))
        case ast.MatchClass(cls=cls):
            kind = evaluate(frame, cls)
            return _split(value, lambda v: refine.instance_of(v, kind))[0], value
        case ast.MatchValue(value=constant):
            wanted = evaluate(frame, constant)
            return _split(value, lambda v: refine.compare_values(ast.Eq(), v, wanted))
        case ast.MatchSingleton(value=constant):
            return _split(value, lambda v: refine.compare_values(ast.Is(), v, constant))
        case ast.MatchSequence(patterns=patterns) if isinstance(value, tuple):
            star = any(isinstance(p, ast.MatchStar) for p in patterns)
            packed = any(isinstance(v, Pack) for v in value)
            if not star and not packed and len(patterns) != len(value):
                return _NEVER, value
            return value, value
    return value, value


def _split(value: Value, test: Callable[[Value], bool | None]) -> tuple[Value, Value]:
    if value is UNKNOWN:
        return UNKNOWN, UNKNOWN
    options = value.options if isinstance(value, Choice) else (value,)
    yes = [v for v in options if test(v) is not False]
    no = [v for v in options if test(v) is not True]
    return _one_of(yes), _one_of(no)


def _one_of(options: list[Value]) -> Value:
    if not options:
        return _NEVER
    return options[0] if len(options) == 1 else Choice(tuple(options))


def _bind_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> None:
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if name is not None:
                frame.state.variables[name] = value
            if inner is not None:
                _bind_pattern(frame, inner, value)
        case ast.MatchSequence(patterns=patterns):
            items = items_of(value)
            plain = items is not None and len(items) == len(patterns)
            for i, part in enumerate(patterns):
                _bind_pattern(frame, part, items[i] if plain and items is not None else UNKNOWN)
        case ast.MatchStar(name=str(name)):
            frame.state.variables[name] = UNKNOWN
        case ast.MatchOr(patterns=patterns):
            for part in patterns:
                _bind_pattern(frame, part, UNKNOWN)
        case ast.MatchClass(patterns=patterns, kwd_attrs=keywords, kwd_patterns=inner_patterns):
            for part in patterns:
                _bind_pattern(frame, part, UNKNOWN)
            for keyword, part in zip(keywords, inner_patterns, strict=True):
                held = value.attributes.get(keyword, UNKNOWN) if isinstance(value, Instance) else UNKNOWN
                _bind_pattern(frame, part, held)
        case ast.MatchMapping(patterns=patterns, rest=rest):
            for part in patterns:
                _bind_pattern(frame, part, UNKNOWN)
            if rest is not None:
                frame.state.variables[rest] = UNKNOWN


# -- leaving ----------------------------------------------------------------------------------


def return_(frame: Frame, node: ast.Return) -> bool:
    value = None if node.value is None else evaluate(frame, node.value)
    frame.returns.append((node, value))
    frame.exits.append(frame.state)
    if node.value is not None and frame.result is not None:
        calls.check_result(frame, node.value, value)
        if isinstance(node.value, ast.IfExp) and not frame.depth:
            paths.arms(frame, node.value, lambda arm, v: calls.check_result(frame, arm, v))
    return False


def raise_(frame: Frame, node: ast.Raise) -> bool:
    if node.exc is not None:
        evaluate(frame, node.exc)
    return False


def assert_(frame: Frame, node: ast.Assert) -> bool:
    then, _ = refine.branch(frame, node.test)
    if then is None:
        return False
    frame.state = then
    return True


def expression(frame: Frame, node: ast.Expr) -> bool:
    value = evaluate(frame, node.value)
    return not calls.never_returns(value)


def delete(frame: Frame, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.state.variables.pop(target.id, None)
    return True


def function_definition(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    frame.state.variables[node.name] = frame.interpreter.define_local(frame, node)
    return True


def class_definition(frame: Frame, node: ast.ClassDef) -> bool:
    frame.state.variables[node.name] = frame.interpreter.define_local_class(frame, node)
    return True


def import_(frame: Frame, node: ast.Import) -> bool:
    for alias in node.names:
        target = alias.name if alias.asname else alias.name.partition(".")[0]
        frame.state.variables[alias.asname or target] = frame.module.program.import_module(target)
    return True


def import_from(frame: Frame, node: ast.ImportFrom) -> bool:
    source = frame.module.absolute(node)
    for alias in node.names:
        if alias.name != "*":
            value = frame.module.program.import_from(source, alias.name)
            frame.state.variables[alias.asname or alias.name] = value
    return True


def forget_names(frame: Frame, node: ast.Global | ast.Nonlocal) -> bool:
    for name in node.names:
        frame.state.variables[name] = UNKNOWN
    return True


Handler = Callable[[Frame, Any], bool]
_HANDLERS: dict[type[ast.stmt], Handler] = {
    ast.Assign: assign, ast.AugAssign: augmented, ast.AnnAssign: annotated, ast.If: if_, ast.For: for_,
    ast.AsyncFor: for_, ast.While: while_, ast.Break: break_, ast.Continue: continue_, ast.Try: try_,
    ast.With: with_, ast.AsyncWith: with_, ast.Match: match_, ast.Return: return_, ast.Raise: raise_,
    ast.Assert: assert_, ast.Expr: expression, ast.Delete: delete, ast.FunctionDef: function_definition,
    ast.AsyncFunctionDef: function_definition, ast.ClassDef: class_definition, ast.Import: import_,
    ast.ImportFrom: import_from, ast.Global: forget_names, ast.Nonlocal: forget_names,
}  # fmt: skip

__all__ = ["assign_target", "run"]
