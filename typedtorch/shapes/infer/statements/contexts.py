"""Context managers: what ``with`` gives and what it changes."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.calls import definitions
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.calls import call_function
from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    DictV,
    External,
    FunctionV,
    Instance,
    Partial,
    Sequence,
    Value,
)
from typedtorch.shapes.syntax import walk


def is_autocast(frame: Frame, node: ast.expr) -> bool:
    """Whether a context manager changes dtypes behind the operators' back, or might."""
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.Name, ast.Attribute))
    with frame.reporter.mute():
        function = frame.evaluate(node.func)
    if isinstance(function, External):
        return definitions.is_autocast(function) or not function.name.startswith(
            ("torch.", "contextlib.", "builtins.")
        )
    return True


def intercepts(value: Value) -> bool:
    """A ``TorchFunctionMode`` of the program: what operators give under it is its own affair."""
    hooks = ("__torch_function__", "__torch_dispatch__")
    return isinstance(value, Instance) and any(value.info.find(hook) is not None for hook in hooks)


def puts_another(frame: Frame, node: ast.expr) -> bool:
    """``with patched(F, "relu", new)``, of the program: it sets an attribute of another object."""
    if not isinstance(node, ast.Call):
        return False
    with frame.reporter.mute():
        made = frame.evaluate(node.func)
    if isinstance(made, Partial) and made.transform == "contextlib.contextmanager":
        made = made.function
    if isinstance(made, FunctionV):
        return any(map(_sets_of_another, walk(made.node)))
    bodies = made.info.methods.get("__enter__", ()) if isinstance(made, ClassV) else ()
    return any(_sets_of_another(part) for body in bodies for part in walk(body))


def _sets_of_another(node: ast.AST) -> bool:
    """``setattr(holder, name, value)``, but of ``self``."""
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[holder, _, _]):
            return not isinstance(holder, ast.Name) or holder.id != "self"
    return False


def opened_at(frame: Frame, node: ast.expr) -> str:
    """The variable under which a context manager is held while it is open."""
    return f"<with {frame.place(node)}>"


def leave(frame: Frame, opened: Value, node: ast.expr) -> None:
    """The end of a ``with``: what ``__exit__`` does to others, and to its own object, of which it says less.

    What ``@contextmanager`` gave may be changed behind the ``yield``.
    """
    if isinstance(opened, Partial) and isinstance(opened.function, (Sequence, DictV)):
        frame.state.replace_value(opened.function, updates.emptied(opened.function))
    if not isinstance(opened, Instance) or opened.info.find("__exit__") is None:
        return
    function = opened.info.as_function("__exit__", opened)
    if function is not None:
        with frame.reporter.mute():
            call_function(frame, function, Args([None] * 3, [None] * 3), node)
    for value in list(frame.state.variables.values()):
        if isinstance(value, Instance) and value.info is opened.info:
            frame.state.replace_value(value, updates.after(value, "__exit__"))


def swallows(frame: Frame, value: Value, node: ast.expr) -> bool:
    """``contextlib.suppress(...)``, or an ``__exit__`` that may say so: the body may end anywhere."""
    if isinstance(value, Instance):
        found = value.info.find("__exit__")
        returned = (n.value for d in found[1] for n in walk(d) if isinstance(n, ast.Return)) if found else ()
        return any(v is not None and not (isinstance(v, ast.Constant) and not v.value) for v in returned)
    if not isinstance(node, ast.Call):
        return False
    with frame.reporter.mute():
        return bool(frame.evaluate(node.func) == External("contextlib.suppress"))


_REFUSALS = {
    "RuntimeError", "ValueError", "TypeError", "IndexError", "KeyError", "LookupError", "AssertionError",
    "AttributeError", "Exception",
}  # fmt: skip


def has_an_alternative(node: ast.Try) -> bool:
    """``try: y = x.view(n) except RuntimeError: y = x.reshape(n)``: a refusal is provided for."""
    done, shown = _outcomes(node.body), _only_prints(node.body)
    tried = all(isinstance(s, ast.Expr) for s in node.body)  # nothing is left of it but whether it fails
    return any(
        done & _outcomes(h.body)
        or (shown and _only_prints(h.body))
        or ((tried or _names_refusals(h)) and not _raises(h.body))
        for h in node.handlers
        if _catches_refusals(h)
    )


def _names_refusals(handler: ast.ExceptHandler) -> bool:
    """``except RuntimeError``: what operators raise, and not just whatever may go wrong."""
    return handler.type is not None and "RuntimeError" in _kinds(handler.type)


def _raises(body: list[ast.stmt]) -> bool:
    """Whether a handler raises whatever failed, and not only ``if "size" not in str(error)``."""
    return any(
        isinstance(s, ast.Raise) or (isinstance(s, ast.If) and _raises(s.body) and _raises(s.orelse))
        for s in body
    )


def _only_prints(body: list[ast.stmt]) -> bool:
    """Whether a block does nothing but ``print(...)``, as one that shows a refusal does."""
    calls = [s.value for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
    return len(calls) == len(body) and all(getattr(call.func, "id", "") == "print" for call in calls)


def _catches_refusals(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return not _REFUSALS.isdisjoint(_kinds(handler.type))


def _kinds(caught: ast.expr) -> set[str]:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return {kind.id for kind in kinds if isinstance(kind, ast.Name)}


def _outcomes(body: list[ast.stmt]) -> set[str]:
    """What a block makes: the names it assigns, and whether it returns a value."""
    found = set()
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Return) and part.value is not None:
                found.add("return")
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                found.add(part.id)
    return found


def entered(frame: Frame, value: Value, node: ast.expr) -> Value:
    """What ``with ... as name`` binds."""
    if isinstance(value, Instance):
        function = value.info.as_function("__enter__", value)
        return UNKNOWN if function is None else call_function(frame, function, Args(), node)
    if isinstance(value, Partial) and value.transform == "contextlib.entered":
        return value.function
    return UNKNOWN
