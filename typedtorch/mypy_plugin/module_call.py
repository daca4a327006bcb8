"""``module(x)`` has the type of ``module.forward(x)``.

torch declares ``__call__`` of a module as ``Callable[..., Any]``, so mypy checks no argument of a layer and
knows nothing of what it returns.  Each class of a program that defines ``forward`` gets ``__call__`` as a
second name for it; a ``__call__`` written by hand is left alone, and so is all that derives from it.  torch's
own layers keep theirs: where they are called ``module_use`` looks at ``forward``, and where a function of
another signature or a protocol with other names is wanted, they go on being one.
"""

from __future__ import annotations

from mypy.nodes import (
    MDEF,
    Decorator,
    Expression,
    OverloadedFuncDef,
    PlaceholderNode,
    RefExpr,
    SymbolTableNode,
    TypeInfo,
    Var,
)
from mypy.plugin import ClassDefContext

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
    if call is None or call.node is not forward.node:
        # Not marked as generated: the daemon would remove what it stands for, the forward, from the class.
        info.names["__call__"] = SymbolTableNode(MDEF, forward.node)


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
    for base in info.mro:
        if base.fullname == MODULE:
            return None
        if name in base.names:
            return base.names[name]
    return None


def call_by_hand(info: TypeInfo) -> bool:
    """Whether a program says itself what a call takes and returns: then mypy says what it says alone."""
    call = _inherited(info, "__call__")
    return call is not None and (call.node is None or call.node.name != "forward")
