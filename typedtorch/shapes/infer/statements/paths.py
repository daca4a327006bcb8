"""Branches that meet just before a function returns: what follows is looked at once for each way there.

A join of ``(b, d)`` and ``(b, 1, d)`` is unknown, although one way certainly contradicts what the
function promises.  Where only a few plain statements stand between the branches and the ``return``,
they are run again on the state at the end of each branch.  A branch may be tied to sizes by what its
test says (``x if self.proj is None else self.proj(x)``), so on its way only numbers of axes count;
where the test is about the function's own flags alone, says which of two axes is longer, or asks for a
rest (``t % w``), everything does.  A way that nobody wrote (an ``if`` without ``else``) is looked at only
where the test is a plain flag, says which axis is longer, or asks whether an optional parameter is there.
What is wrong on each of the ways is wrong, whatever the test says.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from typedtorch.shapes.differences import may_be_one
from typedtorch.shapes.equality import coinciding
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.conditions import padded, proven, refine
from typedtorch.shapes.infer.conditions.places import look
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.statements.both_ways import branches_of
from typedtorch.shapes.infer.statements.patterns import cases_of
from typedtorch.shapes.infer.values.state import State, join_states
from typedtorch.shapes.infer.values.values import UNKNOWN, Choice, External, Object, Scalar, Tensor, Value
from typedtorch.shapes.size import unknown
from typedtorch.shapes.syntax import dotted, walk
from typedtorch.shapes.tensor import Entry, Pack, pack_index

MAX_TAIL, MAX_WAYS = 8, 6
Run = Callable[[Frame, Sequence[ast.stmt]], bool]
_DRAWS = re.compile(r"\b(?:random|rand|uniform)\((?:1|\(\)|\[\]|0\.?0?, ?1\.?0?)?\)(?:\.item\(\))?$")
_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


def tail_of(frame: Frame, body: Sequence[ast.stmt], at: int) -> Sequence[ast.stmt]:
    """The plain statements up to a ``return`` behind a fork; empty where there is nothing to look at."""
    statement = body[at]
    if frame.depth or frame.loops or not at + 1 < len(body) <= at + 1 + MAX_TAIL:
        return ()
    if not isinstance(statement, (ast.If, ast.Match, ast.Assign)):
        return ()
    tail = body[at + 1 :]
    returns = isinstance(tail[-1], ast.Return)
    if not returns and not (isinstance(statement, ast.If) and _is_whole_body(frame, body)):
        return ()
    if not all(map(_is_plain, tail[:-1] if returns else tail)):
        return ()
    if any(isinstance(n, (ast.IfExp, ast.BoolOp, ast.Lambda)) for s in tail for n in ast.walk(s)):
        return ()  # it may fork on the same test again
    return tail


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement leads nowhere else; a loop over plain ones does not either."""
    if isinstance(statement, ast.For):
        return not statement.orelse and all(map(_is_plain, statement.body))
    return isinstance(statement, _PLAIN)


def leads_to_turns(frame: Frame, body: Sequence[ast.stmt], at: int) -> bool:
    """Whether a fork in a loop's body leads to its end on ways of which the next turn may begin with each."""
    if frame.depth or not frame.loops or frame.loops[-1].body is not body or len(body) > at + 1 + MAX_TAIL:
        return False
    branches = branches_of(body[at])
    if not isinstance(branches, ast.If) or not all(map(_is_plain, body[at + 1 :])):
        return False
    return bool(_about_flags(frame, branches, frame.state))


def _is_whole_body(frame: Frame, body: Sequence[ast.stmt]) -> bool:
    """Whether some statements are a function, whose end is a ``return``; a constructor's is not."""
    node = None if frame.function is None else frame.function.node
    return isinstance(node, ast.FunctionDef) and node.body is body and node.name != "__init__"


