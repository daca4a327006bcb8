"""The interpreter: what one check of a program remembers, and the door to what evaluates it.

Expressions call functions, whose bodies hold statements, which hold expressions: the files of the engine need
each other in a circle.  They meet here: each part takes the interpreter and asks it for the others.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.calls import calls, definitions, effects, inlining, signatures
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.definitions import decorator_names
from typedtorch.shapes.infer.calls.memo import Memo
from typedtorch.shapes.infer.calls.signatures import Signature
from typedtorch.shapes.infer.classes import (
    annotated_attributes,
    construction,
    links,
    passed_objects,
    registries,
)
from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.containers import shared
from typedtorch.shapes.infer.expressions.arithmetic import operate
from typedtorch.shapes.infer.expressions.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame, Reporter
from typedtorch.shapes.infer.layers import registering
from typedtorch.shapes.infer.program import tables
from typedtorch.shapes.infer.program.program import Module, Program, canonical
from typedtorch.shapes.infer.promises import preconditions, summaries
from typedtorch.shapes.infer.statements.assignment import assign_target
from typedtorch.shapes.infer.statements.statements import run
from typedtorch.shapes.infer.values.state import State
from typedtorch.shapes.infer.values.values import (
    NEVER,
    UNKNOWN,
    DictV,
    Dtype,
    External,
    FunctionV,
    Instance,
    Scalar,
    Sequence,
    Value,
    is_size,
)
from typedtorch.shapes.size import Size, axis, integer, unknown

if TYPE_CHECKING:
    from typedtorch.shapes.infer.annotations.specs import Spec

Def = ast.FunctionDef | ast.AsyncFunctionDef

STEPS_A_MODULE, STEPS_A_LINE = 20_000, 40  # expressions evaluated in other bodies, for what is checked
STEPS_APART = 40_000  # and for what is found once and remembered
# expressions evaluated in a body itself: four times what the longest ask for but loops in loops in loops
STEPS_A_BODY, STEPS_A_LINE_OF_IT = 40_000, 100


_canonical = lru_cache(maxsize=65536)(canonical)
_CONSTANTS: dict[str, Value] = {
    "math.pi": math.pi, "math.e": math.e, "math.inf": math.inf, "torch.pi": math.pi, "torch.inf": math.inf,
    "numpy.pi": math.pi, "numpy.inf": math.inf, "torch.e": math.e, "torch.newaxis": None,
    "numpy.newaxis": None, "typing.TYPE_CHECKING": True, "math.nan": Scalar("float"),
    "torch.nan": Scalar("float"), "numpy.nan": Scalar("float"), "builtins.NotImplemented": UNKNOWN,
}  # fmt: skip


class Interpreter:
    """Evaluates a program's functions and classes; one per :class:`Program`."""

    evaluate = staticmethod(evaluate)
    run = staticmethod(run)
    call = staticmethod(calls.call_value)
    call_method = staticmethod(calls.tensor_method)
    operate = staticmethod(operate)

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signatures: dict[int, Signature] = {}
        self.classes: dict[int, list[ClassInfo]] = {}
        self.stack: list[int] = []
        self.steps, self._left = STEPS_A_MODULE, 0  # for what is checked now, and for the rest of the module
        self.own_steps = STEPS_A_BODY  # for the body that is checked, but for those that it calls
        self.assuming: set[int] = set()
        self.assumed_within = 0  # objects so far inside the one that is assumed
        self.summaries: dict[tuple[int, int], summaries.Summary] = {}
        self.summarising = 0
        self.number: Callable[[str], Size] = integer  # what an unknown int of a passed object is
        self.memo = Memo()
        self.own: dict[tuple[int, int], frozenset[tuple[int, int, str]]] = {}
        self.replaced: dict[int, bool] = {}  # methods that an unknown decorator may make something else of
        self.rewrapped: dict[int, bool] = {}  # methods in whose place a decorator of the program puts another
        self.pending: dict[int, tuple[FunctionV, ClassInfo | None]] = {}
        self.pending_classes: dict[int, ClassInfo] = {}
        self.other_default = False  # the module, or what pytest runs before it, says what floats are
        self.made: list[Instance] = []  # objects that the module makes, whose check it is

    def begin(self, module: Module) -> None:
        """A module's check starts: each gets a budget of its own, so the order of files does not matter."""
        self.steps, self._left = 0, STEPS_A_MODULE + STEPS_A_LINE * module.text.count("\n")
        self.share(0)
        self.own_steps = STEPS_A_BODY + STEPS_A_LINE_OF_IT * module.text.count("\n")
        self.pending, self.pending_classes, self.made = {}, {}, []

    @contextmanager
    def body(self, lines: int) -> Iterator[None]:
        """A body of some lines is run, perhaps while another is: it has steps of its own."""
        left, self.own_steps = self.own_steps, STEPS_A_BODY + STEPS_A_LINE_OF_IT * lines
        try:
            yield
        finally:
            self.own_steps = left

    def share(self, lines: int) -> None:
        """A check of some lines starts: what needs much leaves half to the others, and each its own."""
        self._left += max(self.steps, 0)
        self.steps = max(self._left // 2, STEPS_A_LINE * lines)
        self._left -= self.steps

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is remembered for every body gets steps of its own: the first to ask may have none left."""
        left = self.steps, self._left
        self.steps, self._left = STEPS_APART, 0
        try:
            yield
        finally:
            self.steps, self._left = left

    def decorators_of(self, node: Def) -> set[str]:
        return decorator_names(node)

    def brace_of(self, frame: Frame) -> Callable[[str], Size | None]:
        """Reads ``{...}`` of an axis string among the variables of a body."""

        def brace(text: str) -> Size | None:
            node = reading.parse_annotation(text)
            if node is None:
                return None
            with frame.reporter.mute():
                value = evaluate(frame, node)
            return value if is_size(value) else None

        return brace

    # -- names ------------------------------------------------------------------------------

    def external_attribute(self, name: str) -> Value:
        """A name of a package outside the program: a constant, a dtype, or itself."""
        name = _canonical(name)
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
        if isinstance(node, ast.Constant) and not isinstance(node.value, complex):
            return node.value
        name = node.value if isinstance(node, ast.Attribute) else node
        if isinstance(name, ast.Name):  # most are, and need no frame
            value = closure[name.id] if name.id in closure else module.lookup(name.id)
            if name is node or value is UNKNOWN:
                return value
        with self.apart():
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
            return self._annotated_global(frame, statement, name, module)
        value_node = getattr(statement, "value", None)
        if value_node is None or target is None:
            return UNKNOWN
        if type(statement).__name__ == "TypeAlias":  # Python 3.12's ``type X[T] = ...``
            parameters = [p.name for p in getattr(statement, "type_params", [])]
            return reading.alias(value_node, frame.evaluate, parameters)
        if isinstance(value_node, ast.Constant) and isinstance(target, ast.Name):
            return value_node.value
        made = self._alias_or_value(frame, value_node)
        filled = registries.filled(name, module, made)
        if filled is not None:
            return filled
        value = shared.of_name(name, module, made)
        if isinstance(value, (Sequence, DictV)) and value.kind not in ("sequential", "modules"):
            return tables.lasting(name, module, value)
        assign_target(frame, target, value)
        return frame.state.variables.get(name, UNKNOWN)

    def _alias_or_value(self, frame: Frame, node: ast.expr) -> Value:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            alias = reading.alias(node, frame.evaluate)
            if alias.given is not None or not isinstance(alias.spec, specs.Anything):
                return alias
        return evaluate(frame, node)

    def _annotated_global(self, frame: Frame, statement: ast.AnnAssign, name: str, module: Module) -> Value:
        kind = reading.typing_name(evaluate(frame, statement.annotation))
        if kind == "TypeAlias" and statement.value is not None:
            return reading.alias(statement.value, frame.evaluate)
        spec = reading.read(statement.annotation, lambda n: evaluate(frame, n))
        if statement.value is not None and (kind == "Final" or tables.is_constant_name(name)):
            made = evaluate(frame, statement.value)
            value = registries.filled(name, module, made) or shared.of_name(name, module, made)
            return value if value is not UNKNOWN else assume(spec, frame.state.names, name)
        names = Names(lambda n: axis(n, name), where=f"{name}.")
        return assume(spec, names, name)

    # -- definitions ------------------------------------------------------------------------

    def define_class(
        self, node: ast.ClassDef, module: Module, closure: dict[str, Value] | None = None
    ) -> Value:
        return definitions.define_class(self, node, module, closure)

    def define_functions(self, nodes: list[Def], module: Module) -> Value:
        return definitions.define_functions(self, nodes, module)

    def define_local(self, frame: Frame, node: Def) -> Value:
        return definitions.define_local(self, frame, node)

    def define_local_class(self, frame: Frame, node: ast.ClassDef) -> Value:
        return definitions.define_local_class(self, frame, node)

    def method(
        self, info: ClassInfo, defined: list[Def], receiver: Value, *, on_class: bool = False
    ) -> FunctionV:
        return definitions.method(info, defined, receiver, on_class=on_class)

    def is_rewrapped(self, function: FunctionV) -> bool:
        return definitions.is_rewrapped(self, function)

    def is_property(self, function: FunctionV) -> bool:
        return definitions.is_property(function)

    def with_fields(
        self, frame: Frame, instance: Instance, given: Mapping[str, Value], node: ast.AST
    ) -> Instance:
        return construction.with_fields(self, frame, instance, given, node)

    def setter(self, holder: Instance, name: str) -> FunctionV | None:
        return definitions.setter(holder, name)

    def call_property(self, frame: Frame, function: FunctionV, node: ast.AST) -> Value:
        return definitions.call_property(frame, function, node)

    # -- signatures -------------------------------------------------------------------------

    def signature(self, function: FunctionV) -> Signature:
        return signatures.signature_of(self, function)

    def yield_spec(self, frame: Frame) -> Spec | None:
        return signatures.yield_spec(self, frame)

    # -- calls ------------------------------------------------------------------------------

    def call_names(
        self,
        frame: Frame,
        function: FunctionV,
        bound: Mapping[str, tuple[Value, ast.expr | None]],
        node: ast.AST,
    ) -> Names:
        return signatures.call_names(self, frame, function, bound, node)

    def unbound_result(self, frame: Frame, function: FunctionV, signature: Signature, node: ast.AST) -> Value:
        return signatures.unbound_result(self, frame, function, signature, node)

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
        failed = failed or preconditions.unmet(frame, function, signature, bound, names, node)
        if not failed:
            preconditions.learn(frame, function, signature, bound, names)
        value = inlining.function_result(self, frame, function, signature, bound, names, node, failed=failed)
        if not effects.follow(frame, function, signature, bound, names, node, failed=failed):
            value = NEVER
        given = list(bound.values())
        if function.is_bound and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given.append((function.bound, node.func.value))
        registering.set_in_modules(frame, function, given)
        return value

    def run_inline(
        self, frame: Frame, function: FunctionV, signature: Signature, values: dict[str, Value], node: ast.AST
    ) -> Value:
        return inlining.run_inline(self, frame, function, signature, values, node)

    # -- classes ----------------------------------------------------------------------------

    def construct(self, frame: Frame, info: ClassInfo, args: Args, node: ast.AST) -> Value:
        return construction.construct(self, frame, info, args, node)

    def construct_symbolic(self, info: ClassInfo, *, linked: bool) -> Instance:
        with self.apart():
            return construction.symbolic(self, info, linked=linked)

    def check_constructor(
        self, info: ClassInfo, function: FunctionV, values: Mapping[str, Value]
    ) -> Instance | None:
        from typedtorch.shapes.infer.checking import check_constructor  # noqa: PLC0415 - it makes classes

        return check_constructor(self, info, function, values)

    def assume_instance(self, info: ClassInfo, hint: str, variables: Mapping[str, Value]) -> Value:
        return passed_objects.assumed(self, info, hint, variables)

    def assume_attribute(self, instance: Instance, name: str, spec: Spec) -> Value:
        return annotated_attributes.assume_attribute(instance, name, spec)

    def check_attribute(
        self, frame: Frame, holder: Instance, spec: Spec, value: Value, node: ast.expr
    ) -> Value:
        return annotated_attributes.check_attribute(frame, holder, spec, value, node)

    def discover_links(self, info: ClassInfo) -> dict[str, Size]:
        with self.apart():
            return links.discover(self, info)

    def custom_wrapper(self, info: ClassInfo) -> int | None:
        return definitions.custom_wrapper(info)


_NUMPY_DTYPES = {
    **{name: dtypes.BIT[name] for name in dtypes.NAMES[:9]},
    **{name: dtypes.BIT[name] for name in ("float16", "float32", "float64", "complex64", "complex128")},
    "bool_": dtypes.BOOL, "float_": dtypes.FLOAT64, "double": dtypes.FLOAT64, "single": dtypes.FLOAT32,
    "half": dtypes.FLOAT16, "intp": dtypes.INT64, "int_": dtypes.INT64,
}  # fmt: skip


__all__ = ["Interpreter", "Signature"]
