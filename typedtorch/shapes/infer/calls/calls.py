"""Calls: who is called, with what, and what comes back."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from typedtorch.shapes.equality import holding
from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.assuming import Names, Promise, assume
from typedtorch.shapes.infer.annotations.runs import leave_open
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.calls import methods
from typedtorch.shapes.infer.calls.alternatives import for_each, in_general
from typedtorch.shapes.infer.calls.arguments import given
from typedtorch.shapes.infer.calls.binding import (
    Args,
    Parameter,
    bind,
    callee,
    check_argument,
    complete,
    tensors_given,
)
from typedtorch.shapes.infer.calls.exchanged import exchanged_kinds, lacks_what_is_read
from typedtorch.shapes.infer.calls.inner_changes import handed_over
from typedtorch.shapes.infer.calls.overloads import call_overloaded
from typedtorch.shapes.infer.classes.new_objects import forget_read
from typedtorch.shapes.infer.conditions.places import read_place
from typedtorch.shapes.infer.conditions.solving import solved
from typedtorch.shapes.infer.containers import enumerations, mutation, shared
from typedtorch.shapes.infer.containers.lengths import CUTS, pieces
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.layers import surgery
from typedtorch.shapes.infer.layers.layers import call_instance, call_layer, call_sequential, learn
from typedtorch.shapes.infer.library import library
from typedtorch.shapes.infer.library.options import parsed
from typedtorch.shapes.infer.library.written_calls import WRITTEN
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.program.class_text import always_raises, left_to_subclasses
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.reports.outliers import Beside
from typedtorch.shapes.infer.statements.expected_errors import leaves_the_test
from typedtorch.shapes.infer.values.contents import Substitution
from typedtorch.shapes.infer.values.values import (
    NEVER,
    UNKNOWN,
    Bound,
    Choice,
    ClassV,
    Dtype,
    External,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Partial,
    Sequence,
    SpecV,
    SuperV,
    Tensor,
    Value,
    is_size,
    options_of,
)
from typedtorch.shapes.rule import RULES
from typedtorch.shapes.size import unknown
from typedtorch.shapes.syntax import dotted


def call(frame: Frame, node: ast.Call) -> Value:
    """A call expression."""
    if isinstance(node.func, ast.Name) and node.func.id == "super" and len(node.args) in (0, 2):
        return _super(frame, node.args)
    function = frame.evaluate(node.func)
    if isinstance(function, External) and function.name in WRITTEN:
        return WRITTEN[function.name](frame, node)
    function, args = given(frame, function, node)
    value = _call_where(frame, function, args, node)
    frame.last_call = node, args
    if value is not UNKNOWN and isinstance(function, (LayerV, Sequence)):
        learn(frame, function, args)
    if value is UNKNOWN and function is UNKNOWN:
        value = parsed(frame.module, node) or _viewed(frame, node, args)
    if value is UNKNOWN:
        _count_unknown(frame, node, function)
    return value


def _call_where(frame: Frame, function: Value, args: Args, node: ast.AST) -> Value:
    """A call, where tests have proven that sizes are one: those that modules hold are, too."""
    sizes = solved(frame.state.proven) if frame.state.proven else {}
    if not sizes:
        return call_value(frame, function, args, node)
    with holding(sizes):
        return Substitution(sizes)(call_value(frame, function, args, node))


def _viewed(frame: Frame, node: ast.Call, args: Args) -> Value:
    """``something.view(b, s, -1)``: nothing but a tensor has this method, and it says its shape."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "view" or args.keywords or args.open:
        return UNKNOWN
    if not args.values or not all(is_size(v) for v in args.values) or frame.blamed():
        return UNKNOWN
    return Tensor(tuple(unknown() if v == -1 else v for v in args.values))


