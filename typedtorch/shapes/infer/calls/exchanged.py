"""Values of another kind than is promised: a tensor for an object, and the other way round.

One alone may be a loose annotation, and run.  Not so two of which each is what the other should be, nor one
of which the body reads what it has not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.problems import Problem
from typedtorch.shapes.infer.calls.binding import Parameter, callee
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.program.class_kinds import is_seen
from typedtorch.shapes.infer.values.kinds import instance_of, is_module_class
from typedtorch.shapes.infer.values.values import UNKNOWN, ClassV, DictV, External, FunctionV, Instance, Value
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.python_numbers import number_kind
from typedtorch.shapes.rule import ATTRIBUTES, RULES
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import ANY_AXES, Pack, Tensor, show

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo

Bound = Mapping[str, tuple[Value, "ast.expr | None"]]


def exchanged_kinds(frame: Frame, node: ast.AST, parameters: list[Parameter], bound: Bound) -> bool:
    """Report arguments in another order than the parameters that their kinds are meant for."""
    if not any(isinstance(p.spec, (specs.InstanceSpec, specs.NumberSpec)) for p in parameters):
        return False
    given = [(p, *bound[p.name]) for p in parameters if p.kind == "positional" and p.name in bound]
    order = ", ".join(p.name for p, _, _ in given)
    crossed = exchanged([p.spec for p, _, _ in given], [value for _, value, _ in given])
    for i, (parameter, value, where) in enumerate(given):
        if where is not None and (i == crossed or _is_tensor_for_number(given, parameter, value)):
            text = f"{source(where)} is {_shown(value)}, {parameter.name} is annotated"
            text = f"{callee(node)}: {text} {_kind_text(parameter.spec)}"
            frame.reporter.add(where, "shape", text, f"the parameters are {order}")
            return True
    return False


def lacks_what_is_read(
    frame: Frame, node: ast.AST, function: FunctionV, parameters: list[Parameter], bound: Bound
) -> bool:
    """Report an argument of which the body reads what it has not: ``batch.ids`` of what is a tensor."""
    if isinstance(function.bound, Instance) and function.bound.assumed:  # the body may be another
        return False
    for parameter in parameters:
        value, where = bound.get(parameter.name, (UNKNOWN, None))
        if (
            where is None
            or not (isinstance(value, (Tensor, Instance)) or _is_container(value))
            or _is_of(parameter.spec, value) is not False
        ):
            continue
        classes = value.info.mro() if isinstance(value, Instance) else ()
        put = {a for m in (frame.module, *(i.module for i in classes)) for a in m.facts(m.tree).given}
        read = surely_read(function.node, parameter.name)
        missing = next((a for a in read if a not in put and _lacks(value, a)), None)
        if missing is not None:
            kind = f"{parameter.name} is annotated {_kind_text(parameter.spec)}"
            text = f"{callee(node)}: {source(where)} is {_shown(value)}, {kind}, and its .{missing} is read"
            frame.reporter.add(where, "shape", text)
            return True
    return False


def _lacks(value: Value, attribute: str) -> bool:
    """Whether a tensor, a list or dict, or an object of nothing but fields, surely has no such attribute."""
    if isinstance(value, Tensor):
        kinds = ("torch.Tensor", "numpy.ndarray")
        known = any(f"{kind}.{attribute}" in table for kind in kinds for table in (RULES, ATTRIBUTES))
        return not (known or attribute in _OF_EVERY_TENSOR or attribute.startswith(("_", "is_")))
    if isinstance(value, (SequenceV, DictV)):
        return not hasattr(list if isinstance(value, SequenceV) else dict, attribute)
    if not isinstance(value, Instance):
        return False
    info = value.info
    if not (info.kind.is_fields and all(map(is_seen, info.kind.external))) or info.find("__getattr__"):
        return False
    made = any(attribute in base.self_stores or attribute in base.assigned for base in info.mro())
    return not (made or info.find(attribute) or info.spec(attribute) or attribute.startswith("_"))


_OF_EVERY_TENSOR = frozenset(
    {
        "data", "grad", "grad_fn", "names", "name", "device", "dtype", "layout", "requires_grad", "shape",
        "real", "imag", "storage", "output_nr", "retains_grad", "nbytes", "itemsize", "strides", "base",
        "flags", "flat", "values", "indices", "type", "module_load", "register_hook", "ctypes",
    }
)  # fmt: skip


@lru_cache(maxsize=4096)
def surely_read(node: ast.AST, parameter: str) -> tuple[str, ...]:
    """The attributes of a parameter that a body reads at any rate; none where it asks what it was given.

    >>> surely_read(ast.parse("def f(x):\\n y = x.ids\\n if y: return x.mask").body[0], "x")
    ('ids',)
    """
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return ()
    own = [n for n in walk(node) if isinstance(n, ast.Name) and n.id == parameter]
    told = [n for n in walk(node) if isinstance(n, ast.Call) and getattr(n.func, "id", "") in _TELLING]
    asked = {id(part) for call in told for part in walk(call)}
    if any(not isinstance(n.ctx, ast.Load) or id(n) in asked for n in own):
        return ()
    found: dict[str, None] = {}
    for statement in _straight_on(node.body):
        parts = walk(statement)
        if not any(isinstance(part, _PERHAPS) for part in parts):
            found |= {
                p.attr: None
                for p in parts
                if isinstance(p, ast.Attribute) and isinstance(p.value, ast.Name) and p.value.id == parameter
            }
    return tuple(found)


_TELLING = frozenset({"isinstance", "hasattr", "getattr", "type", "issubclass", "is_tensor", "callable"})
_PERHAPS = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.comprehension, ast.Yield, ast.YieldFrom)


def _straight_on(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body that are run at any rate: those before the first that decides something."""
    for statement in body:
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _straight_on(statement.body)
        elif not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)):
            return
        else:
            yield statement


