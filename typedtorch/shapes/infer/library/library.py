"""What Python's and torch's own functions do to values, where a shape rule is not the right form."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from typedtorch.shapes.bounds import size_max, size_min
from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.conditions.places import write_place
from typedtorch.shapes.infer.containers import containers, defaults, mutation, records
from typedtorch.shapes.infer.containers.items import items_of
from typedtorch.shapes.infer.containers.lengths import CUTS, length_of, pieces
from typedtorch.shapes.infer.containers.listed import OF_DATA, from_data, slice_object
from typedtorch.shapes.infer.containers.steady import length_of_name
from typedtorch.shapes.infer.expressions import attributes
from typedtorch.shapes.infer.expressions.numbers import (
    absolute,
    all_,
    any_,
    callable_,
    extreme,
    float_function,
    integer_function,
    math_product,
    range_,
    round_,
    rounding,
    some_bool,
    to_bool,
    to_float,
    to_int,
    to_str,
)
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.layers import layer_dtype, surgery
from typedtorch.shapes.infer.layers.made_layers import arguments_of
from typedtorch.shapes.infer.library import (
    folded,
    itertools_module,
    operator_module,
    random_module,
    transforms,
)
from typedtorch.shapes.infer.operators import operand_ranks
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.operators.rule_values import to_rule
from typedtorch.shapes.infer.reports.messages import check_items
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import (
    NEVER,
    UNKNOWN,
    Bound,
    ClassV,
    DictV,
    External,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_size,
)
from typedtorch.shapes.rule import LAYERS, RULES, Layer, Record
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.rules.distributions import DISTRIBUTIONS, kl_divergence
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import Pack, ShapeError


def call_external(frame: Frame, name: str, args: Args, node: ast.AST) -> Value:
    """A function or class outside the program."""
    made = folded.call(name, args)
    if made is not folded.NOT_FOLDED:
        return made
    special = SPECIAL.get(name) or transforms.SPECIAL.get(name)
    if special is not None:
        made = special(frame, args, node)
        return proven.computed(made, args.values) if name.startswith(("builtins.", "math.")) else made
    if name in CONTAINERS:
        return CONTAINERS[name](frame, args, node)
    if args.open:
        return mutation.forget(frame, args)
    if name in RULES:
        given, args = args, operand_ranks.with_tensors(frame, name, args, node)
        nodes = tuple(args.nodes)
        values = tuple(args.values)
        made = apply_rule(frame, RULES[name].function, values, args.keywords, node, nodes)
        if "out" in args.keywords:
            _put_out(frame, args.keywords["out"], made)
        if made is not UNKNOWN:
            operand_ranks.learn(frame, name, given, node)
        return _pieces(frame, name, values, args) if made is UNKNOWN else made
    if name in LAYERS:
        return construct_layer(frame, name, args, node)
    if name.startswith("torch.distributions."):
        return _distribution(frame, name, args, node)
    if name in SAME_MODULE and args.values:
        return args.values[0]
    if name in SAME_FUNCTION:
        decorated = args.values[0] if args.values else None
        return decorated if isinstance(decorated, (FunctionV, ClassV)) else External(name)
    if name in GRADIENT_MODES and args.values and isinstance(args.values[0], (FunctionV, Bound)):
        return args.values[0]
    if name in OBJECTS:
        return Object(name)
    surgery.given_parameters(frame, name, args)
    return mutation.forget(frame, args)


def _put_out(frame: Frame, out: Value, made: Value) -> None:
    """``out=``, a tensor or several, takes the shape of the result, whatever it was."""
    given = out if isinstance(out, tuple) else (out,)
    results = made if isinstance(made, tuple) and isinstance(out, tuple) else (made,)
    for i, tensor in enumerate(given):
        result = results[i] if len(results) == len(given) else UNKNOWN
        if isinstance(tensor, Tensor):
            frame.state.replace_value(
                tensor, tensor.of(result.shape) if isinstance(result, Tensor) else UNKNOWN
            )


def _pieces(frame: Frame, name: str, values: tuple[Value, ...], args: Args) -> Value:
    """``torch.unbind`` and its like, where the number of pieces is not known."""
    head, _, function = name.rpartition(".")
    if head != "torch" or function not in CUTS or not values or not isinstance(values[0], Tensor):
        return UNKNOWN
    return UNKNOWN if frame.blamed() else pieces(function, values[0], values[1:], args.keywords)


def _distribution(frame: Frame, name: str, args: Args, node: ast.AST) -> Value:
    """A distribution, or what is made of two."""
    public = f"torch.distributions.{name.rpartition('.')[2]}"
    function = kl_divergence if public.endswith(".kl_divergence") else DISTRIBUTIONS.get(public)
    if function is None:
        return UNKNOWN
    values, nodes = tuple(args.values), tuple(args.nodes)
    made = apply_rule(frame, function, values, args.keywords, node, nodes)
    if not isinstance(made, LayerV):
        return made
    return replace(made, name=public, arguments=arguments_of(args))


def construct_layer(frame: Frame, name: str, args: Args, node: ast.AST) -> Value:
    """A module of torch: its rule gives its ``forward`` and attributes."""
    values = tuple(map(to_rule, args.values, args.nodes))
    keywords = {k: to_rule(v) for k, v in args.keywords.items()}
    try:
        layer = call_rule(LAYERS[name].function, values, keywords)
    except ShapeError as error:
        frame.reporter.add(node, error.code, f"{source(node)}: {error.message}", error.hint)
        return UNKNOWN
    dtype = layer_dtype.of_new(frame, name, args)
    return LayerV(name, layer, dtype, arguments_of(args)) if isinstance(layer, Layer) else UNKNOWN


SAME_MODULE = {
    "torch.compile", "torch.jit.script", "torch.jit.trace", "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.DataParallel", "torch.jit.freeze",
    "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.parametrizations.spectral_norm", "torch.nn.utils.parametrizations.orthogonal",
    "torch.fx.symbolic_trace", "torch.optim.swa_utils.AveragedModel", "torch.compiler.disable",
    "torch.distributed.fsdp.FullyShardedDataParallel", "torch.distributed.fsdp.fully_shard",
    "functools.wraps",
    "torch.distributed._composable.fsdp.fully_shard",
}  # fmt: skip
# decorators; called with settings alone they give one
SAME_FUNCTION = {
    "jaxtyping.jaxtyped", "beartype.beartype", "typeguard.typechecked", "functools.cache",
    "functools.lru_cache", "torch.compile",
}  # fmt: skip
# decorators too, and so are what calls of them give
GRADIENT_MODES = {
    "torch.no_grad", "torch.inference_mode", "torch.enable_grad", "torch.set_grad_enabled",
}  # fmt: skip
OBJECTS = {"torch.device", "torch.Generator", *GRADIENT_MODES}


# -- builtins ---------------------------------------------------------------------------------


def length(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``len(x)``."""
    value = args.get(0, "obj", UNKNOWN)
    if isinstance(value, Tensor):
        check_items(frame, value, args.nodes[0] if args.nodes else None)
        first = value.shape[0] if value.shape else None
        return unknown(f"?{frame.place(node)}") if first is None or isinstance(first, Pack) else first
    if isinstance(value, tuple) and not any(isinstance(v, Pack) for v in value):
        return len(value)
    if isinstance(value, (Sequence, DictV)) and (known := length_of(value)) is not None:
        return known
    if isinstance(value, (str, bytes)):
        return len(value)
    if is_size(value) and args.nodes and args.nodes[0] is not None:
        write_place(frame, args.nodes[0], UNKNOWN)  # annotated int, and a list: the annotation is wrong
    if isinstance(value, Instance) and value.info.find("__len__") is not None:
        from typedtorch.shapes.infer.calls.calls import method_if_any  # noqa: PLC0415 - calls hold this table

        return method_if_any(frame, value, "__len__", (), node)
    steady = length_of_name(frame, args.nodes[0]) if value is UNKNOWN and args.nodes else None
    return unknown(f"?{frame.place(node)}") if steady is None else steady