def _count_unknown(frame: Frame, node: ast.Call, function: Value) -> None:
    """A call that makes a tensor of which nothing is known counts against coverage."""
    if not frame.reporter.counting or frame.depth:
        return
    if isinstance(function, Bound) and isinstance(function.receiver, Tensor):
        made = function.receiver.library == "torch" and _attribute(node) not in _NO_TENSOR
    else:
        made = isinstance(function, External) and function.name.startswith(
            ("torch.nn.functional.", "einops.")
        )
    if made:
        frame.reporter.known[node] = False


# methods of tensors that answer with something else, and may do so where no shape is known
_NO_TENSOR = frozenset(
    {"item", "tolist", "numpy", "size", "stride", "dim", "numel", "data_ptr", "untyped_storage", "storage"}
    | {"backward", "register_hook", "register_post_accumulate_grad_hook", "record_stream", "share_memory_"}
)


def _attribute(node: ast.Call) -> str | None:
    return node.func.attr if isinstance(node.func, ast.Attribute) else None


def _takes_numbers(name: str) -> bool:
    """Whether an item of a numpy array is a number to a function, not data of a dtype."""
    return name.startswith("torch.") and name not in ("torch.tensor", "torch.as_tensor", "torch.asarray")


def call_value(frame: Frame, function: Value, args: Args, node: ast.AST) -> Value:
    """Call a value."""
    if function is UNKNOWN:
        surgery.given_parameters(frame, "", args)
        return mutation.forget(frame, args)
    if isinstance(function, FunctionV):
        return call_function(frame, function, args, node)
    if isinstance(function, Bound):
        return methods.call_bound(frame, function, args, node)
    if isinstance(function, External):
        given = args.as_torch_takes(frame.place(node)) if _takes_numbers(function.name) else args
        return library.call_external(frame, function.name, given, node)
    if isinstance(function, LayerV):
        return call_layer(frame, function, args, node)
    if isinstance(function, Instance):
        return call_instance(frame, function, args, node)
    if isinstance(function, ClassV):
        return frame.interpreter.construct(frame, function.info, args, node)
    if isinstance(function, Choice):
        return _call_each(frame, function, args, node)
    if isinstance(function, Promise):
        return _call_promise(frame, function, args, node)
    if isinstance(function, Partial):
        return library.call_partial(frame, function, args, node)
    if isinstance(function, Sequence) and function.kind == "sequential":
        return call_sequential(frame, function, args, node)
    if isinstance(function, Object) and function.name in library.GRADIENT_MODES and len(args.values) == 1:
        return args.values[0]  # torch.no_grad()(f)
    if isinstance(function, SpecV) and isinstance(function.spec, specs.InstanceSpec):
        return frame.interpreter.construct(frame, function.spec.info, args, node)
    if isinstance(function, Dtype):  # of numpy's, torch's are no functions
        return library.call_external(frame, f"numpy.{function}", args, node)
    return mutation.forget(frame, args)


def _call_each(frame: Frame, function: Choice, args: Args, node: ast.AST) -> Value:
    """One of several callables; only the one that it is in general, where that is known."""
    options = [option for option in options_of(in_general(frame, function)) if option is not None]
    return for_each(frame, options, lambda option: call_value(frame, option, args, node), node)


def _call_promise(frame: Frame, function: Promise, args: Args, node: ast.AST) -> Value:
    """A parameter annotated ``Callable[[X], Y]``: its names are the signature's own."""
    names = Names(_fresh(frame, node), where=f"{frame.place(node)}.")
    if function.spec.parameters is not None and not args.open:
        for i, (spec, value) in enumerate(zip(function.spec.parameters, args.values, strict=False)):
            where = args.nodes[i]
            problems = match(spec, value, names, binder="" if where is None else source(where))
            if problems and where is not None:
                messages.argument(frame, where, callee(node), problems[0])
    return assume(function.spec.result, names, frame.place(node))


def _fresh(frame: Frame, node: ast.AST):  # type: ignore[no-untyped-def]  # a closure of one line
    place = frame.place(node)
    return lambda name: unknown(f"?{place}.{name}")


