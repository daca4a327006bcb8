"""Conditions: what a test proves in the branch it leads to."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.annotations.assuming import Promise
from typedtorch.shapes.infer.conditions import asking, limited_sizes, padded, proven
from typedtorch.shapes.infer.conditions.asking import reads_a_size
from typedtorch.shapes.infer.conditions.equated import prove_equal, rank_of, set_rank
from typedtorch.shapes.infer.conditions.places import keep_kind, keep_options, look, read_place, write_place
from typedtorch.shapes.infer.conditions.solving import equate, prove
from typedtorch.shapes.infer.containers.items import items_of
from typedtorch.shapes.infer.expressions.comparing import at_most, contains, truth
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values import contents
from typedtorch.shapes.infer.values.kinds import exactly_of
from typedtorch.shapes.infer.values.state import State, join_states
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    Dtype,
    External,
    FunctionV,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    choice,
    options_of,
)
from typedtorch.shapes.size import Atom, Poly, atoms
from typedtorch.shapes.syntax import dotted, instead, walk
from typedtorch.shapes.tensor import Pack

Branches = tuple[State | None, State | None]


# -- branches ---------------------------------------------------------------------------------


def branch(frame: Frame, test: ast.expr, evaluated: Value | None = None) -> Branches:
    """The states in which a test holds and does not hold; None for one that cannot happen.

    Where only one can, it is the state before the test itself; where both can, two copies.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            then, other = branch(frame, operand)
            return other, then
        case ast.BoolOp(op=op, values=values) if evaluated is None:
            return _branch_boolean(frame, isinstance(op, ast.And), values)
        case (
            ast.BinOp(left=a, op=ast.BitXor(), right=b)
            | ast.Compare(left=a, ops=[ast.NotEq()], comparators=[b])
        ) if _is_test(a) and _is_test(b):
            return _branch_exclusive(frame, a, b)
        case ast.Compare(left=a, ops=[ast.Eq()], comparators=[b]) if _is_test(a) and _is_test(b):
            then, other = _branch_exclusive(frame, a, b)
            return other, then
    padded.ask(frame, test)
    value = frame.evaluate(test) if evaluated is None else evaluated
    if evaluated is None:
        ask_truth(frame, test, value)
    verdict = truth(value)
    if verdict is not None:  # a test of which the outcome is known proves nothing more
        return (frame.state, None) if verdict else (None, frame.state)
    saved = frame.state
    ways: list[State | None] = []
    facts = value.proves if isinstance(value, Scalar) else ()
    flag = value if isinstance(value, Scalar) and isinstance(test, (ast.Name, ast.Attribute)) else None
    is_setting = _is_setting(frame, test, value)
    asks = _asked(frame, test, value)
    rest = bool(asks) and padded.is_rest(frame, test)
    for positive in (True, False):
        frame.state = saved.copy()
        frame.state.tests = (*frame.state.tests, (test, positive))
        if flag is not None and flag.name:
            frame.state.flags = (*frame.state.flags, (flag, positive))
        if asks and not (positive and rest):
            frame.state.asked = (*frame.state.asked, (asks, positive))
        if beside := asking.beside_one(frame, test, positive=positive):
            frame.state.asked = (*frame.state.asked, (beside, positive))
        if is_setting:
            frame.state.settings = (*frame.state.settings, (test, positive))
        possible = not facts or prove(frame, facts[0 if positive else 1])
        ways.append(frame.state if possible and _refine(frame, test, positive) else None)
    frame.state = saved
    return ways[0], ways[1]


def _asked(frame: Frame, test: ast.expr, value: Value) -> frozenset[Atom]:
    """The sizes that a test asks about in a way that proves nothing: they may be one all the same."""
    if isinstance(value, Scalar) and value.proves and not _of_unknown(value):
        return value.asks
    if proven.is_longer(value):
        return frozenset()
    read = proven.asked_by(value) if isinstance(value, (Scalar, Poly)) else frozenset[Atom]()
    plain = read or value is UNKNOWN or isinstance(value, (Choice, Scalar, Sequence)) or _is_numpy_bool(value)
    plain = plain and not (read and limited_sizes.is_of_counts(frame, test))
    nodes = [*(names_of_sizes(test) if plain else ()), *asking.compared(frame, test)]
    return read | sizes_of(frame, nodes)


