"""Calls of what may be one of several modules: a flag that picks the module picks the call as well.

mypy holds a call against each of the types that its receiver has.  It is enough if one of these takes it; and
where the source shows that a name or attribute is made in several ways, mypy knows but one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mypy.checker import TypeChecker
from mypy.nodes import CallExpr, Expression, MemberExpr, NameExpr
from mypy.plugin import MethodContext
from mypy.subtypes import is_same_type
from mypy.types import AnyType, Instance, NoneType, ProperType, Type, UnionType, get_proper_type

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.signatures import Call, accepts, called, is_of_torch, takes_as_many

if TYPE_CHECKING:
    from typedtorch.shapes.module_facts import SourceFacts


def may_be_another(facts: Facts, call: CallExpr, ctx: Call) -> bool:
    """Whether what is called is made in more ways than mypy knows, so it may be of a class below."""
    return _ways(facts, call.callee, ctx.api) > max(1, len(_receivers(call.callee, ctx)))


def _ways(facts: Facts, callee: Expression, api: object) -> int:
    """In how many ways a name or attribute is made, as far as the source shows."""
    source = facts.checked(api)
    if source is not None and isinstance(callee, NameExpr):
        return source.chosen_names.get((callee.line, callee.column), 0)
    return len(_makers(facts, callee, api))


def _makers(facts: Facts, callee: Expression, api: object) -> set[tuple[str, str]]:
    """What an attribute is made by, and the modules whose names these are."""
    if facts.checked(api) is None or not isinstance(callee, MemberExpr) or not isinstance(api, TypeChecker):
        return set()
    owner = get_proper_type(api.lookup_type(callee.expr)) if api.has_type(callee.expr) else None
    if not isinstance(owner, Instance):
        return set()
    return {
        (maker, base.module_name)
        for base, known in facts.family(owner.type)
        for maker in (known.makers.get(callee.name, ()) if known is not None else ())
    }


def fits_another(known: Instance, call: CallExpr, ctx: Call, source: SourceFacts) -> bool:
    """Whether a call is one that this class does not take, but another does that may be there as well."""
    others = [item for item in _receivers(call.callee, ctx) if item != known]
    if not others or any(_results(known, call, ctx, source)):
        return False
    return any(_is_open(other, ctx) or any(_results(other, call, ctx, source)) for other in others)


def is_replaced(known: Instance, call: CallExpr, ctx: Call, facts: Facts) -> bool:
    """Whether a call gives more or less than this class takes, where another file puts another there."""
    callee = call.callee
    if not isinstance(callee, MemberExpr) or not isinstance(ctx.api, TypeChecker):
        return False
    owner = get_proper_type(ctx.api.lookup_type(callee.expr)) if ctx.api.has_type(callee.expr) else None
    if not isinstance(owner, Instance) or any(takes_as_many(one, call, ctx) for one in called(known, ctx)):
        return False
    from typedtorch.shapes.given_elsewhere import given_elsewhere  # noqa: PLC0415  # needed where mypy checks

    base = next(
        (base for base, of in facts.family(owner.type) if of and callee.name in of.defined), owner.type
    )
    path = facts.path(base.module_name)
    return path is not None and bool(given_elsewhere(base.module_name, path, base.name, callee.name))


def is_one_of_several(facts: Facts, ctx: MethodContext, source: SourceFacts) -> bool:
    """Whether a call is of one of several modules whose results differ, or is not for this one."""
    call = ctx.context
    if not isinstance(call, CallExpr):
        return False
    receivers = _receivers(call.callee, ctx)
    if len(receivers) < 2:
        makers = _makers(facts, call.callee, ctx.api)
        made = [facts.module_class(name.removesuffix("()"), of) for name, of in makers]
        receivers = [ctx.type, *filter(None, made)] if len(made) > 1 else receivers
    if len(receivers) < 2:
        return False
    if any(_is_open(receiver, ctx) for receiver in receivers):
        return True
    own = next(_results(ctx.type, call, ctx, source), None)
    results = [result for receiver in receivers for result in _results(receiver, call, ctx, source)]
    return bool(results) and not (own and all(is_same_type(own, result) for result in results))


def _receivers(callee: Expression, ctx: Call) -> list[ProperType]:
    """What mypy knows an expression that is called to be, but for None."""
    if not isinstance(ctx.api, TypeChecker) or not ctx.api.has_type(callee):
        return []
    known = get_proper_type(ctx.api.lookup_type(callee))
    items = known.items if isinstance(known, UnionType) else [known]
    return [item for item in map(get_proper_type, items) if not isinstance(item, NoneType)]


def _is_open(receiver: ProperType, ctx: Call) -> bool:
    """Whether something takes any arguments, as far as mypy knows."""
    return isinstance(receiver, AnyType) or not called(receiver, ctx)


def _results(receiver: Type, call: CallExpr, ctx: Call, source: SourceFacts) -> Iterator[Type]:
    """What a call may return if it is one of this receiver; nothing where it cannot be."""
    known = get_proper_type(receiver)
    of_torch = isinstance(known, Instance) and is_of_torch(known.type)
    for signature in called(known, ctx):
        if accepts(signature, call, ctx, source, of_torch=of_torch):
            yield signature.ret_type
            return  # the first of several