def exchanged(promised: Sequence[specs.Spec], values: Sequence[Value]) -> int | None:
    """The first of two values that are of each other's kind, and surely not of their own, if there is one."""
    odd = [i for i, value in enumerate(values) if _is_of(promised[i], value) is False]
    for i, j in combinations(odd, 2):
        if _is_of(promised[i], values[j]) and _is_of(promised[j], values[i]):
            return i
    return None


def exchanged_items(promised: specs.Spec, value: Value) -> list[Problem]:
    """``return logits, cache`` where the cache is promised first."""
    if not isinstance(promised, specs.TupleSpec) or not isinstance(value, tuple):
        return []
    if len(promised.items) != len(value):
        return []
    i = exchanged(promised.items, value)
    if i is None:
        return []
    text = f"{_shown(value[i])}, annotated {_kind_text(promised.items[i])}"
    return [Problem("kind", specs.ANY_TENSOR, Tensor((ANY_AXES,)), f"[{i}]", text=text)]


def _kind_text(spec: specs.Spec) -> str:
    """What an annotation says of a value's kind, for a message."""
    if isinstance(spec, specs.InstanceSpec):
        return str(spec.info.name)
    return spec.kind if isinstance(spec, specs.NumberSpec) else "a tensor"


def _shown(value: Value) -> str:
    if isinstance(value, Tensor):
        return f"a tensor {show(value.shape)}"
    return f"of class {value.info.name}" if isinstance(value, Instance) else f"a {value.kind}"


def _is_of(spec: specs.Spec, value: Value) -> bool | None:
    """Whether a value is of the kind that is promised; None where it cannot be told.

    What a tensor and something unknown make has unknown axes, and may be an object of the other's class.
    """
    if isinstance(spec, specs.InstanceSpec):
        tensor = isinstance(value, Tensor) and value.is_known and _is_no_tensor(spec.info)
        told = tensor or isinstance(value, Instance) or _is_container(value)
        return instance_of(value, ClassV(spec.info)) if told else None
    if not isinstance(spec, specs.ArraySpec):
        return None
    if isinstance(value, Tensor):
        return _is_meant_for(spec, value) or None
    if _is_container(value):
        return False
    if not isinstance(value, Instance) or value.info.find("__torch_function__") is not None:
        return None
    return instance_of(value, External("torch.Tensor"))


def _is_container(value: Value) -> bool:
    """Whether a value is a list or dict, seen being made: one that is only annotated may be an array."""
    if not isinstance(value, (SequenceV, DictV)) or value.kind not in ("list", "dict"):
        return False
    each = value.element if isinstance(value, SequenceV) else None
    return bool(value.items) or (isinstance(each, Instance) and not each.assumed)


def _is_no_tensor(info: ClassInfo) -> bool:
    """Whether no object of a class is a tensor: what operators make of those may be of the class again."""
    return all(is_seen(base) or is_module_class(base) for base in info.kind.external)


def _is_tensor_for_number(
    given: list[tuple[Parameter, Value, ast.expr | None]], parameter: Parameter, value: Value
) -> bool:
    """Whether a tensor is given for an ``int``, and a number for such a tensor."""
    if not isinstance(parameter.spec, specs.NumberSpec) or not isinstance(value, Tensor) or not value.shape:
        return False
    return any(number_kind(other) is not None and _is_meant_for(p.spec, value) for p, other, _ in given)


def _is_meant_for(spec: specs.Spec, tensor: Tensor) -> bool:
    """Whether a parameter takes tensors of this dtype and number of axes."""
    if not isinstance(spec, specs.ArraySpec) or spec.axes.variadic is not None:
        return False
    known = not any(isinstance(entry, Pack) for entry in tensor.shape)
    return known and len(spec.axes.dims) == len(tensor.shape) and bool(spec.dtype & tensor.dtype)