def _super(frame: Frame, named: list[ast.expr]) -> Value:
    """``super()``, and ``super(Net, self)``, which names the class after which is looked."""
    if frame.owner is None or frame.function is None or isinstance(frame.function.node, ast.Lambda):
        return UNKNOWN
    arguments = [*frame.function.node.args.posonlyargs, *frame.function.node.args.args]
    if not arguments:
        return UNKNOWN
    owner = frame.owner
    if named:
        first, own = named
        if not isinstance(own, ast.Name) or own.id != arguments[0].arg:
            return UNKNOWN
        if not isinstance(first, ast.Name) or first.id not in (owner.name, "__class__"):
            found = frame.evaluate(first)
            if not isinstance(found, ClassV):
                return UNKNOWN
            owner = found.info
    return SuperV(owner, frame.state.variables.get(arguments[0].arg, UNKNOWN))


# -- functions of the program -----------------------------------------------------------------


def call_function(frame: Frame, function: FunctionV, args: Args, node: ast.AST) -> Value:
    """A function of the program: by its annotations where it has them, else by its body."""
    interpreter = frame.interpreter
    if interpreter.is_rewrapped(function):
        return mutation.forget(frame, args)
    if function.overloads:
        return call_overloaded(frame, function, args, node)
    signature = interpreter.signature(function)
    bound = bind(signature.parameters, args)
    if bound is None or _another(function, signature.parameters, bound):
        mutation.forget(frame, args)
        if function.name != "__init__":  # of a class below, which says itself what its objects have
            handed_over(frame, [function])
        return interpreter.unbound_result(frame, function, signature, node)
    names = interpreter.call_names(frame, function, bound, node)
    frame.state.ties.meet("", [value for value, _ in bound.values()], {}, None)
    names.tie = frame.tie(node)
    failed = exchanged_kinds(frame, node, signature.parameters, bound)
    failed = failed or lacks_what_is_read(frame, node, function, signature.parameters, bound)
    beside = Beside(signature.parameters, bound, names.copy())
    for parameter in signature.parameters:
        if parameter.name in bound and not failed:
            value, where = bound[parameter.name]
            failed = check_argument(frame, node, parameter, value, where, names, beside)
            failed = failed or beside.wrong is not None
    if names.packs:
        unsaid = any(not specs.shaped(spec) for spec, _ in tensors_given(signature.parameters, bound))
        leave_open(names, function.bound, beside=unsaid)
    failed = failed or signature.unkept or _annotated_otherwise(signature.parameters, bound)
    made = interpreter.function_result(frame, function, signature, bound, names, node, failed=failed)
    forget_read(frame)
    if isinstance(function.node, ast.Lambda):  # of a ``def`` that is forgotten where it stands
        handed_over(frame, [function])
    return shared.of_cache(function.node, function.module, made)


def _another(function: FunctionV, parameters: list[Parameter], bound: Mapping[str, object]) -> bool:
    """Whether a call is written for a subclass: it does not give all that the abstract method asks for."""
    is_abstract = not isinstance(function.node, ast.Lambda) and left_to_subclasses(function.node)
    return is_abstract and not complete(parameters, bound)


def _annotated_otherwise(
    parameters: list[Parameter], bound: Mapping[str, tuple[Value, ast.expr | None]]
) -> bool:
    """Whether some annotation is wrong, here or where a value comes from: a number is given for a list or
    dict, or a tuple of numbers that nobody wrote down for one of another length.
    """
    for parameter in parameters:
        value = bound[parameter.name][0] if parameter.name in bound else None
        if parameter.kind == "args":
            continue
        if isinstance(parameter.spec, (specs.SequenceSpec, specs.DictSpec)) and is_size(value):
            return True
        if isinstance(parameter.spec, specs.TupleSpec) and isinstance(value, tuple) and value:
            others = len(value) != len(parameter.spec.items)
            if others and all(is_size(v) and not isinstance(v, int) for v in value):
                return True
    return False


