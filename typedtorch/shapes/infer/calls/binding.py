"""Arguments and parameters: which argument a parameter gets, and whether it fits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.annotations.perhaps_none import where_given
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.reports.outliers import Beside
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    Sequence,
    Tensor,
    Value,
)
from typedtorch.shapes.python_numbers import number_kind
from typedtorch.shapes.rules.numpy_dtypes import as_number
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import Pack


@dataclass(slots=True)
class Args:
    """The arguments of one call.  ``open``: some could not be enumerated."""

    values: list[Value] = field(default_factory=list)
    nodes: list[ast.expr | None] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    keyword_nodes: dict[str, ast.expr] = field(default_factory=dict)
    open: bool = False
    spread: list[Value] = field(default_factory=list)  # what ``*`` spreads and cannot be enumerated

    def add(self, value: Value, node: ast.expr | None = None) -> None:
        """One more positional argument, and its expression if it has one of its own."""
        self.values.append(value)
        self.nodes.append(node)

    def get(self, index: int, name: str, default: Value = None) -> Value:
        """An argument by position or keyword."""
        if name in self.keywords:
            return self.keywords[name]
        return self.values[index] if index < len(self.values) else default

    def without_first(self, count: int = 1) -> Args:
        """The same arguments without the first positional ones."""
        return replace(self, values=self.values[count:], nodes=self.nodes[count:])

    def as_torch_takes(self, place: str) -> Args:
        """The same arguments with numbers for what numpy's own are to torch."""
        if not any(isinstance(v, Tensor) and v.library == "numpy" for v in self.every()):
            return self
        keywords = {name: as_number(value, place) for name, value in self.keywords.items()}
        return replace(self, values=[as_number(v, place) for v in self.values], keywords=keywords)

    def every(self) -> list[Value]:
        """The values of all arguments."""
        return [*self.values, *self.keywords.values()]


# what Python's and torch's own functions do, where a shape rule is not the right form
Special = Callable[[Frame, Args, ast.AST], Value]