def sizes_of(frame: Frame, names: Iterable[ast.expr]) -> frozenset[Atom]:
    """The sizes in what some names hold."""
    named = [read_place(frame, name) for name in names]
    held = [v for v in named if isinstance(v, (Tensor, Poly, tuple, Sequence, DictV))]
    return frozenset(atom for v in held for atom in contents.sizes_in(v) if isinstance(atom, Atom))


def _is_numpy_bool(value: Value) -> bool:
    """What ``(np.array(x.shape) == np.array(y.shape)).all()`` gives."""
    return isinstance(value, Tensor) and value.library == "numpy" and value.shape == ()


@lru_cache(maxsize=16384)
def names_of_sizes(test: ast.expr) -> tuple[ast.Name, ...]:
    """The names in a test that reads sizes."""
    nodes = walk(test)
    return tuple(n for n in nodes if isinstance(n, ast.Name)) if any(map(reads_a_size, nodes)) else ()


def _of_unknown(value: Scalar) -> bool:
    """Whether something is proven of a size that nothing else has: ``len({x.shape, y.shape}) == 1``."""
    return any(atom.kind == "opaque" for facts in value.proves for fact in facts for atom in atoms(fact))


def _is_setting(frame: Frame, test: ast.expr, value: Value) -> bool:
    """``self.residual``, ``self.mode == "add"``: of which it is not known what it says of sizes."""
    match test:
        case ast.Name() | ast.Attribute():
            named = test.attr if isinstance(test, ast.Attribute) else test.id
            is_flag = isinstance(value, Scalar) and value.kind == "bool" and not value.proves
            is_flag = is_flag and not proven.is_longer(value)
            is_flag = is_flag or _is_flag_buffer(test, value)
            return named != "training" and (value is UNKNOWN or is_flag)
        case ast.Compare(left=ast.Name() as asked, comparators=[ast.Constant(value=None)]):
            return any(isinstance(option, Tensor) for option in options_of(read_place(frame, asked)))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _OF_SETTINGS):
            return _is_choice(frame, right) and not _is_explained(read_place(frame, left))
    return False


def _is_flag_buffer(test: ast.expr, value: Value) -> bool:
    """``self.register_buffer("residual", torch.tensor(a == b))``."""
    held = isinstance(test, ast.Attribute) and isinstance(value, Tensor)
    return held and value.shape == () and value.dtype == dtypes.BOOL


_OF_SETTINGS = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In)


def _is_explained(value: Value) -> bool:
    return isinstance(value, Choice) and bool(value.proves)