def operator_method(
    frame: Frame, node: ast.AST, name: str, left: Instance, right: Value, operands: tuple[ast.expr, ast.expr]
) -> tuple[Value] | None:
    """``left.__add__(right)`` where the program defines it."""
    function = left.info.as_function(name, left)
    if function is None:
        return None
    return (call_function(frame, function, Args([right], [operands[1]]), node),)


def method_if_any(
    frame: Frame, receiver: Instance, name: str, values: tuple[Value, ...], node: ast.AST
) -> Value:
    function = receiver.info.as_function(name, receiver)
    if function is None:
        return UNKNOWN
    return call_function(frame, function, Args(list(values), [None] * len(values)), node)


# -- tensors ----------------------------------------------------------------------------------


def tensor_method(
    frame: Frame,
    receiver: Value,
    name: str,
    values: tuple[Value, ...],
    keywords: Mapping[str, Value],
    node: ast.AST,
    nodes: tuple[ast.expr | None, ...],
) -> Value:
    """A method or operator of a tensor, through its rule."""
    tensors = [option for option in options_of(receiver) if isinstance(option, Tensor)]
    libraries = {tensor.library for tensor in tensors}
    if len(libraries) != 1:
        return UNKNOWN
    receiver = tensors[0] if len(tensors) == 1 else Choice(tuple(tensors))
    owner = "numpy.ndarray" if libraries == {"numpy"} else "torch.Tensor"
    rule = RULES.get(f"{owner}.{name}")
    if rule is None:
        return UNKNOWN
    if owner == "torch.Tensor" and name != "new_tensor":
        given = Args(list(values), keywords=dict(keywords)).as_torch_takes(frame.place(node))
        values, keywords = tuple(given.values), given.keywords
    made = apply_rule(frame, rule.function, (receiver, *values), keywords, node, nodes)
    if made is UNKNOWN and name in CUTS and isinstance(receiver, Tensor) and not frame.blamed():
        return pieces(name, receiver, values, keywords)
    return made


# -- small things expressions and statements need -----------------------------------------------


def evaluate_type(frame: Frame, node: ast.expr) -> Value:
    """The first item of ``Float[<type>, "..."]``: a quoted name or a union is read as a type."""
    if isinstance(node, (ast.Constant, ast.BinOp, ast.Subscript)):
        return SpecV(reading.read(node, frame.evaluate))
    return frame.evaluate(node)


def class_subscript(frame: Frame, base: Value, node: ast.Subscript) -> Value:
    """``C[...]`` on a class of the program: its own ``__class_getitem__``, else a generic."""
    if isinstance(base, ClassV):
        if base.info.kind.is_enum:
            index = frame.evaluate(node.slice)
            return enumerations.member(base.info, index) if isinstance(index, str) else UNKNOWN
        found = base.info.find("__class_getitem__")
        if found is not None:
            function = frame.interpreter.method(found[0], found[1], base)
            index = frame.evaluate(node.slice)
            return call_function(frame, function.bind(base), Args([index], [None]), node)
        mask = frame.interpreter.custom_wrapper(base.info)
        if mask is not None and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
            array = evaluate_type(frame, node.slice.elts[0])
            text = frame.evaluate(node.slice.elts[1])
            messages.check_axes(frame, "Shaped", array, text, node.slice.elts[1])
            return SpecV(reading.array_spec(base.info.name, mask, array, text))
    if isinstance(base, SpecV) and isinstance(base.spec, specs.ArraySpec):
        return UNKNOWN
    return base


def never_returns(frame: Frame, node: ast.expr, value: Value) -> bool:
    """Whether what follows is not reached: ``sys.exit()``, ``pytest.skip()``, what always raises."""
    if value is UNKNOWN and isinstance(node, ast.Call) and dotted(node.func) is not None:
        function = read_place(frame, node.func)
        if isinstance(function, External):
            return leaves_the_test(function.name)
        return isinstance(function, FunctionV) and always_raises(function.node)
    return value is NEVER


__all__ = ["call", "call_function", "call_value", "tensor_method"]
