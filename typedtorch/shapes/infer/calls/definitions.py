"""Functions and classes of a program as values: what decorators make of them, and who may be called."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.calls import call_function
from typedtorch.shapes.infer.calls.inner_changes import forget_what_it_changes
from typedtorch.shapes.infer.calls.wrappers import gives_back, is_transparent
from typedtorch.shapes.infer.classes.class_bodies import collect
from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.expressions.expressions import captured, evaluate
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.program import Module
from typedtorch.shapes.infer.statements.expected_errors import is_meant_to_fail
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    External,
    FunctionV,
    Instance,
    Partial,
    Sequence,
    Value,
    equal,
)
from typedtorch.shapes.syntax import names_in, walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter


Def = ast.FunctionDef | ast.AsyncFunctionDef

# Decorators of other packages that keep what they decorate.
_TRANSPARENT = {
    "typedtorch.typed", "jaxtyping.jaxtyped", "beartype.beartype", "typeguard.typechecked", "torch.no_grad",
    "torch.inference_mode",
    "torch.enable_grad", "torch.compile", "torch.jit.script", "torch.jit.export", "torch.jit.ignore",
    "torch.jit.unused", "torch.compiler.disable", "functools.cache", "functools.lru_cache",
    "abc.abstractmethod",
    "typing.override", "typing.final", "builtins.staticmethod", "builtins.classmethod", "builtins.property",
    "functools.cached_property", "torch._dynamo.disable", "torch.amp.custom_fwd", "torch.amp.custom_bwd",
    "torch.autograd.function.once_differentiable", "typing.no_type_check", "torch.set_grad_enabled",
    "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "typing.overload", "warnings.deprecated",
    "typing.deprecated", "beartype.typing.no_type_check", "numba.njit", "torch.autocast",
    "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.jit.script_method", "abc.abstractproperty",
    "abc.abstractclassmethod", "abc.abstractstaticmethod",
    "torch.compiler.allow_in_graph", "torch._dynamo.allow_in_graph", "pytest.fixture",
}  # fmt: skip


def define_class(
    interpreter: Interpreter, node: ast.ClassDef, module: Module, closure: dict[str, Value] | None = None
) -> Value:
    """The class of a class statement, the same one each time for the same captured values."""
    made = interpreter.classes.setdefault(id(node), [])
    for info in made:
        if closure is None or _captures_alike(node, info.closure, closure):
            return ClassV(info)
    if len(made) == MAX_CLASSES and closure is not None:
        info = made.pop()
        closure = {k: v if equal(v, info.closure.get(k, UNKNOWN)) else UNKNOWN for k, v in closure.items()}
    made.append(collect(node, module, closure or {}))
    return ClassV(made[-1])


MAX_CLASSES = 8  # that one class statement makes, with other captured values each


def _captures_alike(node: ast.ClassDef, a: dict[str, Value], b: dict[str, Value]) -> bool:
    """Whether a class statement that runs again reads the same values of the function around it."""
    names = [n for n in names_in(node) if n != node.name and (n in a or n in b)]
    return a is b or all(n in a and n in b and equal(a[n], b[n]) for n in names)


def define_functions(interpreter: Interpreter, nodes: list[Def], module: Module) -> Value:
    """A top-level name with one definition, or several (overloads, a redefinition)."""
    overloads = tuple(n for n in nodes if is_overload(n))
    plain = [n for n in nodes if not is_overload(n)]
    node = plain[-1] if plain else nodes[-1]
    function = FunctionV(node, module, overloads=overloads)
    return decorate(interpreter, function, node, interpreter.quiet_frame(module))


def define_local(interpreter: Interpreter, frame: Frame, node: Def) -> Value:
    """A ``def`` that is run: its body is checked later, with what it captures here."""
    closure = captured(frame) if frame.function is not None else {}
    facts = frame.module.facts(node)
    forget_what_it_changes(frame, facts, closure)
    for name in facts.outer & frame.state.variables.keys():  # each call of it may rebind them
        frame.state.variables[name] = UNKNOWN
    frame.rebound |= facts.outer
    if frame.function is not None:
        later = frame.module.facts(frame.function.node).after(node.end_lineno or node.lineno)
        for name in (closure.keys() & later) - facts.local:
            closure[name] = UNKNOWN
    function = FunctionV(node, frame.module, closure=closure, owner=frame.owner)
    if not frame.depth and not _is_meant_to_fail(frame, node):
        interpreter.pending[id(node)] = (function, None)
    if is_overload(node):
        known = frame.state.variables.get(node.name)
        earlier = known.overloads if isinstance(known, FunctionV) else ()
        return replace(function, overloads=(*earlier, node))
    known = frame.state.variables.get(node.name)
    if isinstance(known, FunctionV) and known.overloads and known.node in known.overloads:
        function = replace(function, overloads=known.overloads)
    value = decorate(interpreter, function, node, frame)
    if closure and value is function:
        closure[node.name] = function  # it may call itself
    return value


def define_local_class(interpreter: Interpreter, frame: Frame, node: ast.ClassDef) -> Value:
    """A class that is defined in a function, with what it captures."""
    closure = captured(frame) if frame.function is not None else {}
    value = define_class(interpreter, node, frame.module, closure)
    assert isinstance(value, ClassV)
    if closure:
        closure[node.name] = value
    if not frame.depth and not _is_meant_to_fail(frame, node):
        interpreter.pending_classes[id(node)] = value.info
    return value


def _is_meant_to_fail(frame: Frame, node: Def | ast.ClassDef) -> bool:
    scope = frame.function
    module = frame.module
    return scope is not None and "aises" in module.text and is_meant_to_fail(node, scope.node, module.tree)


def decorate(interpreter: Interpreter, function: FunctionV, node: Def, frame: Frame) -> Value:
    """What the name is bound to once the decorators have been applied."""
    value: Value = function
    for decorator in reversed(node.decorator_list):
        value = _decorated(value, decorator, frame)
        if value is UNKNOWN:
            break
    return value


def _decorated(value: Value, decorator: ast.expr, frame: Frame) -> Value:
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    with frame.reporter.mute():
        made_by = evaluate(frame, inner)
    if isinstance(inner, ast.Attribute) and inner.attr in ("setter", "getter", "deleter", "register"):
        return value
    if isinstance(made_by, Partial) and made_by.transform == "functools.partial" and not made_by.args:
        made_by = made_by.function
    if isinstance(made_by, External):
        return _decorated_externally(value, made_by.name, decorator, frame)
    if isinstance(made_by, FunctionV):
        if keeps_signature(frame, made_by, called=isinstance(decorator, ast.Call)):
            return value
        return _replacement(frame, value, decorator)
    return UNKNOWN


def _replacement(frame: Frame, value: Value, decorator: ast.expr) -> Value:
    """The function that a decorator of the program gives in place of what it is given."""
    if not isinstance(value, FunctionV) or value.owner is not None:
        return UNKNOWN
    with frame.reporter.mute():
        made = frame.call(evaluate(frame, decorator), Args([value], [None]), decorator)
    defined = isinstance(made, FunctionV) and not isinstance(made.node, ast.Lambda)
    return made if defined else UNKNOWN


def _decorated_externally(value: Value, name: str, decorator: ast.expr, frame: Frame) -> Value:
    if name in _TRANSPARENT:
        return value
    if name == "functools.wraps" and isinstance(decorator, ast.Call) and decorator.args:
        with frame.reporter.mute():
            wrapped = evaluate(frame, decorator.args[0])
        if (
            isinstance(value, FunctionV)
            and not isinstance(value.node, ast.Lambda)
            and not is_transparent(value.node)
        ):
            return value
        return wrapped if isinstance(wrapped, FunctionV) else UNKNOWN
    if name in ("contextlib.contextmanager", "contextlib.asynccontextmanager"):
        return Partial(value, transform="contextlib.contextmanager")
    if name in ("torch.vmap", "torch.func.vmap"):
        with frame.reporter.mute():
            made = evaluate(frame, decorator)
        if isinstance(decorator, ast.Call) and not decorator.args:
            keywords = {k.arg: evaluate(frame, k.value) for k in decorator.keywords if k.arg}
            return Partial(value, (), keywords, "torch.func.vmap")
        return Partial(value, transform="torch.func.vmap") if isinstance(made, External) else UNKNOWN
    return UNKNOWN


def is_replaced(interpreter: Interpreter, function: FunctionV) -> bool:
    """Whether a method is decorated with something that may make anything of it."""
    node = function.node
    if isinstance(node, ast.Lambda) or function.owner is None or not node.decorator_list:
        return False
    if id(node) not in interpreter.replaced:
        interpreter.replaced[id(node)] = False
        frame = interpreter.quiet_frame(function.module, function.closure or {})
        interpreter.replaced[id(node)] = decorate(interpreter, function, node, frame) is UNKNOWN
    return interpreter.replaced[id(node)]


def is_rewrapped(interpreter: Interpreter, function: FunctionV) -> bool:
    """Whether a decorator of the program puts something else in a method's place: callers see that."""
    node = function.node
    if isinstance(node, ast.Lambda) or function.owner is None or not node.decorator_list:
        return False
    if id(node) not in interpreter.rewrapped:
        interpreter.rewrapped[id(node)] = False
        frame = interpreter.quiet_frame(function.module, function.closure or {})
        interpreter.rewrapped[id(node)] = any(_rewraps(frame, each) for each in node.decorator_list)
    return interpreter.rewrapped[id(node)]


