"""``module(x)`` has the type of ``module.forward(x)``.

torch declares ``__call__`` of a module as ``Callable[..., Any]``, so mypy checks no argument of a layer and
knows nothing of what it returns.  Each class of a program that defines ``forward`` gets ``__call__`` as a
second name for it; a ``__call__`` written by hand is left alone, and so is all that derives from it.  torch's
own layers keep theirs.  Where a module is called ``module_use`` looks at ``forward``; where a function or
a protocol is wanted ``as_function`` says what it is: of torch's layers still anything.
"""

from __future__ import annotations

from mypy.nodes import (
    ARG_STAR2,
    MDEF,
    Decorator,
    Expression,
    MypyFile,
    OverloadedFuncDef,
    PlaceholderNode,
    RefExpr,
    SymbolTableNode,
    TypeInfo,
    Var,
)
from mypy.plugin import ClassDefContext
from mypy.server.astdiff import snapshot_definition
from mypy.types import CallableType, get_proper_type

MODULE = "torch.nn.modules.module.Module"

# They mark a method for TorchScript and return it as it is, which torch did not always say.
_MARKERS = ("_overload_method", "_copy_to_script_wrapper")


def is_module(info: TypeInfo) -> bool:
    """Whether a class is, or derives from, ``torch.nn.Module``."""
    return info.has_base(MODULE)


def type_call(ctx: ClassDefContext) -> None:
    """Give a module class its ``__call__``; mypy may ask several times for one class."""
    info = ctx.cls.info
    if not is_module(info) or info.fullname == MODULE:
        return
    if info.module_name.startswith("torch.nn."):
        _drop_markers(info)
    forward = _inherited(info, "forward")
    if forward is None or isinstance(forward.node, PlaceholderNode) or call_by_hand(info):
        return
    if isinstance(forward.node, Var) and not forward.node.has_explicit_value:
        return  # declared, and given to each object: no function of the class, that would take ``self``
    # A forward that comes through a second base class needs the alias here, where the two meet.
    call = _inherited(info, "__call__")
    if call is None and (forward.fullname or "").startswith("torch."):
        return
    if forward is info.names.get("forward") or _giver(info, "__call__") is not _giver(info, "forward"):
        info.names["__call__"] = SymbolTableNode(MDEF, _second_name(info))


def _second_name(info: TypeInfo) -> Var:
    """A variable, as mypy asks plugins about variables but not about methods.

    Its type is that of torch's own ``__call__``: ``forward`` has none before mypy comes to functions.
    """
    torchs = next(base.names.get("__call__") for base in info.mro if base.fullname == MODULE)
    call = Var("forward", torchs.type if torchs is not None else None)
    call.info = info
    call._fullname = f"{info.fullname}.__call__"
    call.is_initialized_in_class = call.is_inferred = True
    return call


def renew(tree: MypyFile) -> None:
    """Have the daemon see that a ``forward`` has changed: what calls a module depends on its ``__call__``."""
    infos = [symbol.node for symbol in tree.names.values() if isinstance(symbol.node, TypeInfo)]
    while infos:
        info = infos.pop()
        if info.module_name == tree.fullname:
            infos += [inner.node for inner in info.names.values() if isinstance(inner.node, TypeInfo)]
            call, forward = info.names.get("__call__"), info.get("forward")
            node = call.node if call is not None else None
            known = get_proper_type(node.type) if isinstance(node, Var) and node.name == "forward" else None
            if isinstance(node, Var) and isinstance(known, CallableType) and ARG_STAR2 in known.arg_kinds:
                written = snapshot_definition(forward.node if forward is not None else None, ())
                # a name that nobody asks for: ``**kwargs`` come last
                node.type = known.copy_modified(arg_names=[*known.arg_names[:-1], str(written)])


def _drop_markers(info: TypeInfo) -> None:
    """Before torch 2.13 the markers have no type: ``LSTM.forward`` then has none that mypy can determine."""
    for node in info.defn.defs.body:
        for item in node.items if isinstance(node, OverloadedFuncDef) else [node]:
            if isinstance(item, Decorator) and any(map(_is_marker, item.original_decorators)):
                item.original_decorators = [d for d in item.original_decorators if not _is_marker(d)]
                item.decorators = list(item.original_decorators)


def _is_marker(decorator: Expression) -> bool:
    return isinstance(decorator, RefExpr) and getattr(decorator, "name", "") in _MARKERS


def _inherited(info: TypeInfo, name: str) -> SymbolTableNode | None:
    """What a class or its nearest base before ``nn.Module`` calls ``name``."""
    giver = _giver(info, name)
    return None if giver is None else giver.names[name]


def _giver(info: TypeInfo, name: str) -> TypeInfo | None:
    """The first of a class and its bases before ``nn.Module`` that has a name."""
    for base in info.mro:
        if base.fullname == MODULE:
            return None
        if name in base.names:
            return base
    return None


def call_by_hand(info: TypeInfo) -> bool:
    """Whether a program says itself what a call takes and returns: then mypy says what it says alone."""
    call = _inherited(info, "__call__")
    return call is not None and (call.node is None or call.node.name != "forward")