def _is_choice(frame: Frame, node: ast.expr) -> bool:
    """Whether an expression is a text or a member of an enumeration, or several of them."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(_is_choice(frame, part) for part in parts)
        case ast.Attribute():
            return isinstance(read_place(frame, node), Object)
    return False


def ask_truth(frame: Frame, test: ast.expr, value: Value) -> None:
    """``if x > 0`` of a tensor with several elements is refused; ``if mask`` is, where there is a mask."""
    options = [option for option in options_of(value) if option is not None]
    if options and all(isinstance(option, Tensor) for option in options):
        frame.call_method(choice(options), "__bool__", (), {}, test, (test,))


def _branch_exclusive(frame: Frame, left: ast.expr, right: ast.expr) -> Branches:
    """``(a is None) ^ (b is None)``: one of two tests holds, and not the other."""
    saved = frame.state
    one: State | None = None
    both: State | None = None
    for first, state in zip((True, False), branch(frame, left), strict=True):
        if state is not None:
            frame.state = state.copy()
            then, other = branch(frame, right)
            one = join_states(one, other if first else then, frame.place(right))
            both = join_states(both, then if first else other, frame.place(left))
    frame.state = saved
    return one, both


def _is_test(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _branch_boolean(frame: Frame, is_and: bool, values: list[ast.expr]) -> Branches:
    decided: State | None = None
    ways: list[State] = []
    saved = frame.state
    onward: State | None = frame.state
    for value in values:
        if onward is None:
            break
        frame.state = onward
        then, other = branch(frame, value)
        stop, onward = (other, then) if is_and else (then, other)
        ways += [] if stop is None else [stop]
        decided = join_states(decided, stop, frame.place(value))
    if decided is not None and (lost := _lost(saved, ways, decided)):
        decided.asked = (*decided.asked, (lost, not is_and))
    frame.state = saved
    return (onward, decided) if is_and else (decided, onward)


def _lost(before: State, ways: list[State], after: State) -> frozenset[Atom]:
    """The sizes of which one of several ways to a branch has proven something, and another has not."""
    known = {*before.proven, *after.proven}
    facts = {fact for way in ways for fact in way.proven if fact not in known}
    earlier = {id(sizes) for sizes, _ in before.asked}
    asked = [sizes for way in ways for sizes, _ in way.asked if id(sizes) not in earlier]
    return frozenset[Atom]().union(*map(atoms, facts), *asked)


def _refine(frame: Frame, test: ast.expr, positive: bool) -> bool:
    """Note in the state what the test proves; False where it cannot come out this way."""
    if not positive and limited_sizes.counts(test):
        size = look(frame, test)
        if isinstance(size, Poly):  # ``if not len(x)``
            return equate(frame, size, 0)
    match test:
        case ast.Name() | ast.Attribute():
            return keep_options(frame, test, lambda v: truth(v) is not (not positive))
        case ast.NamedExpr(target=target):
            return _refine(frame, target, positive)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=[one]), ops=[op], comparators=[kind]):
            one_of_these = isinstance(op, (ast.Is, ast.Eq, ast.In)) is positive
            if not one_of_these:
                classes = _classes(frame, kind)
                return keep_options(frame, one, lambda v: not any(exactly_of(v, c) is True for c in classes))
            return _refine_isinstance(frame, one, kind, positive=True)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _refine_comparison(frame, left, op, right, positive)
        case ast.Compare(left=left, ops=ops, comparators=others) if positive:  # a == b == c
            pairs = zip([left, *others], ops, others, strict=False)
            return all(_refine_comparison(frame, a, op, b, positive) for a, op, b in pairs)
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds]):
            return _refine_isinstance(frame, subject, kinds, positive)
        case ast.Call(func=ast.Name(id="issubclass"), args=[subject, _]) if positive:
            if isinstance(read_place(frame, subject), Promise):
                write_place(frame, subject, UNKNOWN)
            return True
        case ast.Call(func=ast.Attribute(value=subject, attr="is_floating_point"), args=[]):
            return _keep_dtype(frame, subject, dtypes.FLOATING, positive)
        case ast.Call(func=func, args=[subject]) if dotted(func) == "torch.is_floating_point":
            return _keep_dtype(frame, subject, dtypes.FLOATING, positive)
        case ast.Call(func=ast.Attribute(value=subject, attr="is_contiguous"), args=[]) if positive:
            tensor = read_place(frame, subject)
            if isinstance(tensor, Tensor):
                write_place(frame, subject, replace(tensor, layout=None))
            return True
        case ast.Call(func=func, args=[subject]) if _is_tensor_test(frame, func):
            return keep_kind(frame, subject, [External("torch.Tensor")], positive)
        case ast.Call(func=ast.Name() as func, args=[subject], keywords=[]):
            return _refine_by_helper(frame, func, subject, positive)
    return True


def _is_tensor_test(frame: Frame, func: ast.expr) -> bool:
    if getattr(func, "attr", None) != "is_tensor" and getattr(func, "id", None) != "is_tensor":
        return False
    return bool(read_place(frame, func) == External("torch.is_tensor"))


def _refine_by_helper(frame: Frame, func: ast.Name, subject: ast.expr, positive: bool) -> bool:
    """``exists(x)``, where ``exists`` returns ``x is not None`` or another test of its argument."""
    function = frame.lookup(func.id)
    if not isinstance(function, FunctionV) or isinstance(function.node, ast.Lambda):
        return True
    parameters, body = function.node.args.args, function.node.body
    match body[-1]:
        case ast.Return(value=test) if test is not None and len(parameters) == 1 and len(body) <= 2:
            if isinstance(subject, (ast.Name, ast.Attribute)):
                return _refine_each(frame, instead(test, parameters[0].arg, subject), positive)
    return True


def _refine_each(frame: Frame, test: ast.expr, positive: bool) -> bool:
    match test:
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) is not positive:
                return True
            return all(_refine_each(frame, value, positive) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _refine_each(frame, operand, not positive)
    return _refine(frame, test, positive)


def _refine_comparison(frame: Frame, left: ast.expr, op: ast.cmpop, right: ast.expr, positive: bool) -> bool:
    if isinstance(op, (ast.IsNot, ast.NotEq)):
        op, positive = (ast.Is() if isinstance(op, ast.IsNot) else ast.Eq()), not positive
    with frame.reporter.mute():
        if isinstance(op, ast.Is) and isinstance(right, ast.Constant) and right.value is None:
            return keep_options(frame, left, lambda v: (v is None) is positive if v is not UNKNOWN else True)
        if isinstance(op, (ast.Is, ast.Eq)) and positive and isinstance(read_place(frame, left), Promise):
            write_place(frame, left, look(frame, right))  # ``kind is Linear`` of a ``kind: type[Layer]``
            return True
        if isinstance(op, ast.Is) and positive:
            one, other = read_place(frame, left), read_place(frame, right)
            if isinstance(one, Tensor) and isinstance(other, Tensor):  # ``if x is y``
                return prove(frame, proven.by_equality(one.shape, other.shape))
        subject = rank_of(left)
        if isinstance(op, ast.Eq) and subject is not None and isinstance(right, ast.Constant):
            rank = right.value
            if not keep_options(frame, subject, lambda v: _has_rank(v, rank) is not (not positive)):
                return False
        if subject is not None and isinstance(right, ast.Constant) and isinstance(right.value, int):
            most = at_most(op, right.value, positive)
            if most is not None:
                return _keep_ranks(frame, subject, most)
        if isinstance(op, ast.Eq):
            a, b = look(frame, left), look(frame, right)
            if isinstance(b, Dtype) and isinstance(left, ast.Attribute) and left.attr == "dtype":
                return _keep_dtype(frame, left.value, b.mask, positive)
            if isinstance(b, (str, int, float, bool)) and isinstance(a, Choice):
                return keep_options(frame, left, lambda v: _may_equal(v, b) if positive else v != b)
            if positive:
                return prove_equal(frame, left, a, right, b)
        limited_sizes.below(frame, left, op, right, positive)
        if isinstance(op, ast.In) and positive is True:
            a, b = look(frame, left), look(frame, right)
            if isinstance(left, ast.Attribute) and left.attr == "dtype" and isinstance(b, (tuple, Sequence)):
                kinds = b if isinstance(b, tuple) else b.items or (UNKNOWN,)
                if all(isinstance(kind, Dtype) for kind in kinds):
                    return _keep_dtype(frame, left.value, _any_of(kinds), positive)
            if isinstance(a, Choice) and isinstance(b, (tuple, Sequence, DictV)):
                return keep_options(frame, left, lambda v: contains(v, b) is not False)
    return True


def _any_of(kinds: tuple[Dtype, ...]) -> int:
    mask = 0
    for kind in kinds:
        mask |= kind.mask
    return mask


def _keep_dtype(frame: Frame, place: ast.expr, mask: int, positive: bool) -> bool:
    """``x.dtype == torch.bool``, ``x.is_floating_point()``."""
    value = read_place(frame, place)
    if not isinstance(value, Tensor) or mask == dtypes.ANY:
        return True
    if not positive and mask.bit_count() > 1 and mask != dtypes.FLOATING:
        return True
    kept = value.dtype & (mask if positive else ~mask)
    if kept and kept != value.dtype:
        write_place(frame, place, replace(value, dtype=kept))
    return bool(kept)


def _has_rank(value: Value, rank: object) -> bool | None:
    known = value.rank if isinstance(value, Tensor) else None
    return None if known is None else known == rank


def _keep_ranks(frame: Frame, subject: ast.expr, most: int) -> bool:
    """``x.ndim <= 1`` of ``(*batch, d)``: as many axes as are seen, if it has no more."""
    value = read_place(frame, subject)
    if not isinstance(value, Tensor) or value.rank is not None:
        return True
    seen = sum(not isinstance(e, Pack) for e in value.shape)
    return set_rank(frame, subject, most) if seen >= most else True


def _may_equal(value: Value, constant: Value) -> bool:
    return not isinstance(value, (str, int, float, bool, type(None))) or value == constant


# -- isinstance -------------------------------------------------------------------------------


def _refine_isinstance(frame: Frame, subject: ast.expr, kinds: ast.expr, positive: bool) -> bool:
    return keep_kind(frame, subject, _classes(frame, kinds), positive)


def _classes(frame: Frame, kinds: ast.expr) -> list[Value]:
    value = look(frame, kinds)
    return (items_of(value) if isinstance(value, tuple) else [value]) or [UNKNOWN]
