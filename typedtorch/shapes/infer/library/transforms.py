"""Functions of functions: torch.func, checkpointing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.library import batching, derivatives
from typedtorch.shapes.infer.library.derivatives import check_one_number, jacobian_of
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Awaitable,
    DictV,
    Instance,
    LayerV,
    Partial,
    Sequence,
    Tensor,
    Value,
    of_others,
)
from typedtorch.shapes.rules import recurrent
from typedtorch.shapes.rules.properties import check_gradient, check_mapped
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, Undecided, axis_index


def _transform(name: str) -> Special:
    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        if not args.values or args.open:
            # used as ``@torch.vmap(in_dims=0)``: what it will be applied to is not known here
            return UNKNOWN
        return Partial(args.values[0], tuple(args.values[1:]), dict(args.keywords), name)

    return handler


def checkpoint(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``checkpoint(f, *args)`` is ``f(*args)``."""
    if not args.values:
        return UNKNOWN
    own = {"use_reentrant", "preserve_rng_state", "determinism_check", "debug", "context_fn", "early_stop"}
    rest = args.without_first()
    keywords = {k: v for k, v in rest.keywords.items() if k not in own}
    return frame.call(args.values[0], replace(rest, keywords=keywords), node)


def checkpoint_sequential(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``checkpoint_sequential(functions, segments, x)`` is each of the functions in turn."""
    functions, value = args.get(0, "functions", UNKNOWN), args.get(2, "input", UNKNOWN)
    if isinstance(functions, Sequence) and functions.kind != "sequential" and functions.items is not None:
        for function in functions.items:
            value = frame.call(function, Args([value], [None]), node)
        return value
    return frame.call(functions, Args([value], args.nodes[2:3] or [None]), node)


def functional_call(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``functional_call(module, parameters, args, kwargs)`` is ``module(*args, **kwargs)``."""
    if len(args.values) < 3:
        return UNKNOWN
    given = args.values[2]
    values = list(given) if isinstance(given, tuple) else [given]
    keywords = args.get(3, "kwargs", DictV({}))
    if not isinstance(keywords, DictV) or keywords.rest is not None:
        return UNKNOWN
    if not _of_its_shapes(args.values[0], args.values[1]):
        return UNKNOWN
    inner = Args(values, [args.nodes[2]] * len(values), dict(keywords.items))
    return frame.call(args.values[0], inner, node)


def stack_module_state(frame: Frame, args: Args, node: ast.AST) -> Value:
    """The parameters of as many modules as there are in a list, stacked under their names; their buffers."""
    modules = args.get(0, "models", UNKNOWN)
    if not isinstance(modules, Sequence):
        return UNKNOWN
    number = modules.length if modules.items is None else len(modules.items)
    if number is None:
        number = unknown(f"?{frame.place(node)}")
    stacked = DictV({}, Tensor((number, ANY_AXES)))
    return (stacked, stacked)


def _of_its_shapes(module: Value, given: Value) -> bool:
    """Whether no tensor has another shape than the parameter of the module that it stands in for."""
    for state in given if isinstance(given, tuple) else (given,):
        for name, tensor in state.items.items() if isinstance(state, DictV) else ():
            own = reduce(_part, str(name).split("."), module)
            if isinstance(own, Tensor) and isinstance(tensor, Tensor) and own.shape != tensor.shape:
                return False
    return True


def _part(module: Value, name: str) -> Value:
    """A parameter of a module, or a module in it, by its registered name."""
    if isinstance(module, Instance) and name not in module.attributes and "__layer__" in module.attributes:
        return _part(module.attributes["__layer__"], name)
    if isinstance(module, Instance):
        return module.attributes.get(name, UNKNOWN)
    if isinstance(module, LayerV):
        return module.layer.attributes.get(name, UNKNOWN)
    if isinstance(module, Sequence) and name.isdigit() and int(name) < len(module.items or ()):
        return (module.items or ())[int(name)]
    return module.items.get(name, UNKNOWN) if isinstance(module, DictV) else UNKNOWN


def call_transform(frame: Frame, partial: Partial, args: Args, node: ast.AST) -> Value:
    """Call what a transform made."""
    name = partial.transform.rpartition(".")[2]
    if name == "contextmanager":
        yielded = frame.call(partial.function, args, node)
        each = yielded.any_item if isinstance(yielded, Sequence) else UNKNOWN
        return Partial(each, transform="contextlib.entered")
    if name == "vmap":
        return _vmap(frame, partial, args, node)
    if args.open:
        return UNKNOWN
    output = frame.call(partial.function, args, node)
    which = partial.kwargs.get("argnums", partial.args[0] if partial.args else 0)
    has_aux = partial.kwargs.get("has_aux", False)
    if has_aux is True and isinstance(output, tuple) and len(output) == 2:
        main, aux = output
    elif has_aux is False:
        main, aux = output, None
    else:
        return UNKNOWN
    if name in ("grad", "grad_and_value") and isinstance(main, Tensor):
        apply_rule(frame, check_one_number, (main, name), {}, node, ())
    gradient = _gradient(args, which)
    if name == "grad":
        return (gradient, aux) if has_aux is True else gradient
    if name == "grad_and_value":
        return (gradient, output)
    if name in ("jacrev", "jacfwd"):
        jacobian = jacobian_of(main, gradient)
        return (jacobian, aux) if has_aux is True else jacobian
    if name == "hessian":
        return jacobian_of(jacobian_of(main, gradient), gradient)
    return UNKNOWN


def _gradient(args: Args, which: Value) -> Value:
    """As the arguments that are differentiated."""
    if isinstance(which, tuple):
        return tuple(_gradient(args, w) for w in which)
    if not isinstance(which, int) or not -len(args.values) <= which < len(args.values):
        return UNKNOWN
    return args.values[which]


def _vmap(frame: Frame, partial: Partial, args: Args, node: ast.AST) -> Value:
    """Take the mapped axis off each argument, call, put it on each result."""
    if args.open:
        return UNKNOWN
    in_dims = partial.kwargs.get("in_dims", partial.args[0] if partial.args else 0)
    out_dims = partial.kwargs.get("out_dims", partial.args[1] if len(partial.args) > 1 else 0)
    count = len(args.values)
    dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * count
    if len(dims) != count:
        return UNKNOWN
    numbers = tuple(dim if isinstance(dim, int) else None for dim in dims)
    apply_rule(frame, check_mapped, (numbers, *args.values), {}, node, (None, *args.nodes))
    mapped: list[Entry] = []
    values = [_take_off(value, dim, mapped) for value, dim in zip(args.values, dims, strict=True)]
    if not mapped:
        return UNKNOWN
    output = frame.call(partial.function, replace(args, values=values), node)
    return _put_on(output, out_dims, mapped[0])


def _take_off(value: Value, dim: Value, mapped: list[Entry]) -> Value:
    if dim is None:
        return value
    if isinstance(value, tuple) and not isinstance(dim, tuple):
        return tuple(_take_off(v, dim, mapped) for v in value)
    if isinstance(value, DictV) and not isinstance(dim, DictV):
        return _in_dict(value, lambda part: _take_off(part, dim, mapped))
    if not isinstance(value, Tensor) or not isinstance(dim, int):
        return UNKNOWN
    try:
        index = axis_index(value.shape, dim)
    except Exception:
        return UNKNOWN
    if index >= len(value.shape) or isinstance(value.shape[index], Pack):
        return UNKNOWN
    mapped.append(value.shape[index])
    return value.of(value.shape[:index] + value.shape[index + 1 :])


def _put_on(output: Value, dims: Value, entry: Entry) -> Value:
    if isinstance(output, tuple):
        each = dims if isinstance(dims, tuple) else (dims,) * len(output)
        return tuple(_put_on(o, d, entry) for o, d in zip(output, each, strict=False))
    if isinstance(output, DictV) and not isinstance(dims, DictV):
        return _in_dict(output, lambda part: _put_on(part, dims, entry))
    if not isinstance(output, Tensor) or not isinstance(dims, int):
        return UNKNOWN
    try:
        index = axis_index(output.shape, dims, insert=True)
    except Undecided:
        return UNKNOWN
    shape: Shape = (*output.shape[:index], entry, *output.shape[index:])
    return output.of(shape)


def _in_dict(value: DictV, change: Callable[[Value], Value]) -> DictV:
    items = {key: change(part) for key, part in value.items.items()}
    return DictV(items, None if value.rest is None else of_others(change(value.rest)))


def gradients(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``torch.autograd.grad(outputs, inputs)``: as the inputs, always a tuple."""
    inputs, outputs = args.get(1, "inputs", UNKNOWN), args.get(0, "outputs", UNKNOWN)
    if isinstance(outputs, Tensor) and not args.open and "is_grads_batched" not in args.keywords:
        given = (outputs, args.get(2, "grad_outputs", None))
        apply_rule(frame, check_gradient, given, {}, node, tuple(args.nodes[:1]))
    if isinstance(inputs, Tensor):
        return (inputs,)
    if isinstance(inputs, Sequence) and inputs.items is not None:
        return tuple(inputs.items)
    if isinstance(inputs, Sequence):
        return Sequence("list", None, inputs.element)
    return inputs if isinstance(inputs, tuple) else UNKNOWN


def parse_shape(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``einops.parse_shape(x, "b _ d")``: sizes by name."""
    tensor, pattern = args.get(0, "x", UNKNOWN), args.get(1, "pattern", UNKNOWN)
    if not isinstance(tensor, Tensor) or not isinstance(pattern, str):
        return UNKNOWN
    names = pattern.split()
    if tensor.rank != len(names):
        return UNKNOWN
    return DictV({name: size for name, size in zip(names, tensor.shape, strict=True) if name != "_"})


def gather(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``asyncio.gather(a, b)``: awaited, a list of what each gives."""
    if args.open:
        return UNKNOWN
    return Awaitable(tuple(v.value if isinstance(v, Awaitable) else UNKNOWN for v in args.values))


def run_coroutine(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``asyncio.run(main())``: what the coroutine gives."""
    value = args.get(0, "main", UNKNOWN)
    return value.value if isinstance(value, Awaitable) else UNKNOWN


def task(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``asyncio.create_task(f(x))``: awaited, what the coroutine gives."""
    value = args.values[0] if args.values else UNKNOWN
    return value if isinstance(value, Awaitable) else UNKNOWN


def to_thread(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``asyncio.to_thread(f, x)``: awaited, ``f(x)``."""
    if not args.values or args.open:
        return UNKNOWN
    return Awaitable(frame.call(args.values[0], args.without_first(), node))


def _packing(function: Callable[..., Value]) -> Special:
    """What makes or takes a packed sequence: no tensor, so no rule of the table."""

    def handler(frame: Frame, args: Args, node: ast.AST) -> Value:
        if args.open:
            return UNKNOWN
        values, nodes = tuple(args.values), tuple(args.nodes)
        return apply_rule(frame, function, values, args.keywords, node, nodes)

    return handler


_NAMES = ("vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian")
SPECIAL: dict[str, Special] = {
    **{f"torch.func.{name}": _transform(f"torch.func.{name}") for name in _NAMES},
    "torch.autograd.grad": gradients,
    "torch.nn.utils.rnn.pack_padded_sequence": _packing(recurrent.pack_padded_sequence),
    "torch.nn.utils.rnn.pack_sequence": _packing(recurrent.pack_sequence),
    "torch.nn.utils.rnn.pad_packed_sequence": _packing(recurrent.pad_packed_sequence),
    "asyncio.gather": gather,
    "asyncio.run": run_coroutine,
    "asyncio.to_thread": to_thread,
    **dict.fromkeys(
        ("asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield"), task
    ),
    "einops.parse_shape": parse_shape,
    "torch.vmap": _transform("torch.func.vmap"),
    "torch.func.functional_call": functional_call,
    "torch.func.stack_module_state": stack_module_state,
    "torch.utils.checkpoint.checkpoint": checkpoint,
    "torch.utils.checkpoint.checkpoint_sequential": checkpoint_sequential,
    **batching.SPECIAL,
    **derivatives.SPECIAL,
}