def run_each(frame: Frame, fork: ast.stmt, tail: Sequence[ast.stmt], run: Run) -> bool:
    """Run a fork, and what follows it: on the join of its branches, and on each of them."""
    branches = branches_of(fork)
    assert isinstance(branches, (ast.If, ast.Match))
    both = isinstance(branches, ast.If) and proven.is_longer(look(frame, branches.test))
    rest = "rest" if padded.is_rest(frame, branches) else ""
    ends: list[tuple[State, bool]] = []
    if isinstance(branches, ast.Match):
        for state, body in cases_of(frame, branches):
            _run_branch(frame, state, body, run, ends)
    else:
        _runbranches_of(frame, branches, run, ends)
    joined: State | None = None
    for state, _ in ends:
        joined = join_states(joined, state, frame.place(fork))
    if joined is None:
        return False
    frame.state, reported = joined.copy(), len(frame.reporter.findings)
    reached = run(frame, tail)
    end = frame.state
    if 1 < len(ends) <= MAX_WAYS and frame.loops:
        _keep_ways(frame, ends, tail, run)
    elif 1 < len(ends) <= MAX_WAYS:
        exact = "flag" if both else _about_flags(frame, branches, joined)
        exact = exact or _fills_in(frame, branches) or rest
        counting, frame.reporter.counting = frame.reporter.counting, False
        states = [state for state, _ in ends]
        given = _where_given(frame, branches) if len(ends) == 2 else None
        for i, (state, written) in enumerate(ends):
            only = "given" if i == given else exact
            way = _way(state, joined, states, exact=only) if written or only in ("flag", "given") else None
            if way is not None:
                frame.state = way
                run(frame, tail)
        if not exact and not frame.reporter.muted and len(frame.reporter.findings) == reported:
            _where_each_is_wrong(frame, states, joined, tail, run)
        frame.reporter.counting, frame.state = counting, end
    return reached


def _where_each_is_wrong(
    frame: Frame, states: Sequence[State], joined: State, tail: Sequence[ast.stmt], run: Run
) -> None:
    """Report what is wrong on the first of several ways, where each of them is wrong.

    One of them is taken, whatever the test says of sizes.  But ``i`` may be ``j`` where it holds and ``k``
    be ``l`` where it does not, so two sizes count that are never one, such as ``d`` and ``2*d``.
    """
    reporter = frame.reporter
    found, elsewhere, steps = reporter.findings, reporter.elsewhere, frame.interpreter.steps
    left = [(held, len(held)) for held in (frame.returns, frame.exits, frame.bound)]
    wrong = found
    for state in states:
        way = _way(state, joined, states, exact="each")
        reporter.findings, reporter.elsewhere = dict(found), dict(elsewhere)
        if way is not None:
            frame.state = way
            with coinciding(may_be_one):
                run(frame, tail)
        if len(reporter.findings) == len(found):
            break
        wrong = reporter.findings if wrong is found else wrong
    else:
        found.update(wrong)
    reporter.findings, reporter.elsewhere, frame.interpreter.steps = found, elsewhere, steps
    for held, count in left:
        del held[count:]


def _keep_ways(frame: Frame, ends: list[tuple[State, bool]], tail: Sequence[ast.stmt], run: Run) -> None:
    """The states at the end of a loop's body, after each way that somebody wrote."""
    end, counting = frame.state, frame.reporter.counting
    frame.reporter.counting = False
    with frame.reporter.mute():
        for state, written in ends:
            frame.state = state
            if written and run(frame, tail):
                frame.loops[-1].ways.append(frame.state)
    frame.reporter.counting, frame.state = counting, end


def _runbranches_of(frame: Frame, node: ast.If, run: Run, ends: list[tuple[State, bool]]) -> None:
    then, other = refine.branch(frame, node.test)
    _run_branch(frame, then, node.body, run, ends)
    if other is not None and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        frame.state = other
        _runbranches_of(frame, node.orelse[0], run, ends)
    else:
        _run_branch(frame, other, node.orelse, run, ends)


def _run_branch(
    frame: Frame, state: State | None, body: Sequence[ast.stmt], run: Run, ends: list[tuple[State, bool]]
) -> None:
    if state is not None:
        frame.state = state
        if run(frame, body):
            ends.append((frame.state, bool(body)))


def _about_flags(frame: Frame, node: ast.If | ast.Match, state: State) -> str:
    """Says ``flag`` of one bool parameter, ``flags`` of a test of such and strings, nothing of any other."""
    if frame.function is None:
        return ""
    tests = [] if isinstance(node, ast.If) else [node.subject, *(c.guard for c in node.cases if c.guard)]
    part: ast.stmt | None = node
    while isinstance(part, ast.If):
        tests.append(part.test)
        part = part.orelse[0] if len(part.orelse) == 1 else None
    own = {a.arg for a in ast.walk(frame.function.node.args) if isinstance(a, ast.arg)}
    for test in tests:
        if _is_drawn(test) or _asks_for_setting(frame, test):
            continue
        for inner in ast.walk(test):
            if isinstance(inner, (ast.Attribute, ast.Call, ast.Subscript)):
                return ""
            if isinstance(inner, ast.Name) and not (
                inner.id in own and _is_flag(state.variables.get(inner.id))
            ):
                return ""
    first = tests[0].operand if isinstance(tests[0], ast.UnaryOp) else tests[0]
    one = len(tests) == 1 and isinstance(node, ast.If)
    return "flag" if one and (isinstance(first, ast.Name) or _asks_for_setting(frame, first)) else "flags"