def _rewraps(frame: Frame, decorator: ast.expr) -> bool:
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    with frame.reporter.mute():
        made_by = evaluate(frame, inner)
    if isinstance(made_by, FunctionV):
        return not keeps_signature(frame, made_by, called=isinstance(decorator, ast.Call))
    return isinstance(made_by, ClassV) or made_by == External("functools.singledispatchmethod")


_AUTOCAST = {"torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast"}


def is_autocast(function: Value) -> bool:
    """Whether a function makes a context, or a decorator, in which operators choose their dtypes."""
    return isinstance(function, External) and function.name in _AUTOCAST


def under_autocast(interpreter: Interpreter, function: FunctionV) -> bool:
    """Whether a body is decorated with ``@torch.autocast(...)``."""
    node = function.node
    if isinstance(node, ast.Lambda) or "autocast" not in decorator_names(node):
        return False
    made_by = [d.func for d in node.decorator_list if isinstance(d, ast.Call)]
    frame = interpreter.quiet_frame(function.module, function.closure or {})
    return any(is_autocast(evaluate(frame, each)) for each in made_by)


def keeps_signature(frame: Frame, decorator: FunctionV, *, called: bool) -> bool:
    """Whether a decorator of the program gives back something of the type it was given.

    By its annotations (``F -> F``, ``Callable[P, R] -> Callable[P, R]``), because it returns its
    argument, or because its inner function is decorated with ``functools.wraps`` of that and hands on
    what it is given.
    """
    if isinstance(decorator.node, ast.Lambda):
        return False
    for node in (decorator.node, *decorator.overloads):
        wrappers = _wrappers(node)
        if wrappers:
            return all(map(is_transparent, wrappers))
        if gives_back(node, called=called):
            return True
        arguments = [*node.args.posonlyargs, *node.args.args]
        pairs = [(arguments[0].annotation if arguments else None, node.returns)]
        match node.returns:
            case ast.Subscript(slice=ast.Tuple(elts=[ast.List(elts=[given]), returned])) if called:
                pairs.append((given, returned))  # ``Callable[[F], F]``
        if any(_same_type(frame, decorator, *pair) for pair in pairs):
            return True
    return False


