"""The interpreter: functions, their signatures, and evaluation of bodies.

A function with a shaped signature is used through its signature; any other function of the program
is evaluated with the caller's values, to a bounded depth and never twice on one stack.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from typedtorch.shapes import axes as axis_language
from typedtorch.shapes import dtypes
from typedtorch.shapes.infer import construction, specs, summaries
from typedtorch.shapes.infer.calls import Args, Parameter, call_function
from typedtorch.shapes.infer.classes import ClassInfo, collect
from typedtorch.shapes.infer.expressions import captured, evaluate
from typedtorch.shapes.infer.frame import Frame, Reporter, source
from typedtorch.shapes.infer.program import Module, Program, canonical
from typedtorch.shapes.infer.state import State
from typedtorch.shapes.infer.statements import assign_target, run
from typedtorch.shapes.infer.ties import Ties, lasting
from typedtorch.shapes.infer.unify import Names, assume
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Awaitable,
    Choice,
    ClassV,
    DictV,
    Dtype,
    External,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Partial,
    Record,
    Scalar,
    Sequence,
    SpecV,
    Tensor,
    Value,
    equal,
    is_size,
    join_all,
)
from typedtorch.shapes.rule import Fields, Function, Layer, lints
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.size import (
    Poly,
    Size,
    axis,
    distinct,
    generic,
    integer,
    is_unknown,
    observing,
    unknown,
    unobserved,
)
from typedtorch.shapes.tensor import Pack, ShapeError

if TYPE_CHECKING:
    from typedtorch.shapes.infer.specs import Spec

Def = ast.FunctionDef | ast.AsyncFunctionDef

MAX_DEPTH = 5
MAX_COMBINATIONS = 9
STEPS_A_MODULE, STEPS_A_LINE = 20_000, 40  # expressions evaluated in other bodies, for each module checked


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


_CONSTANTS: dict[str, Value] = {
    "math.pi": math.pi, "math.e": math.e, "math.inf": math.inf, "torch.pi": math.pi, "torch.inf": math.inf,
    "numpy.pi": math.pi, "numpy.inf": math.inf, "torch.e": math.e, "torch.newaxis": None,
    "numpy.newaxis": None, "typing.TYPE_CHECKING": True, "math.nan": Scalar("float"),
    "torch.nan": Scalar("float"), "numpy.nan": Scalar("float"), "builtins.NotImplemented": UNKNOWN,
}  # fmt: skip

# Decorators of other packages that keep what they decorate.
_TRANSPARENT = {
    "jaxtyping.jaxtyped", "beartype.beartype", "typeguard.typechecked", "torch.no_grad",
    "torch.inference_mode",
    "torch.enable_grad", "torch.compile", "torch.jit.script", "torch.jit.export", "torch.jit.ignore",
    "torch.jit.unused", "torch.compiler.disable", "functools.cache", "functools.lru_cache",
    "abc.abstractmethod",
    "typing.override", "typing.final", "builtins.staticmethod", "builtins.classmethod", "builtins.property",
    "functools.cached_property", "torch._dynamo.disable", "torch.amp.custom_fwd", "torch.amp.custom_bwd",
    "torch.autograd.function.once_differentiable", "typing.no_type_check", "torch.set_grad_enabled",
    "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "typing.overload", "warnings.deprecated",
    "typing.deprecated", "beartype.typing.no_type_check", "numba.njit", "torch.autocast",
    "torch.amp.autocast",
    "torch.compiler.allow_in_graph", "torch._dynamo.allow_in_graph",
}  # fmt: skip


class Interpreter:
    """Evaluates a program's functions and classes; one per :class:`Program`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signatures: dict[int, Signature] = {}
        self.classes: dict[int, ClassInfo] = {}
        self.stack: list[int] = []
        self.steps = STEPS_A_MODULE
        self.assuming: set[int] = set()
        self.summaries: dict[tuple[int, int], summaries.Summary] = {}
        self.summarising = 0
        self.number: Callable[[str], Size] = integer  # what an unknown int of a passed object is
        self.memo: dict[int, list[tuple[tuple[Value, ...], Value]]] = {}
        self.own: dict[int, frozenset[tuple[int, int, str]]] = {}
        self.pending: dict[int, tuple[FunctionV, ClassInfo | None]] = {}
        self.pending_classes: dict[int, ClassInfo] = {}

    def begin(self, module: Module) -> None:
        """A module's check starts: each gets a budget of its own, so the order of files does not matter."""
        self.steps = STEPS_A_MODULE + STEPS_A_LINE * module.text.count("\n")
        self.pending, self.pending_classes = {}, {}

    def decorators_of(self, node: Def) -> set[str]:
        return decorator_names(node)

    def brace_of(self, frame: Frame) -> Callable[[str], Size | None]:
        """Reads ``{...}`` of an axis string among the variables of a body."""

        def brace(text: str) -> Size | None:
            node = specs.parse_annotation(text)
            if node is None:
                return None
            with frame.reporter.mute():
                value = evaluate(frame, node)
            return value if is_size(value) else None

        return brace

    # -- names ------------------------------------------------------------------------------

    def external_attribute(self, name: str) -> Value:
        """A name of a package outside the program: a constant, a dtype, or itself."""
        name = canonical(name)
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        head, _, tail = name.rpartition(".")
        if head == "torch" and tail in dtypes.TORCH:
            return Dtype(dtypes.TORCH[tail])
        if head == "numpy" and tail in _NUMPY_DTYPES:
            return Dtype(_NUMPY_DTYPES[tail])
        return External(name)

    def evaluate_in(self, node: ast.expr, module: Module, closure: Mapping[str, Value]) -> Value:
        """An expression of a class body or header, evaluated quietly."""
        return evaluate(self.quiet_frame(module, closure), node)

    def quiet_frame(self, module: Module, closure: Mapping[str, Value] | None = None) -> Frame:
        reporter = Reporter(module.path, muted=1, counting=False)
        state = State({}, Names(lambda name: unknown(f"?{name}")))
        return Frame(self, module, state, reporter, closure=closure or {}, depth=1)

    def evaluate_global(
        self, statement: ast.AST, target: ast.expr | None, name: str, module: Module
    ) -> Value:
        """The value a top-level assignment gives one of its names."""
        frame = self.quiet_frame(module)
        if isinstance(statement, ast.AnnAssign):
            return self._annotated_global(frame, statement, name)
        value_node = getattr(statement, "value", None)
        if value_node is None or target is None:
            return UNKNOWN
        if isinstance(value_node, ast.Constant) and isinstance(target, ast.Name):
            return value_node.value
        value = self._alias_or_value(frame, value_node)
        if isinstance(value, (Sequence, DictV)):
            return value if _is_constant_name(name) else UNKNOWN
        assign_target(frame, target, value)
        return frame.state.variables.get(name, UNKNOWN)

    def _alias_or_value(self, frame: Frame, node: ast.expr) -> Value:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            spec = specs.read(node, lambda n: evaluate(frame, n))
            if not isinstance(spec, specs.Anything):
                return SpecV(spec)
        return evaluate(frame, node)

    def _annotated_global(self, frame: Frame, statement: ast.AnnAssign, name: str) -> Value:
        kind = specs.typing_name(evaluate(frame, statement.annotation))
        if kind == "TypeAlias" and statement.value is not None:
            return SpecV(specs.read(statement.value, lambda n: evaluate(frame, n)))
        spec = specs.read(statement.annotation, lambda n: evaluate(frame, n))
        if statement.value is not None and (kind == "Final" or _is_constant_name(name)):
            value = evaluate(frame, statement.value)
            return value if value is not UNKNOWN else assume(spec, frame.state.names, name)
        names = Names(lambda n: axis(n, name), where=f"{name}.")
        return assume(spec, names, name)

    # -- definitions ------------------------------------------------------------------------

    def define_class(
        self, node: ast.ClassDef, module: Module, closure: dict[str, Value] | None = None
    ) -> Value:
        info = self.classes.get(id(node))
        if info is None:
            info = self.classes[id(node)] = collect(node, module, closure or {})
        elif closure is not None:
            info.closure = closure
        return ClassV(info)

    def define_functions(self, nodes: list[Def], module: Module) -> Value:
        """A top-level name with one definition, or several (overloads, a redefinition)."""
        overloads = tuple(n for n in nodes if is_overload(n))
        plain = [n for n in nodes if not is_overload(n)]
        node = plain[-1] if plain else nodes[-1]
        function = FunctionV(node, module, overloads=overloads)
        return self.decorate(function, node, self.quiet_frame(module))

    def define_local(self, frame: Frame, node: Def) -> Value:
        """A ``def`` that is run: its body is checked later, with what it captures here."""
        closure = captured(frame) if frame.function is not None else {}
        facts = frame.module.facts(node)
        for name in facts.changed_names:
            _forget_items(frame, name)
            closure.pop(name, None)
        if frame.function is not None:
            later = frame.module.facts(frame.function.node).last_store
            for name in (closure.keys() & later.keys()) - facts.local:
                if later[name] > node.lineno:
                    closure[name] = UNKNOWN
        function = FunctionV(node, frame.module, closure=closure, owner=frame.owner)
        if not frame.depth:
            self.pending[id(node)] = (function, None)
        if is_overload(node):
            known = frame.state.variables.get(node.name)
            earlier = known.overloads if isinstance(known, FunctionV) else ()
            return replace(function, overloads=(*earlier, node))
        known = frame.state.variables.get(node.name)
        if isinstance(known, FunctionV) and known.overloads and known.node in known.overloads:
            function = replace(function, overloads=known.overloads)
        value = self.decorate(function, node, frame)
        if closure and value is function:
            closure[node.name] = function  # it may call itself
        return value

    def define_local_class(self, frame: Frame, node: ast.ClassDef) -> Value:
        closure = captured(frame) if frame.function is not None else {}
        value = self.define_class(node, frame.module, closure)
        assert isinstance(value, ClassV)
        if closure:
            closure[node.name] = value
        if not frame.depth:
            self.pending_classes[id(node)] = value.info
        return value

    def decorate(self, function: FunctionV, node: Def, frame: Frame) -> Value:
        """What the name is bound to once the decorators have been applied."""
        value: Value = function
        for decorator in reversed(node.decorator_list):
            value = self._decorated(value, decorator, frame)
            if value is UNKNOWN:
                break
        return value

    def _decorated(self, value: Value, decorator: ast.expr, frame: Frame) -> Value:
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        with frame.reporter.mute():
            made_by = evaluate(frame, inner)
        if isinstance(inner, ast.Attribute) and inner.attr in ("setter", "getter", "deleter", "register"):
            return value
        if isinstance(made_by, External):
            return self._decorated_externally(value, made_by.name, decorator, frame)
        if isinstance(made_by, FunctionV):
            return value if self.keeps_signature(made_by, called=isinstance(decorator, ast.Call)) else UNKNOWN
        return UNKNOWN

    def _decorated_externally(self, value: Value, name: str, decorator: ast.expr, frame: Frame) -> Value:
        if name in _TRANSPARENT:
            return value
        if name == "functools.wraps" and isinstance(decorator, ast.Call) and decorator.args:
            with frame.reporter.mute():
                wrapped = evaluate(frame, decorator.args[0])
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

    def keeps_signature(self, decorator: FunctionV, *, called: bool) -> bool:
        """Whether a decorator of the program gives back something of the type it was given.

        By its annotations (``F -> F``, ``Callable[P, R] -> Callable[P, R]``), or because its inner
        function is decorated with ``functools.wraps`` of its argument.
        """
        if isinstance(decorator.node, ast.Lambda):
            return False
        for node in (decorator.node, *decorator.overloads):
            inner = [n for n in ast.walk(node) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
            if any(_wraps_argument(n) for n in inner if n is not node):
                return True
            arguments = [*node.args.posonlyargs, *node.args.args]
            if node.returns is not None and arguments and arguments[0].annotation is not None:
                given, returned = ast.unparse(arguments[0].annotation), ast.unparse(node.returns)
                if given == returned and given not in ("Callable", "typing.Callable", "Any"):
                    return True
            if called and node.returns is not None and _maps_type_to_itself(node.returns):
                return True
        return False

    def method(
        self, info: ClassInfo, definitions: list[Def], receiver: Value, *, on_class: bool = False
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

    def is_property(self, function: FunctionV) -> bool:
        node = function.node
        return not isinstance(node, ast.Lambda) and bool(
            decorator_names(node) & {"property", "cached_property"}
        )

    def call_property(self, frame: Frame, function: FunctionV, node: ast.AST) -> Value:
        return call_function(frame, function, Args(), node)

    # -- signatures -------------------------------------------------------------------------

    def signature(self, function: FunctionV) -> Signature:
        """Parameters (the bound one left out) and result."""
        key = id(function.node) * 2 + function.is_bound
        known = self.signatures.get(key)
        if known is None:
            known = self.signatures[key] = self._read_signature(function)
        return known

    def _read_signature(self, function: FunctionV) -> Signature:
        node = function.node
        frame = self.quiet_frame(function.module, function.closure or {})

        def read(annotation: ast.expr | None) -> Spec:
            return specs.read(annotation, lambda n: evaluate(frame, n))

        parameters = _parameters(node.args, read)
        if function.is_bound and parameters and parameters[0].kind == "positional":
            parameters = parameters[1:]
        returns = None if isinstance(node, ast.Lambda) else node.returns
        result = read(returns)
        if function.owner is not None and _is_self_type(returns, function.owner):
            result = specs.InstanceSpec(function.owner)
        shaped = specs.shaped(result) or any(specs.shaped(p.spec) for p in parameters)
        braces = frozenset(w for p in parameters for w in _braces(p.spec)) | frozenset(_braces(result))
        is_async = isinstance(node, ast.AsyncFunctionDef)
        known = frozenset(n for p in parameters for n in specs.binding_names(p.spec))
        existential = frozenset(specs.binding_names(result)) - known
        is_generator = function.module.facts(node).generator
        return Signature(parameters, result, shaped, is_generator, is_async, braces, existential)

    def yield_spec(self, frame: Frame) -> Spec | None:
        """What a generator promises to yield."""
        if frame.function is None:
            return None
        signature = self.signature(frame.function)
        return signature.result.element if isinstance(signature.result, specs.SequenceSpec) else None

    # -- calls ------------------------------------------------------------------------------

    def call_names(
        self,
        frame: Frame,
        function: FunctionV,
        signature: Signature,
        bound: Mapping[str, tuple[Value, ast.expr | None]],
        node: ast.AST,
    ) -> Names:
        """Axis names of one call: what the instance remembers, the rest still open."""
        place = frame.place(node)
        names = Names(lambda name: unknown(f"?{place}.{name}"), where=f"{place}.")
        names.brace = self._brace(function, {name: value for name, (value, _) in bound.items()})
        receiver = function.bound
        if function.is_bound and isinstance(receiver, Instance):
            for name in receiver.info.links():
                if name in receiver.arguments:
                    names.sizes[name] = receiver.arguments[name]
                    names.binders[name] = _receiver_text(node)
        return names

    def _brace(self, function: FunctionV, values: Mapping[str, Value]):  # type: ignore[no-untyped-def]  # a closure
        def brace(text: str) -> Size | None:
            node = specs.parse_annotation(text)
            if node is None:
                return None
            frame = self.quiet_frame(function.module, function.closure or {})
            frame.state.variables.update(values)
            if function.is_bound and not isinstance(function.node, ast.Lambda):
                own = [*function.node.args.posonlyargs, *function.node.args.args]
                if own:
                    frame.state.variables[own[0].arg] = function.bound
            value = evaluate(frame, node)
            return value if is_size(value) else None

        return brace

    def unbound_result(self, frame: Frame, function: FunctionV, signature: Signature, node: ast.AST) -> Value:
        """The result where the arguments could not be laid out: by annotation, names unknown."""
        names = self.call_names(frame, function, signature, {}, node)
        if not specs.informative(signature.result):
            return UNKNOWN
        return self._wrapped(signature, assume(signature.result, names, frame.place(node)))

    def _wrapped(self, signature: Signature, value: Value) -> Value:
        return Awaitable(value) if signature.is_async and not signature.is_generator else value

    def function_result(
        self,
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
        if isinstance(result, specs.NoneSpec):
            return None
        if specs.informative(result) and (signature.shaped or not _plain_instance(result)):
            if not failed and isinstance(result, specs.InstanceSpec):
                made = summaries.returned(frame, function, bound, names, result.info, frame.place(node))
                if made is not UNKNOWN:
                    return self._wrapped(signature, made)
            if not failed:
                summaries.bind(frame, function, signature, bound, names)
            return self._wrapped(signature, assume(result, names, frame.place(node)))
        if failed:
            return UNKNOWN
        values = {name: value for name, (value, _) in bound.items()}
        value = UNKNOWN
        if not self._may_be_another(frame, function):
            value = self.run_inline(frame, function, signature, values, node)
        if value is UNKNOWN and not isinstance(result, specs.Anything):
            return self._wrapped(signature, assume(result, names, frame.place(node)))
        return value

    def _may_be_another(self, frame: Frame, function: FunctionV) -> bool:
        """Whether a method's body is overridden in a subclass that the object may be of."""
        receiver = function.bound
        if not isinstance(receiver, Instance) or not receiver.assumed:
            return False
        return any(
            function.name in module.overridden(receiver.info.name)
            for module in {receiver.info.module, frame.module}
        )

    def run_inline(
        self, frame: Frame, function: FunctionV, signature: Signature, values: dict[str, Value], node: ast.AST
    ) -> Value:
        """Evaluate a body with the caller's values."""
        body = function.node
        if frame.depth >= MAX_DEPTH or id(body) in self.stack or self.steps <= 0:
            return UNKNOWN
        if not function.is_bound and values and all(_tells_nothing(v) for v in values.values()):
            return UNKNOWN
        key = (*(values.get(p.name, UNKNOWN) for p in signature.parameters), function.bound)
        for known, result in self.memo.get(id(body), ()):
            if len(known) == len(key) and all(equal(a, b) for a, b in zip(known, key, strict=True)):
                return result
        inner = self.body_frame(function, frame.depth + 1)
        self._fill_parameters(inner, function, signature, values)
        before = dict(inner.state.variables)
        self.stack.append(id(body))
        try:
            result = self._run_body(inner, function, signature)
        finally:
            self.stack.pop()
        changed = self._write_back(frame, function, inner, before)
        self._report_inlined(frame, function, inner, node)
        if not changed and not inner.reporter.findings:
            remembered = self.memo.setdefault(id(body), [])
            if len(remembered) < 12:
                remembered.append((key, result))
        return result

    def _report_inlined(self, frame: Frame, function: FunctionV, inner: Frame, node: ast.AST) -> None:
        """A contradiction inside an unannotated helper belongs to the call that brought the values."""
        if not inner.reporter.findings:
            return
        own = self._own_findings(function) if inner.module is not frame.module else frozenset()
        found = [f for f in inner.reporter.findings.values() if (f.line, f.column, f.code) not in own]
        if not found:
            return
        finding = min(found)
        where = f" (line {finding.line})" if inner.module is frame.module else ""
        frame.reporter.add(
            node, finding.code, f"in {function.name}(){where}: {finding.message}", finding.hint
        )

    def _own_findings(self, function: FunctionV) -> frozenset[tuple[int, int, str]]:
        """What is reported in a body of another module whoever calls it, so not of its callers."""
        from typedtorch.shapes.infer.checking import check_function  # noqa: PLC0415 - it runs this class

        node = function.node
        if id(node) not in self.own:
            self.own[id(node)] = frozenset()
            reporter = Reporter(function.module.path, counting=False)
            pending = self.pending, self.pending_classes
            self.pending, self.pending_classes = {}, {}
            info = function.bound.info if isinstance(function.bound, Instance) else None
            general = function if info is None else function.bind(info.symbolic(linked=True))
            try:
                check_function(self, general, reporter, info)
            finally:
                self.pending, self.pending_classes = pending
            self.own[id(node)] = frozenset((f.line, f.column, f.code) for f in reporter.findings.values())
        return self.own[id(node)]

    def _write_back(
        self, frame: Frame, function: FunctionV, inner: Frame, before: Mapping[str, Value]
    ) -> bool:
        """What a call changed in the objects and containers it was given, the caller sees changed."""
        facts = function.module.facts(function.node)
        changed = False
        for name, old in before.items():
            if not isinstance(old, (Instance, Sequence, DictV)):
                continue
            ends = [state.variables.get(name, UNKNOWN) for state in inner.exits]
            if not ends or all(equal(v, old) for v in ends):
                continue
            if name in facts.last_store:
                # rebound in the body: the object that was passed may or may not have changed
                if name in facts.changed_names:
                    frame.state.replace_value(old, _forgotten(old))
                continue
            new = join_all(ends, name)
            if type(new) is not type(old):
                new = _forgotten(old)
            frame.state.replace_value(old, new)
            changed = True
        return changed

    def body_frame(self, function: FunctionV, depth: int) -> Frame:
        reporter = Reporter(function.module.path, counting=False)
        state = State({}, Names(lambda name: unknown(f"?{depth}.{name}"), where=f"{depth}."))
        return Frame(
            self, function.module, state, reporter, function, function.owner, function.closure or {},
            function.module.facts(function.node).local, depth=depth,
        )  # fmt: skip

    def _fill_parameters(
        self, frame: Frame, function: FunctionV, signature: Signature, values: Mapping[str, Value]
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
                variables[parameter.name] = self.evaluate_in(
                    parameter.default, function.module, function.closure or {}
                )
            else:
                variables[parameter.name] = UNKNOWN

    def _run_body(self, frame: Frame, function: FunctionV, signature: Signature) -> Value:
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

    # -- classes ----------------------------------------------------------------------------

    def construct(self, frame: Frame, info: ClassInfo, args: Args, node: ast.AST) -> Value:
        return construction.construct(self, frame, info, args, node)

    def construct_symbolic(self, info: ClassInfo, *, linked: bool) -> Instance:
        return construction.symbolic(self, info, linked=linked)

    def assume_instance(self, info: ClassInfo, hint: str, variables: Mapping[str, Value]) -> Value:
        return construction.assumed(self, info, hint, variables)

    def assume_attribute(self, instance: Instance, name: str, spec: Spec) -> Value:
        return construction.assume_attribute(instance, name, spec)

    def check_attribute(
        self, frame: Frame, holder: Instance, name: str, spec: Spec, value: Value, node: ast.expr
    ) -> Value:
        return construction.check_attribute(frame, holder, spec, value, node)

    def discover_links(self, info: ClassInfo) -> dict[str, Size]:
        from typedtorch.shapes.infer.links import discover  # noqa: PLC0415 - it runs bodies through this class

        return discover(self, info)

    def custom_wrapper(self, info: ClassInfo) -> int | None:
        """The dtypes of ``class MyDtype(jaxtyping.AbstractDtype): dtypes = [...]``."""
        if "jaxtyping.AbstractDtype" not in info.external_bases() or "dtypes" not in info.assigned:
            return None
        value = info.evaluate(info.assigned["dtypes"])
        names = (
            value if isinstance(value, tuple) else value.items if isinstance(value, Sequence) else (value,)
        )
        mask = 0
        for name in names or ():
            if not isinstance(name, str):
                return dtypes.ANY
            mask |= dtypes.BIT.get(name, dtypes.BIT["other"])
        return mask or None

    # -- rules ------------------------------------------------------------------------------

    def to_rule(self, value: Value) -> Value:
        """A value as rules see it."""
        if isinstance(value, Sequence):
            if not value.items:
                return UNKNOWN  # an empty list is usually one that is filled where it cannot be seen
            return [self.to_rule(v) for v in value.items]
        if isinstance(value, Record):
            return value
        if isinstance(value, tuple):
            return tuple(self.to_rule(v) for v in value)
        if isinstance(value, slice):
            return slice(*(self.to_rule(v) for v in (value.start, value.stop, value.step)))
        if isinstance(value, LayerV):
            return value.layer
        if isinstance(value, Instance) and value.info.is_named_tuple:
            return Fields(self.to_rule(value.attributes.get(n, UNKNOWN)) for n in value.info.fields())
        if value is None or value is Ellipsis or isinstance(value, (Tensor, Scalar, Dtype, Pack)):
            return value
        if is_size(value) or isinstance(value, (bool, float, str)):
            return value
        if isinstance(value, External) and value.name in _PYTHON_DTYPES:
            return Dtype(_PYTHON_DTYPES[value.name])
        return UNKNOWN

    def from_rule(self, value: Value) -> Value:
        """A rule's answer as a value."""
        if isinstance(value, Tensor):
            return value if all(isinstance(e, (int, Poly, Pack)) for e in value.shape) else _made_whole(value)
        if isinstance(value, list):
            return Sequence("list", tuple(self.from_rule(v) for v in value))
        if isinstance(value, Record):
            return value
        if isinstance(value, tuple):
            return tuple(self.from_rule(v) for v in value)
        return LayerV("torch.nn.Module", value) if isinstance(value, Layer) else value

    def apply_rule(
        self,
        frame: Frame,
        function: Function,
        values: tuple[Value, ...],
        keywords: Mapping[str, Value],
        node: ast.AST,
        nodes: tuple[ast.expr | None, ...],
        what: str = "",
    ) -> Value:
        """Apply a rule for every combination of what the arguments may be."""
        combinations = _combinations(values, keywords)
        if combinations is None:
            return UNKNOWN
        results: list[Value] = []
        errors: list[tuple[ShapeError, tuple[Value, ...], dict[str, Value]]] = []
        for some_values, some_keywords in combinations:
            given = tuple(self.to_rule(v) for v in some_values)
            named = {k: self.to_rule(v) for k, v in some_keywords.items()}
            met: list[tuple[Size, Size]] = []
            try:
                with lints() as warned:
                    results.append(self.from_rule(_apply(function, given, named, met)))
            except ShapeError as error:
                errors.append((error, given, named))
                continue
            if warned and len(combinations) == 1:
                self._report_lints(frame, function, given, named, node, nodes)
            if met and len(combinations) == 1 and not frame.depth:
                clash = _tie(frame.state.ties, function, given, named, met, node)
                if clash is not None:
                    with distinct([clash]):
                        why = ShapeError("", hint=_why(frame.state.ties, *clash))
                        self._report_refusal(frame, function, (why, given, named), node, nodes)
                    return UNKNOWN
        if errors and not results:
            self._report_refusal(frame, function, errors[0], node, nodes)
        if not results:
            return UNKNOWN
        result = join_all(results, frame.place(node))
        return _under_autocast(result) if frame.state.autocast else result

    def _report_refusal(
        self,
        frame: Frame,
        function: Function,
        failure: tuple[ShapeError, tuple[Value, ...], dict[str, Value]],
        node: ast.AST,
        nodes: tuple[ast.expr | None, ...],
    ) -> None:
        """Apply the rule again with the operands' source as labels, for the message."""
        error, given, named = failure
        if frame.state.autocast and error.code == "dtype":
            return
        try:
            _apply(function, _labelled(given, nodes), named)
        except ShapeError as labelled:
            error = ShapeError(labelled.message, labelled.code, error.hint or labelled.hint)
        frame.reporter.add(_operator_place(node), error.code, f"{source(node)}: {error.message}", error.hint)

    def _report_lints(
        self,
        frame: Frame,
        function: Function,
        given: tuple[Value, ...],
        named: dict[str, Value],
        node: ast.AST,
        nodes: tuple[ast.expr | None, ...],
    ) -> None:
        with lints() as warned:
            call_rule(function, _labelled(given, nodes), named)
        for lint in warned:
            frame.reporter.add(_operator_place(node), lint.code, f"{source(node)}: {lint.message}", lint.hint)


_NUMPY_DTYPES = {
    **{name: dtypes.BIT[name] for name in dtypes.NAMES[:9]},
    **{name: dtypes.BIT[name] for name in ("float16", "float32", "float64", "complex64", "complex128")},
    "bool_": dtypes.BOOL, "float_": dtypes.FLOAT64, "double": dtypes.FLOAT64, "single": dtypes.FLOAT32,
    "half": dtypes.FLOAT16, "intp": dtypes.INT64, "int_": dtypes.INT64,
}  # fmt: skip
_PYTHON_DTYPES = {
    "builtins.float": dtypes.FLOAT32,
    "builtins.int": dtypes.INT64,
    "builtins.bool": dtypes.BOOL,
}


def _made_whole(value: Tensor) -> Tensor:
    """A rule that passes an unknown argument on as a size means an unknown size."""
    return replace(
        value,
        layout=None,
        shape=tuple(e if isinstance(e, (int, Poly, Pack)) else unknown() for e in value.shape),
    )


def _tie(
    ties: Ties,
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    met: list[tuple[Size, Size]],
    node: ast.AST,
) -> tuple[Size, Size] | None:
    """Note which of the sizes that met must be equal; a pair that cannot be, if there is one.

    What one operator demands at once is not held against each other: ``(q, k) + (n, n)`` is a
    square whose annotation says too little.
    """
    demanded = []
    for a, b in dict.fromkeys(met):
        if not (lasting(a) and lasting(b)) or ties.known(a, b):
            continue
        if not _demanded(function, given, named, a, b):
            continue
        if ties.conflict(a, b) is not None:
            return a, b
        demanded.append((a, b))
    for a, b in demanded:
        ties.add(a, b, getattr(node, "lineno", 0))
    return None


def _demanded(
    function: Function, given: tuple[Value, ...], named: dict[str, Value], a: Size, b: Size
) -> bool:
    """Whether an operator works only where two sizes are equal."""
    with distinct([(a, b)]), unobserved():
        try:
            call_rule(function, given, named)
        except ShapeError:
            return True
    return False


def _why(ties: Ties, a: Size, b: Size) -> str | None:
    """Where one of two sizes was taken for something that the other is not."""
    found = ties.conflict(a, b)
    if found is None:
        return None
    for size, other in ((a, found[0]), (b, found[1])):
        line = ties.line(size, other)
        if line is not None:
            return f"{size} is {other} on line {line}"
    return None


def _apply(
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    met: list[tuple[Size, Size]] | None = None,
) -> Value:
    """A rule; two sizes that may be tied unsaid count as different where one operand has both.

    ``(b, 128) + (128, b)``: the name may stand for the number, but then not as another axis of the
    same tensor; ``(b, h, n, d//h) @ (b, h, n, d//h)``: likewise n and d//h.
    """
    met = [] if met is None else met
    with observing(lambda a, b: met.append((a, b))):
        result = call_rule(function, given, named)
    if not met:
        return result
    shapes = [v.shape for v in given if isinstance(v, Tensor)]
    shapes += [v for v in given if isinstance(v, tuple)]
    shapes.append(tuple(v for v in given if is_size(v)))  # x.expand(b, n, d)
    misaligned = [
        (a, b)
        for a, b in met
        if not is_unknown(a)
        and not is_unknown(b)
        and not _may_be_one(a, b)
        and any(a in shape and b in shape for shape in shapes)
    ]
    if not misaligned:
        return result
    with distinct(misaligned):
        return call_rule(function, given, named)


def _may_be_one(a: Size, b: Size) -> bool:
    """Whether one size is 1 and the other an integer of the program, which may be 1 too."""
    return (a == 1 and not generic(b)) or (b == 1 and not generic(a))


def _combinations(
    values: tuple[Value, ...], keywords: Mapping[str, Value]
) -> list[tuple[tuple[Value, ...], dict[str, Value]]] | None:
    """Every combination of options; lists of unknown length are tried with two and three items."""
    combinations: list[list[Value]] = [[]]
    for value in (*values, *keywords.values()):
        options = _expanded(value)
        if len(combinations) * len(options) > MAX_COMBINATIONS:
            return None
        combinations = [[*c, o] for c in combinations for o in options]
    count = len(values)
    return [(tuple(c[:count]), dict(zip(keywords, c[count:], strict=True))) for c in combinations]


def _expanded(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Choice):
        return value.options
    if isinstance(value, Sequence) and value.items is None and value.kind != "modules":
        if value.element is UNKNOWN:
            return (value,)
        if isinstance(value.element, Tensor):
            return tuple(Sequence(value.kind, (value.element,) * n) for n in (2, 3))
        return (value,)
    return (value,)


def _under_autocast(value: Value) -> Value:
    """Inside autocast an operator may have computed in a lower precision."""
    if isinstance(value, Tensor) and value.dtype & dtypes.FLOAT:
        return replace(value, dtype=value.dtype | dtypes.FLOAT)
    if isinstance(value, tuple) and not isinstance(value, Record):
        return tuple(_under_autocast(v) for v in value)
    return value


def _labelled(given: tuple[Value, ...], nodes: tuple[ast.expr | None, ...]) -> tuple[Value, ...]:
    """Give each tensor the text the user wrote for it."""
    out: list[Value] = []
    for i, value in enumerate(given):
        node = nodes[i] if i < len(nodes) else None
        if isinstance(value, Tensor) and node is not None:
            out.append(value.named(source(node, 40)))
        elif isinstance(value, (list, tuple)) and isinstance(node, (ast.List, ast.Tuple)):
            parts = [
                v.named(source(n, 40)) if isinstance(v, Tensor) else v
                for v, n in zip(value, node.elts, strict=False)
            ]
            complete = parts if len(parts) == len(value) else list(value)
            out.append(complete if isinstance(value, list) else tuple(complete))
        else:
            out.append(value)
    return tuple(out)


def _operator_place(node: ast.AST) -> ast.AST:
    """In a chain over several lines, the line of the method that fails."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        func = node.func
        if func.end_lineno is not None and func.end_lineno != node.lineno:
            place = ast.Pass()
            place.lineno, place.end_lineno = func.end_lineno, node.end_lineno
            place.col_offset = (func.end_col_offset or 0) - len(func.attr)
            place.end_col_offset = node.end_col_offset
            return place
    return node


def _receiver_text(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        func = node.func
        return source(func, 40)
    return "the instance"


def _tells_nothing(value: Value) -> bool:
    """An argument with which a body would say no more than without."""
    return value is UNKNOWN or isinstance(value, (Object, External)) or value in ((), None)


def _forgotten(value: Value) -> Value:
    """A container of which only the kind is still known."""
    if isinstance(value, Sequence):
        return Sequence(value.kind, None, UNKNOWN)
    return DictV({}, UNKNOWN, value.kind) if isinstance(value, DictV) else value


def _plain_instance(spec: Spec) -> bool:
    """A class of the program: its body says more about the attributes than its name."""
    return isinstance(spec, (specs.InstanceSpec, specs.ObjectSpec, specs.NumberSpec))


def _is_constant_name(name: str) -> bool:
    return name.isupper() or (name.startswith("_") and name[1:].isupper())


def decorator_names(node: Def) -> set[str]:
    """Last parts of the decorators' names."""
    found = set()
    for decorator in node.decorator_list:
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        found.add(inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", ""))
    return found


def is_overload(node: Def) -> bool:
    return "overload" in decorator_names(node)


def _is_setter(node: Def) -> bool:
    return bool(decorator_names(node) & {"setter", "deleter"})


def _wraps_argument(node: Def) -> bool:
    return "wraps" in decorator_names(node)


def _maps_type_to_itself(returns: ast.expr) -> bool:
    """``Callable[[F], F]``."""
    match returns:
        case ast.Subscript(slice=ast.Tuple(elts=[ast.List(elts=[given]), returned])):
            return ast.unparse(given) == ast.unparse(returned)
    return False


def _forget_items(frame: Frame, name: str) -> None:
    value = frame.state.variables.get(name)
    if isinstance(value, Sequence) and value.kind in ("list", "set"):
        frame.state.replace_value(value, Sequence(value.kind, None, UNKNOWN))
    elif isinstance(value, DictV):
        frame.state.replace_value(value, DictV({}, UNKNOWN, value.kind))
    elif name in frame.state.variables and not isinstance(value, Tensor):
        frame.state.variables[name] = UNKNOWN


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
    return Parameter(argument.arg, spec, kind, default, argument.annotation)


def _is_self_type(node: ast.expr | None, owner: ClassInfo) -> bool:
    text = node.value if isinstance(node, ast.Constant) else getattr(node, "id", None)
    return text in ("Self", owner.name)


def _braces(spec: Spec) -> set[str]:
    """Names read inside ``{...}`` of axis strings."""
    found: set[str] = set()
    match spec:
        case specs.ArraySpec(axes=axes):
            for dim in axes.dims:
                if dim.kind == "symbolic" and "{" in dim.name:
                    for text in axis_language.braces(dim):
                        node = specs.parse_annotation(text)
                        if node is not None:
                            found |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
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


__all__ = ["Interpreter", "Signature"]