def _asks_for_setting(frame: Frame, test: ast.expr) -> bool:
    """``clip is None`` of ``clip: float | None``, which says of sizes as little as a flag does."""
    match test:
        case ast.Compare(left=ast.Name(id=asked), ops=[op], comparators=[ast.Constant(value=None)]):
            options = _options(frame, asked)
            others = [option for option in options if not isinstance(option, specs.NoneSpec)]
            may_be_missing = len(others) == 1 < len(options) and isinstance(op, (ast.Is, ast.IsNot))
            return may_be_missing and _says_no_size(others[0]) and _is_first(frame, asked, test)
    return False


def _says_no_size(spec: specs.Spec) -> bool:
    number = isinstance(spec, specs.NumberSpec) and spec.kind in ("float", "bool")
    return number or (isinstance(spec, specs.ObjectSpec) and spec.name == "str")


def _is_first(frame: Frame, name: str, test: ast.expr) -> bool:
    """Whether nothing before a test may have told what a parameter is, or given it another value."""
    assert frame.function is not None
    named = [n for n in walk(frame.function.node) if isinstance(n, ast.Name) and n.id == name]
    return all(n.lineno >= test.lineno and isinstance(n.ctx, ast.Load) for n in named)


def _is_drawn(test: ast.expr) -> bool:
    """Whether a test is one of a number that is drawn, ``random.random() < p``, or whether a model trains."""
    match test:
        case ast.Compare(left=left, comparators=[right]):
            return any(_DRAWS.search(ast.unparse(side)) for side in (left, right))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_drawn(inner)
    return dotted(test) == "self.training"


def _fills_in(frame: Frame, node: ast.stmt) -> str:
    """``if weight is None: weight = torch.ones(n)``, or ``self.mean``: a stand-in made of sizes alone.

    That it is needed says nothing of any size: where what was given serves, so must this.  Only a
    square, such as ``torch.eye(d)`` for a ``"d k"``, may mean that both are one here.
    """
    if not isinstance(node, ast.If) or len(node.body) != 1 or frame.function is None:
        return ""
    if not all(_keeps(statement, node.test) for statement in node.orelse):
        return ""
    match node.test, node.body[0]:
        case (
            ast.Compare(left=asked, ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
            ast.Assign(targets=[filled], value=ast.Call() as made),
        ) if dotted(asked) == dotted(filled) and _need_not_be(frame, asked) and _is_new(frame, made):
            return "default"
    return ""


def _need_not_be(frame: Frame, node: ast.expr) -> bool:
    """Whether something is a parameter that need not be given, or an attribute, perhaps not there yet."""
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and _is_own_tensor(frame, node.id))


def _where_given(frame: Frame, node: ast.stmt) -> int | None:
    """Which of two branches has the parameter that need not be given.

    That it is missing may mean that sizes agree (``x if proj is None else x @ proj``); that it is there
    means no more than its annotation says.
    """
    if not isinstance(node, ast.If) or frame.function is None:
        return None
    if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):  # several are there
        each = [_where_given(frame, ast.If(test, [], [])) for test in node.test.values]
        return 0 if all(which == 0 for which in each) else None
    match node.test:
        case ast.Compare(left=ast.Name(id=asked), ops=[op], comparators=[ast.Constant(value=None)]) if (
            isinstance(op, (ast.Is, ast.IsNot)) and _may_be_missing(frame, asked)
        ):
            return int(isinstance(op, ast.Is))
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kind]):
            is_tensor = frame.evaluate(kind) == External("torch.Tensor")
            return 0 if is_tensor and _is_own_tensor(frame, asked) else None
    return None


def _keeps(statement: ast.stmt, test: ast.expr) -> bool:
    """The other arm of ``weight = torch.ones(n) if weight is None else weight``."""
    match statement, test:
        case ast.Assign(value=ast.Name(id=kept)), ast.Compare(left=ast.Name(id=asked)):
            return kept == asked
    return False


def _is_new(frame: Frame, made: ast.Call) -> bool:
    """Whether a call makes a tensor of sizes: none goes into it, nor is its method called."""
    parts = [*made.args, *(k.value for k in made.keywords)]
    if isinstance(made.func, ast.Attribute) and not made.func.attr.startswith("new_"):
        parts.append(made.func.value)
    values, value = [look(frame, part) for part in parts], look(frame, made)
    if any(isinstance(v, (Tensor, Choice)) or v is UNKNOWN for v in values) or not isinstance(value, Tensor):
        return False
    return value.rank is not None and len(set(value.shape)) == len(value.shape)