def get_attribute(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``getattr(x, "name")``; one with a default is not followed."""
    name = args.get(1, "name", UNKNOWN)
    value = args.get(0, "object", UNKNOWN)
    if not isinstance(name, str) or len(args.values) > 2:
        return UNKNOWN
    return attributes.get(frame, value, name, node)


def type_of(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``type(x)`` of an instance."""
    value = args.get(0, "object", UNKNOWN)
    return ClassV(value.info) if len(args.values) == 1 and isinstance(value, Instance) else UNKNOWN


def nothing(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A function that returns None."""
    return None


def exporting(frame: Frame, args: Args, node: ast.AST) -> Value:
    """Whether the program is being exported: what it then does is not followed."""
    return False


def never(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A function that does not return."""
    return NEVER


def first_argument(frame: Frame, args: Args, node: ast.AST) -> Value:
    """A function that gives back what it is given."""
    return args.values[0] if args.values else UNKNOWN


_COPIED = (Sequence, DictV, Instance, Tensor)


def copy_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``copy.copy(x)``: another object, so that a change of it is no change of the first."""
    value = args.get(0, "x", UNKNOWN)
    return replace(value) if isinstance(value, _COPIED) else value


def deep_copy(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``copy.deepcopy(x)``: all that is in it is another object too."""
    made: dict[int, Value] = {}

    def copied(value: Value) -> Value:
        if id(value) not in made:
            inner = value if isinstance(value, Tensor) else with_parts(value, copied)
            made[id(value)] = replace(inner) if inner is value and isinstance(value, _COPIED) else inner
        return made[id(value)]

    return copied(args.get(0, "x", UNKNOWN))


def size_tuple(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.Size(sizes)``."""
    value = args.get(0, "x", ())
    items = list(value) if isinstance(value, tuple) else items_of(value)
    return UNKNOWN if items is None else tuple(items)


def parameter(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``nn.Parameter(x)``: the module may be cast to another float dtype later."""
    value = args.get(0, "data", UNKNOWN)
    return containers.castable(value)


def limits(kind: str) -> Special:
    """``torch.finfo(dtype)`` and ``iinfo``: numbers that are known to be numbers."""

    def info(frame: Frame, args: Args, node: ast.AST) -> Value:
        names = ("eps", "max", "min", "tiny", "smallest_normal", "resolution")
        number = Scalar("float") if kind == "float" else unknown(f"?{frame.place(node)}")
        return Record(bits=unknown(f"?{frame.place(node)}.bits"), **dict.fromkeys(names, number))

    return info


def pattern_first(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``fancy_einsum``'s einsum, which is einops' with the pattern before the tensors."""
    pattern = args.get(0, "equation", UNKNOWN)
    if args.open or args.keywords or len(args.values) < 2 or not isinstance(pattern, str):
        return UNKNOWN
    terms = [term.strip() for term in pattern.replace("->", ",").split(",")]
    if any(len(term) > 1 and term.isalnum() for term in terms):
        return UNKNOWN  # one word may be one axis, or one letter for each
    rule = RULES["einops.einsum"].function
    values, nodes = (*args.values[1:], args.values[0]), (*args.nodes[1:], args.nodes[0])
    return apply_rule(frame, rule, values, {}, node, nodes)


SPECIAL: dict[str, Special] = {
    **operator_module.FUNCTIONS,
    **random_module.FUNCTIONS,
    **records.SPECIAL,
    **itertools_module.FUNCTIONS,
    "fancy_einsum.einsum": pattern_first,
    "torch.finfo": limits("float"), "torch.iinfo": limits("int"),
    "numpy.finfo": limits("float"), "numpy.iinfo": limits("int"),
    "builtins.len": length, "builtins.int": to_int, "builtins.float": to_float, "builtins.bool": to_bool,
    "builtins.str": to_str, "builtins.range": range_, "builtins.max": extreme(size_max),
    "builtins.min": extreme(size_min), "builtins.abs": absolute, "builtins.round": round_,
    "builtins.getattr": get_attribute, "builtins.type": type_of, "builtins.hasattr": some_bool,
    "builtins.callable": callable_, "builtins.any": any_, "builtins.all": all_,
    "builtins.issubclass": some_bool, "builtins.print": nothing, "sys.exit": never, "os._exit": never,
    "builtins.exit": never, "copy.copy": copy_, "copy.deepcopy": deep_copy,
    **{f"math.{name}": float_function for name in ("sqrt", "log", "log2", "exp", "cos", "sin", "pow")},
    **{f"math.{name}": integer_function for name in ("gcd", "lcm", "isqrt")},
    "math.ceil": rounding(math.ceil), "math.floor": rounding(math.floor), "math.isclose": some_bool,
    "math.prod": math_product, "numpy.prod": math_product, "torch.Size": size_tuple,
    "torch.onnx.is_in_onnx_export": exporting, "torch.compiler.is_exporting": exporting,
    "torch.nn.Parameter": parameter, "torch.nn.Buffer": parameter, "torch.is_tensor": some_bool,
    "torch.is_floating_point": some_bool, "typing.assert_type": first_argument,
    "torch.distributed.get_rank": integer_function, "torch.distributed.get_world_size": integer_function,
    "torch.cuda.device_count": integer_function, "builtins.slice": slice_object,
    "builtins.ord": integer_function,
    **{name: from_data(name) for name in OF_DATA},
    "torch.nn.UninitializedParameter": lambda frame, args, node: UNKNOWN,
    "collections.defaultdict": defaults.defaultdict,
    **containers.SPECIAL,
}  # fmt: skip
CONTAINERS: dict[str, Special] = containers.MODULES


# -- partial and transforms -------------------------------------------------------------------


def call_partial(frame: Frame, partial: Partial, args: Args, node: ast.AST) -> Value:
    """A call of what ``functools.partial`` or a transform of torch made."""
    if partial.transform != "functools.partial":
        return transforms.call_transform(frame, partial, args, node)
    merged = replace(
        args,
        values=[*partial.args, *args.values],
        nodes=[*([None] * len(partial.args)), *args.nodes],
        keywords={**partial.kwargs, **args.keywords},
    )
    return frame.call(partial.function, merged, node)


__all__ = ["SPECIAL", "call_external", "call_partial"]
