"""einops: rearrange, reduce, repeat, einsum, pack, unpack and the layers; and torch's einsum."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import ANY, BOOL, COMPLEX, FLOATING, UINT8
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.einops_language import (
    bind,
    build,
    check_once,
    given_sizes,
    is_axis_name,
    names_in,
    parse_side,
    split_pattern,
)
from typedtorch.shapes.rules.einsum import contracted, contraction_flops
from typedtorch.shapes.rules.forms import need
from typedtorch.shapes.rules.joining import stack
from typedtorch.shapes.rules.promotion import mask_of, result_type, want
from typedtorch.shapes.rules.reduction import summed
from typedtorch.shapes.size import Size, product, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    pack_index,
    show,
)


def _operand(tensor: Any) -> Tensor:
    """A list of tensors is one tensor with a new first axis."""
    if isinstance(tensor, (list, tuple)):
        return stack(list(tensor)).named("the list")
    return need(tensor)


def _sides(pattern: Any) -> tuple[Any, Any, str]:
    left, right = split_pattern(pattern)
    sides = parse_side(left), parse_side(right)
    for side in sides:
        check_once(side, pattern)
    return (*sides, pattern)


def _ellipsis_agrees(left: Any, right: Any, pattern: str) -> None:
    if "..." in names_in(right) and "..." not in names_in(left):
        raise ShapeError(f"{pattern!r} has '...' on the right only", "einops")
    if any("..." in g and g != ("...",) for g in left):
        raise ShapeError(f"{pattern!r}: '...' cannot stand in parentheses on the left", "einops")


def _names(side: Any) -> set[str]:
    return {n for n in names_in(side) if not n.isdigit()}


@rule("einops.rearrange", sample=(
    "f:b h*w c, 'b (h w) c -> b c h w', h=size:h | f:b s 3*d, 'b s (k d) -> k b s d', k=3 | "
        "f:... d, '... d -> d ...' | "
    "f:b s d, 'b s d -> (b s) d' | f:b s d, 'b s d -> b d s' | f:b 1 d, 'b 1 d -> b d' | "
        "[f:b d, f:b d], 'k b d -> b k d' | "
    "f:a b, 'a b -> a 1 b' | f:b 2*d, 'b (d k) -> b d k', k=2 | "
        "f:a b ..., 'a b ... -> (a b) ...' | f:a ... b, 'a ... b -> (a ...) b' | "
        "f:... d, '... d -> (...) d'"))  # fmt: skip
def rearrange(tensor: Any, pattern: Any, **axes_lengths: Any) -> Tensor:
    given = _operand(tensor)
    left, right, text = _sides(pattern)
    _ellipsis_agrees(left, right, text)
    if _names(left) != _names(right):
        odd = sorted(_names(left) ^ _names(right))
        raise ShapeError(
            f"{text!r}: {', '.join(odd)} on one side only",
            "einops",
            "reduce removes axes, repeat adds them",
        )
    for side in (left, right):
        if any(n.isdigit() for n in names_in(side)):
            raise ShapeError(f"{text!r}: the only number rearrange takes is 1", "einops")
    sizes = given_sizes(axes_lengths, _names(left) - {"..."}, text)
    bind(left, given.shape, sizes, name(given, "tensor"), text)
    return _made(given, build(right, sizes, text), mask_of(given), right)


def _made(given: Tensor, shape: Shape, mask: int, right: Any) -> Tensor:
    return Tensor(shape, mask, deliberate=() in right, library=given.library)


_REDUCTIONS = {"min", "max", "sum", "mean", "prod", "any", "all"}


@rule("einops.reduce", sample=(
    "f:b c h w, 'b c h w -> b c', 'mean' | f:b c h*2 w*2, 'b c (h p) (w q) -> b c h w', 'max', p=2, q=2 | "
    "f:b ... d, 'b ... d -> b d', 'sum' | f:b s d, 'b s d -> b 1 d', 'mean' | "
        "r:a b, 'a b ->', 'sum' | b:a b, 'a b -> b a', 'sum' | [f:b d, f:b d], 'k b d -> b d', 'mean' | "
    "f:b s d, 'b s d -> b () d', 'max' | i:b s, 'b s -> b', 'sum' | "
        "f:... d, '... d -> ...', 'mean'"))  # fmt: skip
def reduce(tensor: Any, pattern: Any, reduction: Any, **axes_lengths: Any) -> Tensor:
    given = _operand(tensor)
    left, right, text = _sides(pattern)
    _ellipsis_agrees(left, right, text)
    if _names(right) - _names(left):
        odd = ", ".join(sorted(_names(right) - _names(left)))
        raise ShapeError(f"{text!r}: {odd} on the right only", "einops", "repeat adds axes")
    sizes = given_sizes(axes_lengths, _names(left) - {"..."}, text)
    bind(left, given.shape, sizes, name(given, "tensor"), text)
    reduces = set(names_in(left)) - _names(right)
    mask = _reduced_dtype(given, reduction) if reduces or reduction not in _REDUCTIONS else mask_of(given)
    return _made(given, build(right, sizes, text), mask, right)


def _reduced_dtype(given: Tensor, reduction: Any) -> int:
    mask = mask_of(given)
    if not isinstance(reduction, str):
        return ANY
    if reduction not in _REDUCTIONS:
        raise ShapeError(f"{reduction!r} is not a reduction: {', '.join(sorted(_REDUCTIONS))}", "einops")
    if reduction == "mean":
        who = name(given, "tensor")
        return want(
            given, FLOATING | COMPLEX, "tensor", "a floating dtype for 'mean'", f"cast first: {who}.float()"
        )
    if reduction in ("sum", "prod"):
        return summed(mask)
    if reduction in ("any", "all"):
        return (UINT8 if mask & UINT8 else 0) | (BOOL if mask & ~UINT8 else 0)
    return mask


@rule("einops.repeat", sample=(
    "f:b d, 'b d -> b s d', s=size:s | f:d, 'd -> b d', b=3 | f:h w, 'h w -> (h 2) (w 2)' | "
        "f:b d, 'b d -> b k d', k=2 | "
    "f:... d, '... d -> ... k d', k=size:k | f:a b, 'a b -> (r a) b', r=2 | f:a, 'a -> 3 a' | "
        "f:b 1 d, 'b 1 d -> b s d', s=4"))  # fmt: skip
def repeat(tensor: Any, pattern: Any, **axes_lengths: Any) -> Tensor:
    given = _operand(tensor)
    left, right, text = _sides(pattern)
    _ellipsis_agrees(left, right, text)
    if _names(left) - _names(right):
        odd = ", ".join(sorted(_names(left) - _names(right)))
        raise ShapeError(f"{text!r}: {odd} on the left only", "einops", "reduce removes axes")
    sizes = given_sizes(axes_lengths, (_names(left) | _names(right)) - {"..."}, text)
    missing = sorted(_names(right) - _names(left) - set(sizes))
    if missing:
        raise ShapeError(
            f"{text!r}: the size of {', '.join(missing)} is not given: {missing[0]}=...", "einops"
        )
    bind(left, given.shape, sizes, name(given, "tensor"), text)
    return _made(given, build(right, sizes, text), mask_of(given), right)


@rule("einops.asnumpy", sample="")
def asnumpy(tensor: Any) -> Tensor:
    given = need(tensor)
    return Tensor(given.shape, mask_of(given), library="numpy")


@rule("einops.parse_shape", sample="f:b c h, 'b c h' | f:b c h, 'b _ h' | f:b ... h, 'b ... h'")
def parse_shape(x: Any, pattern: Any) -> Any:
    """Sizes by name, as a dictionary."""
    given = need(x)
    if not isinstance(pattern, str):
        raise Undecided
    side = parse_side(pattern)
    sizes: dict[str, Any] = {}
    # "_" skips an axis, and may do so more than once
    named = tuple(tuple(f"_{i}" if n == "_" else n for n in group) for i, group in enumerate(side))
    bind(named, given.shape, sizes, name(given, "x"), pattern)
    return {n: size for n, size in sizes.items() if n.isidentifier() and n[0] != "_"}


# --- einsum ------------------------------------------------------------------------------------


def _terms(pattern: Any) -> tuple[list[list[str]], list[str]]:
    left, right = split_pattern(pattern)
    if "(" in pattern:
        raise ShapeError(f"{pattern!r}: einsum takes no parentheses", "einops")
    terms = [names_in(parse_side(t)) for t in left.split(",")]
    return terms, names_in(parse_side(right))


def _named_einsum(args: tuple[Any, ...]) -> tuple[list[Tensor], list[list[str]], list[str], str]:
    *tensors, pattern = args
    terms, result = _terms(pattern)
    operands = [need(t) for t in tensors]
    if len(operands) != len(terms):
        raise ShapeError(f"{pattern!r} names {len(terms)} tensors and {len(operands)} are given", "einops")
    return operands, terms, result, pattern


def _einops_einsum_flops(*args: Any) -> Size:
    return contraction_flops(*_named_einsum(args)[:3])


@rule("einops.einsum", flops=_einops_einsum_flops, sample=(
    "f:b s d, f:k d, 'b s d, k d -> b s k' | "
        "f:b h q d, f:b h k d, 'b h q d, b h k d -> b h q k' | f:... d, f:d k, '... d, d k -> ... k' | "
    "f:a b, 'a b -> b' | f:i j, f:j k, f:k l, 'i j, j k, k l -> i l' | "
        "f:b d, f:b d, 'b d, b d -> b'"))  # fmt: skip
def einops_einsum(*tensors_and_pattern: Any) -> Tensor:
    operands, terms, result, pattern = _named_einsum(tensors_and_pattern)
    return contracted(operands, terms, result, pattern)


# --- pack and unpack ---------------------------------------------------------------------------


def _star(pattern: Any) -> tuple[int, int, str]:
    """How many axes stand before and after the ``*``."""
    if not isinstance(pattern, str):
        raise Undecided
    tokens = pattern.split()
    if tokens.count("*") != 1:
        raise ShapeError(f"{pattern!r} has {tokens.count('*')} '*', wanted one", "einops")
    for i, token in enumerate(tokens):
        if token in tokens[:i]:
            raise ShapeError(f"{pattern!r}: {token!r} is there twice", "einops")
        if token != "*" and not is_axis_name(token):
            raise ShapeError(f"{pattern!r}: {token!r} is not a name of one axis", "einops")
    at = tokens.index("*")
    return at, len(tokens) - at - 1, pattern


@rule("einops.pack", sample="[f:a b c, f:a c], 'a * c' | [f:a b, f:a c d], 'a *' | [f:a b c]*, '* c'")
def pack(tensors: Any, pattern: Any) -> tuple[Tensor, Any]:
    """One tensor, and the shapes that :func:`unpack` needs."""
    before, after, text = _star(pattern)
    if not isinstance(tensors, (list, tuple)) or not tensors:
        raise Undecided
    given = [need(t) for t in tensors]
    total: Size = 0
    shapes: list[Any] = []
    front: Shape | None = None
    for i, tensor in enumerate(given):
        if pack_index(tensor.shape) is not None:
            raise Undecided
        if len(tensor.shape) < before + after:
            raise ShapeError(
                f"{tensor.label or f'tensor {i}'} has shape {show(tensor.shape)}, {text!r} needs at "
                f"least {before + after} axes"
            )
        middle = tensor.sizes()[before : len(tensor.shape) - after]
        kept = (*tensor.shape[:before], *tensor.shape[len(tensor.shape) - after :])
        total = total + product(middle)
        shapes.append(middle)
        _check_kept(front, kept, tensor.label or f"tensor {i}", text)
        front = front or kept
    assert front is not None

    return given[0].of((*front[:before], total, *front[before:]), result_type(*given)), shapes


def _check_kept(front: Shape | None, kept: Shape, who: str, text: str) -> None:
    for x, y in zip(front or kept, kept, strict=True):
        if same(entry_size(x), entry_size(y)) is False:
            raise ShapeError(f"{text!r}: an axis outside '*' is {y} in {who} and {x} in the first tensor")


@rule(
    "einops.unpack",
    sample="f:a b+c d, [(size:b,), (size:c,)], 'a * d' | "
    "f:a 2*b+c, [(2, size:b), (size:c,)], 'a *' | f:a b, [(size:b,)], 'a *' | f:a 5, [(2,), (-1,)], 'a *'",
)
def unpack(tensor: Any, packed_shapes: Any, pattern: Any) -> list[Tensor]:
    before, after, text = _star(pattern)
    given, who = need(tensor), name(tensor, "tensor")
    if not isinstance(packed_shapes, (list, tuple)):
        raise Undecided
    shapes = [tuple(s) if isinstance(s, (list, tuple)) else None for s in packed_shapes]
    if given.rank is not None and len(given.shape) != before + after + 1:
        raise ShapeError(f"{who} has shape {show(given.shape)}, {text!r} needs {before + after + 1} axes")
    sizes = given.sizes()
    if any(s is None or any(n is UNKNOWN for n in s) for s in shapes):
        return [given.of((ANY_AXES,)) for _ in shapes]
    total: Size = 0
    for shape in shapes:
        assert shape is not None
        if -1 in shape:
            total = unknown()
            break
        total = total + product(shape)
    if same(total, sizes[before]) is False:
        raise ShapeError(f"the packed shapes add up to {total} and axis {before} of {who} is {sizes[before]}")
    made = []
    for shape in shapes:
        middle = [_hole(shape, shapes, sizes[before]) if n == -1 else n for n in shape or ()]
        made.append(given.of((*sizes[:before], *middle, *sizes[before + 1 :])))
    return made


def _hole(shape: Any, shapes: list[Any], size: Size) -> Entry:
    """The one -1 among the shapes takes what is left."""
    rest: Size = 0
    for other in shapes:
        if other is not shape:
            if -1 in other:
                return unknown()
            rest = rest + product(other)
    known = product(n for n in shape if n != -1)
    left = size - rest
    if isinstance(left, int) and left < 0:
        raise ShapeError(f"the packed shapes want more than the {size} elements of the axis")
    return left // known


# --- layers ------------------------------------------------------------------------------------


@layer(
    "einops.layers.torch.Rearrange",
    sample="'b c h w -> b (c h w)' -> f:b c h w | 'b (h w) c -> b c h w', h=2 -> f:b 2*w c",
)
def rearrange_layer(pattern: Any, **axes_lengths: Any) -> Layer:
    split_pattern(pattern)
    return Layer(lambda input: rearrange(input, pattern, **axes_lengths))


@layer(
    "einops.layers.torch.Reduce",
    sample="'b c (h p) (w q) -> b c h w', 'max', p=2, q=2 -> f:b c 2*h 2*w | "
    "'b s d -> b d', 'mean' -> f:b s d",
)
def reduce_layer(pattern: Any, reduction: Any, **axes_lengths: Any) -> Layer:
    split_pattern(pattern)
    return Layer(lambda input: reduce(input, pattern, reduction, **axes_lengths))


@layer("einops.layers.torch.EinMix", sample=(
    "'b s d -> b s k', weight_shape='d k', d=size:d, k=size:k -> f:b s d | "
    "'b s (h d) -> b h s k', weight_shape='h d k', bias_shape='h k', h=2, d=3, k=size:k -> f:b s "
        "6"))  # fmt: skip
def einmix_layer(pattern: Any, weight_shape: Any, bias_shape: Any = None, **axes_lengths: Any) -> Layer:
    left, right, text = _sides(pattern)

    def forward(input: Any) -> Tensor:
        given = need(input)
        if 1 in given.shape:
            raise Undecided  # it is an einsum inside, where 1 broadcasts
        sizes = {
            k: v if isinstance(v, (int,)) or v is not UNKNOWN else unknown() for k, v in axes_lengths.items()
        }
        bind(left, given.shape, sizes, name(given, "input"), text)
        return given.of(
            build(right, sizes, text), want(given, FLOATING | COMPLEX, "input", "a floating dtype")
        )

    return Layer(forward)