def _is_own_tensor(frame: Frame, name: str) -> bool:
    """Whether a name is a parameter annotated as an array or something else, such as None or a number."""
    options = _options(frame, name)
    arrays = [option for option in options if isinstance(option, specs.ArraySpec)]
    return len(options) == 2 and len(arrays) == 1 and arrays[0].shaped


def _may_be_missing(frame: Frame, name: str) -> bool:
    """Whether a name is a parameter annotated as None or else as an array, several, or a record of some."""
    options = [o for o in _options(frame, name) if not isinstance(o, specs.NoneSpec)]
    if _is_own_tensor(frame, name):
        return True
    match options:
        case [specs.TupleSpec() as several]:
            return specs.shaped(several) and len(_options(frame, name)) == 2
        case [specs.InstanceSpec(info=info)]:
            return bool(info.kind.is_fields) and len(_options(frame, name)) == 2
    return False


def _options(frame: Frame, name: str) -> tuple[specs.Spec, ...]:
    """Of what kinds the annotation of a parameter says that it may be."""
    assert frame.function is not None
    signature = frame.interpreter.signature(frame.function)
    spec = next((p.spec for p in signature.parameters if p.name == name), None)
    return spec.options if isinstance(spec, specs.UnionSpec) else ()


def _is_flag(value: Value) -> bool:
    if isinstance(value, Choice):
        return all(isinstance(option, (str, bool)) for option in value.options)
    return (
        isinstance(value, (str, bool))
        or (isinstance(value, Scalar) and value.kind == "bool")
        or value == Object("str")
    )


def _way(state: State, joined: State, states: Sequence[State], *, exact: str) -> State | None:
    """The state of one way; None where the join says as much."""
    if any(joined.names.packs.get(name, run) != run for name, run in state.names.packs.items()):
        return None  # the test has told how many axes a run has: its name means something else on this way
    way = state.copy() if exact else joined.copy()  # with what was found equal on the way
    changed = False
    for name, value in state.variables.items():
        both = joined.variables.get(name)
        if value is both or (exact and value == both):
            continue
        if exact:
            way.variables[name], changed = value, True
        elif isinstance(value, Tensor) and pack_index(value.shape) is None and _rank_lost(both):
            others = [o for s in states if isinstance(o := s.variables.get(name), Tensor)]
            if len(others) == len(states):
                way.variables[name], changed = rank_only(value, others), True
    return way if changed else None


def _rank_lost(value: Value) -> bool:
    return isinstance(value, Tensor) and pack_index(value.shape) is not None


def rank_only(value: Tensor, others: Sequence[Tensor]) -> Tensor:
    """A tensor of one way without what the others may explain: sizes they lack, the dtype."""
    entries: list[Entry] = []
    for entry in value.shape:
        common = isinstance(entry, Pack) or all(entry in other.shape for other in others)
        entries.append(entry if common or entry == 1 else unknown())
    dtype = value.dtype
    for other in others:
        dtype |= other.dtype
    return replace(value, shape=tuple(entries), dtype=dtype, layout=None)


def arms(frame: Frame, node: ast.IfExp, check: Callable[[ast.expr, Value], None]) -> None:
    """``return a if c else b``: each arm against what the function promises."""
    states = refine.branch(frame, node.test)
    if None in states:
        return
    exact = _about_flags(frame, ast.If(node.test, [], []), frame.state)
    values: list[tuple[State, ast.expr, Value]] = []
    saved = frame.state
    counting, frame.reporter.counting = frame.reporter.counting, False  # they have been counted before
    with frame.reporter.mute():
        for state, arm in zip(states, (node.body, node.orelse), strict=True):
            assert state is not None
            frame.state = state
            value = frame.evaluate(arm)
            values.append((frame.state, arm, value))
    frame.reporter.counting = counting
    tensors = [v for _, _, v in values if isinstance(v, Tensor)]
    for state, arm, value in values:
        frame.state = state  # with what evaluating the arm has tied and narrowed
        if exact:
            check(arm, value)
        elif len(tensors) == 2 and tensors[0].rank != tensors[1].rank and isinstance(value, Tensor):
            check(arm, rank_only(value, tensors))
    frame.state = saved


__all__ = ["arms", "run_each", "tail_of"]