def _same_type(frame: Frame, decorator: FunctionV, given: ast.expr | None, returned: ast.expr | None) -> bool:
    """Whether a function of one annotation is one of the other, result and all: ``Callable[P, R]`` twice."""
    if given is None or returned is None or ast.unparse(given) != ast.unparse(returned):
        return False
    match returned:
        case ast.Subscript(slice=ast.Tuple(elts=[_, result])):
            returned = result
    if getattr(returned, "attr", getattr(returned, "id", "")) in ("Callable", "Any"):
        return False

    def value_of(node: ast.expr) -> Value:
        return frame.interpreter.evaluate_in(node, decorator.module, decorator.closure or {})

    with frame.reporter.mute():
        spec = reading.read(returned, value_of)
    return isinstance(spec, (specs.Anything, specs.VariableSpec, specs.NoneSpec)) or specs.shaped(spec)


def method(
    info: ClassInfo,
    definitions: list[Def],
    receiver: Value,
    *,
    on_class: bool = False,
) -> FunctionV:
    """A method of a class, bound as its decorators say."""
    overloads = tuple(n for n in definitions if is_overload(n))
    plain = [n for n in definitions if not is_overload(n) and not _is_setter(n)]
    node = plain[-1] if plain else definitions[-1]
    function = FunctionV(node, info.module, info.closure, info, overloads=overloads)
    names = decorator_names(node)
    if "staticmethod" in names:
        return function
    if "classmethod" in names or node.name == "__class_getitem__":
        bound = receiver if isinstance(receiver, ClassV) else ClassV(info)
        if isinstance(receiver, Instance):
            bound = ClassV(receiver.info)
        return function.bind(bound)
    return function if on_class else function.bind(receiver)