def callee(node: ast.AST) -> str:
    """What is called, as it is written."""
    return source(node.func, 40) if isinstance(node, ast.Call) else source(node, 40)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature."""

    name: str
    spec: specs.Spec
    kind: str  # "positional", "keyword", "args", "kwargs"
    default: ast.expr | None
    annotation: ast.expr | None


def tensors_given(
    parameters: list[Parameter], bound: Mapping[str, tuple[Value, ast.expr | None]]
) -> list[tuple[specs.Spec, Value]]:
    """The arguments that are tensors, or may be as nothing is known of them, and how they are annotated."""
    return [
        (p.spec, value)
        for p in parameters
        if p.name in bound
        and (
            isinstance(value := bound[p.name][0], Tensor)
            or (value is UNKNOWN and (isinstance(p.spec, specs.Anything) or specs.shaped(p.spec)))
        )
    ]


def bind(parameters: list[Parameter], args: Args) -> dict[str, tuple[Value, ast.expr | None]] | None:
    """Arguments by parameter name; None where they cannot be laid out."""
    bound: dict[str, tuple[Value, ast.expr | None]] = {}
    positional = [p for p in parameters if p.kind == "positional"]
    rest = next((p for p in parameters if p.kind == "args"), None)
    extra = next((p for p in parameters if p.kind == "kwargs"), None)
    if args.open:
        return _bind_spread(args, positional, rest)
    for i, (value, node) in enumerate(zip(args.values, args.nodes, strict=True)):
        if i < len(positional):
            bound[positional[i].name] = (value, node)
        elif rest is None:
            return None
    if rest is not None:
        surplus = tuple(args.values[len(positional) :])
        bound[rest.name] = (surplus, _together(args.nodes[len(positional) :]))
    names = {p.name for p in parameters if p.kind in ("positional", "keyword")}
    surplus_keywords: dict[str, Value] = {}
    for name, value in args.keywords.items():
        if name in names and name not in bound:
            bound[name] = (value, args.keyword_nodes.get(name))
        elif extra is not None:
            surplus_keywords[name] = value
        else:
            return None
    if extra is not None:
        bound[extra.name] = (DictV(surplus_keywords), None)
    return bound


def _together(nodes: list[ast.expr | None]) -> ast.expr | None:
    """The arguments that one ``*args`` takes, as one expression."""
    given = [node for node in nodes if node is not None]
    if not given or len(given) < len(nodes):
        return None
    return ast.copy_location(ast.Starred(ast.Tuple(given, ast.Load()), ast.Load()), given[0])


def _bind_spread(
    args: Args, positional: list[Parameter], rest: Parameter | None
) -> dict[str, tuple[Value, ast.expr | None]] | None:
    """``f(*tensors)`` of any number of tensors, where ``f`` takes nothing else."""
    if positional or rest is None or args.keywords or len(args.values) != 1 or len(args.spread) != 1:
        return None
    return {rest.name: (args.spread[0], args.nodes[0])}


def check_argument(
    frame: Frame,
    node: ast.AST,
    parameter: Parameter,
    value: Value,
    where: ast.expr | None,
    names: Names,
    beside: Beside | None = None,
) -> bool:
    """Report the first contradiction of one argument; True if there is one.

    Where the others show that an argument before it is the wrong one, that is reported, and noted there.
    """
    if parameter.kind == "args" and isinstance(value, tuple) and isinstance(where, ast.Starred):
        assert isinstance(where.value, ast.Tuple)
        each = replace(parameter, kind="positional")
        parts = zip(value, where.value.elts, strict=True)
        return any(check_argument(frame, node, each, item, part, names) for item, part in parts)
    told = value is not UNKNOWN and not isinstance(parameter.spec, specs.Anything)
    binder = source(where, 40) if told and where is not None else parameter.name
    if parameter.kind == "args":
        spec: specs.Spec = specs.SequenceSpec("tuple", parameter.spec)
    elif parameter.kind == "kwargs":
        spec = specs.DictSpec(parameter.spec)
    else:
        spec = parameter.spec
    # ``if cache is not None: return step(x)``: whoever gives one knows that the axis is of size one
    names.dispatched = frame.state.names.dispatched or bool(frame.state.tests)
    problems = match(spec, value, names, binder=binder)
    if problems and frame.state.asked:
        with frame.comparing():
            problems = match(spec, value, names, binder=binder)
    if not problems and isinstance(value, Choice):
        problems = where_given(frame, where, value, partial(match, spec, names=names.copy(), binder=binder))
    if not problems:
        _note_rank(frame, spec, value)
        return False
    place = where if where is not None else node
    outlier = None if beside is None else beside.outlier(problems[0])
    if outlier is not None and beside is not None:
        beside.wrong, place, problem, others = outlier
        messages.argument(frame, place, callee(node), problem)
        names.adopt(others)
        return False
    if isinstance(place, ast.expr):
        name = parameter.name if _is_spread(node, place) else None
        problem = problems[0] if beside is None else beside.told(problems[0])
        messages.argument(frame, place, callee(node), problem, name)
    return True


def _is_spread(node: ast.AST, where: ast.expr) -> bool:
    """Whether an argument is one of those that ``*args`` of a call gives."""
    arguments = node.args if isinstance(node, ast.Call) else []
    part = where.value if isinstance(where, ast.Subscript) else None
    return any(isinstance(given, ast.Starred) and given.value is part for given in arguments)


def _note_rank(frame: Frame, spec: specs.Spec, value: Value) -> None:
    """``x: "b *s"`` given for ``"b d"``: from here on ``*s`` is one axis."""
    if not isinstance(spec, specs.ArraySpec) or not isinstance(value, Tensor):
        return
    if spec.axes.variadic is not None:
        return
    runs = [entry for entry in value.shape if isinstance(entry, Pack)]
    if len(runs) == 1 and not runs[0].open and not frame.depth and not frame.reporter.muted:
        axes = len(spec.axes.dims) - len(value.shape) + 1
        frame.state.replace_pack(runs[0], tuple(unknown(f"?{runs[0].name}.{i}") for i in range(axes)))


def complete(parameters: list[Parameter], bound: Mapping[str, object]) -> bool:
    """Whether every parameter without a default has its argument."""
    return all(
        p.name in bound or p.default is not None for p in parameters if p.kind in ("positional", "keyword")
    )


def kind_fits(spec: specs.Spec, value: Value) -> bool:
    """Whether an argument could be of an overload's kind at all."""
    if value is UNKNOWN or isinstance(spec, (specs.Anything, specs.VariableSpec)):
        return True
    if isinstance(spec, specs.ArraySpec):
        return isinstance(value, (Tensor, Choice))
    if isinstance(spec, specs.NoneSpec):
        return value is None
    if isinstance(spec, specs.LiteralSpec):
        return value in spec.values if isinstance(value, (str, int, bool, type(None))) else True
    if isinstance(spec, specs.UnionSpec):
        return any(kind_fits(option, value) for option in spec.options)
    containers = (specs.TupleSpec, specs.SequenceSpec, specs.DictSpec)
    if isinstance(value, Tensor):
        return not isinstance(spec, (specs.NumberSpec, *containers))
    if isinstance(spec, specs.NumberSpec):
        kind = number_kind(value)
        if kind is None:
            return not (value is None or isinstance(value, (str, slice, tuple, Sequence, DictV)))
        return kind == "real" or _NUMBERS.index(kind) <= _NUMBERS.index(spec.kind)
    plain = value is None or number_kind(value) is not None or isinstance(value, (str, slice))
    if isinstance(spec, specs.TupleSpec) and isinstance(value, tuple):
        return len(value) == len(spec.items) or any(isinstance(part, Pack) for part in value)
    if isinstance(spec, specs.ObjectSpec) and spec.name == "str":
        return isinstance(value, str) or not (plain or isinstance(value, (tuple, Sequence, DictV)))
    return not (plain and isinstance(spec, containers))


_NUMBERS = ("bool", "int", "float", "complex")  # of which each may be what stands behind it