def is_property(function: FunctionV) -> bool:
    """Whether a method is read as an attribute."""
    node = function.node
    return not isinstance(node, ast.Lambda) and bool(decorator_names(node) & {"property", "cached_property"})


def setter(holder: Instance, name: str) -> FunctionV | None:
    """What assigning to an attribute calls, where it is a property with a setter."""
    found = holder.info.find(name)
    for node in reversed(found[1]) if found is not None else ():
        if found is not None and "setter" in decorator_names(node):
            return FunctionV(node, found[0].module, found[0].closure, found[0], holder, is_bound=True)
    return None


def call_property(frame: Frame, function: FunctionV, node: ast.AST) -> Value:
    """What reading a property gives; a cached one becomes an attribute."""
    made = call_function(frame, function, Args(), node)
    cached = not isinstance(function.node, ast.Lambda) and "cached_property" in decorator_names(function.node)
    if cached and isinstance(function.bound, Instance):
        frame.state.replace_value(function.bound, function.bound.with_attribute(function.name, made))
    return made


def custom_wrapper(info: ClassInfo) -> int | None:
    """The dtypes of ``class MyDtype(jaxtyping.AbstractDtype): dtypes = [...]``."""
    if "jaxtyping.AbstractDtype" not in info.kind.external or "dtypes" not in info.assigned:
        return None
    value = info.evaluate(info.assigned["dtypes"])
    names = value if isinstance(value, tuple) else value.items if isinstance(value, Sequence) else (value,)
    mask = 0
    for name in names or ():
        if not isinstance(name, str):
            return dtypes.ANY
        mask |= dtypes.BIT.get(name, dtypes.BIT["other"])
    return mask or None


def decorator_names(node: Def) -> set[str]:
    """Last parts of the decorators' names."""
    found = set()
    for decorator in node.decorator_list:
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        found.add(inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", ""))
    return found


def is_overload(node: Def) -> bool:
    """Whether a definition only declares one of several signatures."""
    return "overload" in decorator_names(node)


def _is_setter(node: Def) -> bool:
    return bool(decorator_names(node) & {"setter", "deleter"})


@lru_cache(maxsize=1024)  # one decorator is applied to many functions
def _wrappers(node: Def) -> list[Def]:
    """The functions inside another that say with ``functools.wraps`` that they stand for its argument."""
    inner = [n for n in walk(node) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [n for n in inner if n is not node and "wraps" in decorator_names(n)]
