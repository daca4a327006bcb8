"""Norms, dropout, embeddings: what keeps the shape and checks a parameter's."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BIT, COMPLEX, FLOATING, INT64, to_float
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.forms import Function, functional, is_size, need, of_rank, tail
from typedtorch.shapes.rules.linear import parameter_dtype
from typedtorch.shapes.rules.promotion import mask_of, want
from typedtorch.shapes.size import Poly, Size, same, unknown
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Entry,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    show,
)

_KEEP = "f:*"


def _float(input: Any, parameter: str = "input") -> int:
    hint = f"cast first: {name(input, parameter)}.float()"
    return want(need(input), FLOATING | COMPLEX, parameter, "a floating dtype", hint)


def _fresh(input: Tensor, mask: int | None = None) -> Tensor:
    return input.of(input.shape, mask_of(input) if mask is None else mask)


# --- over the last axes ------------------------------------------------------------------------


def _trailing(input: Tensor, normalized_shape: Any) -> list[Any]:
    """The axes normalised over, checked against the last of the input.

    Raises:
        ShapeError: they differ.
    """
    wanted = [normalized_shape] if is_size(normalized_shape) else list(normalized_shape)
    if any(not is_size(w) for w in wanted):
        return [w if is_size(w) else unknown() for w in wanted]
    who = name(input, "input")
    if input.rank is not None and len(input.shape) < len(wanted):
        raise ShapeError(f"normalized_shape is {show(wanted)} and {who} has shape {show(input.shape)}")
    for size, entry in zip(wanted, tail(input.shape, len(wanted)), strict=True):
        if entry is not None and same(size, entry) is False:
            raise ShapeError(
                f"normalized_shape is {show(wanted)} and the last axes of {who} are {show(input.shape[-len(wanted) :])}"
            )
    return wanted


def _same_shape(parameter: Any, wanted: list[Any], label: str) -> None:
    if not isinstance(parameter, Tensor) or parameter.rank is None:
        return
    if len(parameter.shape) != len(wanted) or any(
        same(entry_size(x), entry_size(y)) is False for x, y in zip(parameter.shape, wanted, strict=True)
    ):
        raise ShapeError(f"{name(parameter, label)} has shape {show(parameter.shape)}, wanted {show(wanted)}")


@rule(*functional("layer_norm"), "torch.layer_norm", sample=(
    "f:... d, (size:d,) | f:... d, (size:d,), f:d, f:d | f:... h d, (size:h, size:d) | f:... d, [size:d]"))  # fmt: skip
def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-05,
    cudnn_enable: Any = True,
) -> Tensor:
    mask = _real(input)
    wanted = _trailing(input, normalized_shape)
    _same_shape(weight, wanted, "weight")
    _same_shape(bias, wanted, "bias")
    return _fresh(input, mask)


@rule(*functional("rms_norm"), "torch.rms_norm", sample="f:... d, (size:d,) | f:... d, (size:d,), f:d")
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    mask = _float(input)
    wanted = _trailing(input, normalized_shape)
    _same_shape(weight, wanted, "weight")
    return _fresh(input, mask)


def _affine(shape: Any, on: Any, dtype: Any, *names: str) -> dict[str, Any]:
    """A layer's parameters of one shape; None where it has none."""
    made = Tensor(tuple(shape), parameter_dtype(dtype)) if on is True else None if on is False else UNKNOWN
    return {n: made.named(n) if isinstance(made, Tensor) else made for n in names}


@layer(
    "torch.nn.LayerNorm",
    sample="size:d -> f:... d | (size:h, size:d) -> f:... h d | size:d, elementwise_affine=False -> f:... d",
)
def layer_norm_layer(
    normalized_shape: Any,
    eps: Any = 1e-05,
    elementwise_affine: Any = True,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    shape = [normalized_shape] if is_size(normalized_shape) else list(normalized_shape)
    return Layer(
        lambda input: layer_norm(input, shape), _affine(shape, elementwise_affine, dtype, "weight", "bias")
    )


@layer("torch.nn.RMSNorm", sample="size:d -> f:... d | (size:d,), 1e-6 -> f:... d")
def rms_norm_layer(
    normalized_shape: Any,
    eps: Any = None,
    elementwise_affine: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    shape = [normalized_shape] if is_size(normalized_shape) else list(normalized_shape)
    return Layer(lambda input: rms_norm(input, shape), _affine(shape, elementwise_affine, dtype, "weight"))


# --- over channels -----------------------------------------------------------------------------


def _channels(input: Tensor, wanted: Any, what: str) -> None:
    """The second axis against a number of channels."""
    if len(input.shape) > 1 and not any(isinstance(e, Pack) for e in input.shape[:2]) and is_size(wanted):
        if same(entry_size(input.shape[1]), wanted) is False:
            raise ShapeError(
                f"{what} is {wanted} and {name(input, 'input')} has {input.shape[1]} channels: {show(input.shape)}"
            )


def _per_channel(input: Tensor, *parameters: tuple[Any, str]) -> None:
    for parameter, label in parameters:
        if (
            isinstance(parameter, Tensor)
            and parameter.rank is not None
            and input.rank is not None
            and len(input.shape) > 1
        ):
            want(parameter, FLOATING, label, "a floating dtype")
            _same_shape(parameter, [input.shape[1]], label)


@rule(
    *functional("batch_norm"),
    sample="F:n c ..., F:c, F:c | F:n c h, F:c, F:c, F:c, F:c | F:n c, None, None, training=True",
)
def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: Any = False,
    momentum: Any = 0.1,
    eps: Any = 1e-05,
) -> Tensor:
    if need(input).rank is not None and len(input.shape) < 2:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, ...)"
        )
    _per_channel(
        input,
        (running_mean, "running_mean"),
        (running_var, "running_var"),
        (weight, "weight"),
        (bias, "bias"),
    )
    if training is True:
        _several(input, [i for i in range(len(input.shape)) if i != 1], "value per channel")
    return _fresh(input, _real(input))


def _several(input: Tensor, places: list[int], what: str) -> None:
    """A statistic is over more than one value."""
    if input.rank is not None and all(input.shape[p] == 1 for p in places):
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}: more than one {what} is wanted"
        )


def _real(input: Any) -> int:
    return want(
        need(input), FLOATING, "input", "a floating dtype", f"cast first: {name(input, 'input')}.float()"
    )


@rule(*functional("instance_norm"), sample="F:n c t | F:n c h w, F:c, F:c")
def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: Any = True,
    momentum: Any = 0.1,
    eps: Any = 1e-05,
) -> Tensor:
    if need(input).rank is not None and len(input.shape) < 3:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, *spatial)"
        )
    _per_channel(
        input,
        (running_mean, "running_mean"),
        (running_var, "running_var"),
        (weight, "weight"),
        (bias, "bias"),
    )
    if use_input_stats is True:
        _several(input, list(range(2, len(input.shape))), "spatial element")
    return _fresh(input, _real(input))


@rule(*functional("group_norm"), sample="F:n 4 ..., 2 | F:n 2*c h, 2, F:2*c, F:2*c")
def functional_group_norm(
    input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-05
) -> Tensor:
    made = group_norm(input, num_groups, weight, bias)
    if input.rank is not None and len(input.shape) > 1 and isinstance(num_groups, int):
        count, channels, *rest = input.sizes()
        if count == 1 and channels == num_groups and all(e == 1 for e in rest):
            raise ShapeError(
                f"{name(input, 'input')} has shape {show(input.shape)}: a group of one value has no spread"
            )
    return made


@rule(
    "torch.group_norm",
    sample="F:n 4 ..., 2 | F:n 2*c h, 2, F:2*c, F:2*c | F:n c, size:c",
)
def group_norm(
    input: Any,
    num_groups: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-05,
    cudnn_enabled: Any = True,
) -> Tensor:
    if need(input).rank is not None and len(input.shape) < 2:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, ...)"
        )
    _grouped(input, num_groups)
    _per_channel(input, (weight, "weight"), (bias, "bias"))
    return _fresh(input, _float(input))


def _grouped(input: Tensor, groups: Any) -> None:
    channels = (
        input.shape[1]
        if len(input.shape) > 1 and not any(isinstance(e, Pack) for e in input.shape[:2])
        else None
    )
    if isinstance(groups, int) and isinstance(channels, int) and (groups < 1 or channels % groups):
        raise ShapeError(
            f"num_groups={groups} does not divide the {channels} channels of {name(input, 'input')}"
        )


def _batch_norm_layer(ranks: tuple[int, ...], wanted: str) -> Function:
    def make(
        num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: Any = True, track_running_stats: Any = True, *settings: Any,
        dtype: Any = None, device: Any = None, **more: Any,
    ) -> Layer:  # fmt: skip
        def forward(input: Any) -> Tensor:
            _ranked(input, ranks, wanted)
            _channels(input, num_features, "num_features")
            return _fresh(input, _real(input))

        shape = (num_features,) if is_size(num_features) else (unknown(),)
        statistics = _affine(shape, track_running_stats, dtype, "running_mean", "running_var")
        return Layer(
            forward,
            {**_affine(shape, affine, dtype, "weight", "bias"), **statistics, "num_features": num_features},
        )

    return make


def _ranked(input: Any, ranks: tuple[int, ...], wanted: str) -> None:
    tensor = need(input)
    known = sum(not isinstance(e, Pack) for e in tensor.shape)
    if tensor.rank is not None and tensor.rank not in ranks or known > max(ranks):
        raise ShapeError(f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted {wanted}")


_NORMS = {1: ("b c | b c t", (2, 3), "(batch, channels) or (batch, channels, time)"),
          2: ("b c h w", (4,), "(batch, channels, height, width)"),
          3: ("b c h w d", (5,), "(batch, channels, depth, height, width)")}  # fmt: skip


def _lazy(make: Function, axis: int = 1) -> Function:
    def lazy(*args: Any, **settings: Any) -> Layer:
        def forward(input: Any) -> Any:
            shape = need(input).shape
            size: Entry = shape[axis] if len(shape) >= (axis + 1 if axis >= 0 else -axis) else unknown()
            return make(unknown() if isinstance(size, Pack) else size, *args, **settings).forward(input)

        return Layer(forward)

    return lazy


for _axes, (_shapes, _ranks, _wanted) in _NORMS.items():
    _sample = " | ".join(f"size:c -> F:{s}" for s in _shapes.split(" | "))
    _lazy_sample = " | ".join(f" -> F:{s}" for s in _shapes.split(" | "))
    _made = _batch_norm_layer(_ranks, _wanted)
    layer(f"torch.nn.BatchNorm{_axes}d", sample=_sample)(_made)
    layer(f"torch.nn.LazyBatchNorm{_axes}d", sample=_lazy_sample)(_lazy(_made))
_made = _batch_norm_layer((2, 3, 4, 5), "(batch, channels, ...)")
layer("torch.nn.SyncBatchNorm", sample="size:c -> F:b c h w")(_made)


def _instance_norm_layer(axes: int) -> Function:
    def make(
        num_features: Any,
        eps: Any = 1e-05,
        momentum: Any = 0.1,
        affine: Any = False,
        track_running_stats: Any = False,
        device: Any = None,
        dtype: Any = None,
    ) -> Layer:
        def forward(input: Any) -> Tensor:
            _ranked(input, (axes + 1, axes + 2), f"{axes + 2} axes with the batch, or {axes + 1}")
            tensor = need(input)
            channels = tensor.shape[-axes - 1] if tensor.rank is not None else None
            if (
                affine is True
                and isinstance(channels, (int, Poly))
                and is_size(num_features)
                and same(channels, num_features) is False
            ):
                raise ShapeError(
                    f"num_features is {num_features} and {name(input, 'input')} has {channels} channels"
                )
            if tensor.rank is not None and track_running_stats is not True:
                _several(tensor, list(range(len(tensor.shape) - axes, len(tensor.shape))), "spatial element")
            return _fresh(input, _real(input))

        return Layer(forward, _affine((num_features,), affine, dtype, "weight", "bias"))

    return make


def _lazy_instance_norm(axes: int) -> Function:
    def make(*settings: Any, **more: Any) -> Layer:
        def forward(input: Any) -> Tensor:
            _ranked(input, (axes + 1, axes + 2), f"{axes + 2} axes with the batch, or {axes + 1}")
            if need(input).rank != axes + 2:
                raise Undecided
            return _fresh(input, _real(input))

        return Layer(forward)

    return make


for _axes, _shape in ((1, "b c t"), (2, "b c h w"), (3, "b c h w d")):
    _made = _instance_norm_layer(_axes)
    layer(
        f"torch.nn.InstanceNorm{_axes}d",
        sample=f"size:c -> F:{_shape} | size:c, affine=True -> F:{_shape} | size:c, affine=True -> F:{_shape[2:]}",
    )(_made)
    layer(f"torch.nn.LazyInstanceNorm{_axes}d", sample=f" -> F:{_shape}")(_lazy_instance_norm(_axes))


@layer(
    "torch.nn.GroupNorm", sample="2, 4 -> F:b 4 ... | 2, size:2*c -> F:b 2*c h | size:c, size:c -> F:b c h w"
)
def group_norm_layer(
    num_groups: Any,
    num_channels: Any,
    eps: Any = 1e-05,
    affine: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    if (
        isinstance(num_groups, int)
        and isinstance(num_channels, int)
        and (num_groups < 1 or num_channels % num_groups)
    ):
        raise ShapeError(f"num_groups={num_groups} does not divide num_channels={num_channels}")

    def forward(input: Any) -> Tensor:
        _channels(need(input), num_channels, "num_channels")
        return functional_group_norm(input, num_groups)

    return Layer(forward, _affine((num_channels,), affine, dtype, "weight", "bias"))


@rule(*functional("local_response_norm"), sample="F:b c h, 2 | F:b c h w, 3")
def local_response_norm(input: Any, size: Any, alpha: Any = 0.0001, beta: Any = 0.75, k: Any = 1.0) -> Tensor:
    if need(input).rank is not None and len(input.shape) < 3:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, *spatial)"
        )
    return _fresh(input, to_float(mask_of(input)))


layer("torch.nn.LocalResponseNorm", sample="2 -> F:b c h w")(
    lambda size, alpha=0.0001, beta=0.75, k=1.0: Layer(lambda input: local_response_norm(input, size))
)


# --- dropout -----------------------------------------------------------------------------------


def _dropout(ranks: tuple[int, ...] | None, wanted: str, scales: bool) -> Function:
    def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
        if isinstance(p, (int, float)) and not 0 <= p <= 1:
            raise ShapeError(f"p={p} is not a probability")
        if ranks is not None:
            _ranked(input, ranks, wanted)
        if scales and training is True and p != 0 and p is not UNKNOWN:
            _float(input)  # what is kept is scaled
        return Tensor(need(input).shape, mask_of(input), layout=input.layout, deliberate=input.deliberate)

    return dropout


for _name, _ranks_, _wanted in (
    ("dropout", None, ""), ("alpha_dropout", None, ""), ("feature_alpha_dropout", None, ""),
    ("dropout1d", (2, 3), "(batch, channels, time) or (channels, time)"),
    ("dropout2d", None, ""), ("dropout3d", None, ""),
):  # fmt: skip
    _drop = _dropout(_ranks_, _wanted, "alpha" not in _name)
    _space = (
        "F:b c t"
        if _name == "dropout1d"
        else "F:b c h w"
        if _name == "dropout2d"
        else "F:b c h w d"
        if _name == "dropout3d"
        else _KEEP
    )
    rule(f"torch.nn.functional.{_name}", sample=f"{_space} | {_space}, 0.2, training=False")(_drop)
    _class = {
        "dropout": "Dropout",
        "alpha_dropout": "AlphaDropout",
        "feature_alpha_dropout": "FeatureAlphaDropout",
    }.get(_name, _name.capitalize())

    def _dropout_layer(p: Any = 0.5, inplace: Any = False, *, _function: Function = _drop) -> Layer:
        if isinstance(p, (int, float)) and not 0 <= p <= 1:
            raise ShapeError(f"p={p} is not a probability")
        return Layer(lambda input: _function(input, training=None))

    layer(f"torch.nn.{_class}", sample=f"0.1 -> {_space} |  -> {_space}")(_dropout_layer)
rule(
    "torch.dropout",
    "torch.alpha_dropout",
    "torch.feature_alpha_dropout",
    "torch.feature_dropout",
    sample="f:a b c, 0.5, False",
)(lambda input, p, train: Tensor(need(input).shape, mask_of(input)))


# --- embeddings --------------------------------------------------------------------------------

_INDEX = INT64 | BIT["int32"]


@rule(*functional("embedding"), sample="I:*, f:n d | J:b s, f:n d, 0 | I:b, f:n d")
def embedding(
    input: Any,
    weight: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Tensor:
    """One row of the weight for each index: ``(...), (n, d) -> (..., d)``."""
    want(need(input), _INDEX, "input", "int64 or int32 indices", f"use {name(input, 'input')}.long()")
    _, width = of_rank(need(weight), "weight", "n", "d")
    return weight.of((*input.shape, width), mask_of(weight))


@rule("torch.embedding", sample="f:n d, I:*")
def plain_embedding(
    weight: Any, indices: Any, padding_idx: Any = -1, scale_grad_by_freq: Any = False, sparse: Any = False
) -> Tensor:
    return embedding(indices, weight)


@layer("torch.nn.Embedding", sample="9, size:d -> I:* | 9, size:d, padding_idx=0 -> I:b s | 9, 3 -> J:b")
def embedding_layer(
    num_embeddings: Any, embedding_dim: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: Any = False,
    sparse: Any = False, _weight: Any = None, _freeze: Any = False, device: Any = None, dtype: Any = None,
) -> Layer:  # fmt: skip
    weight = Tensor((num_embeddings, embedding_dim), parameter_dtype(dtype), "weight")
    if (
        isinstance(padding_idx, int)
        and isinstance(num_embeddings, int)
        and not -num_embeddings <= padding_idx < num_embeddings
    ):
        raise ShapeError(f"padding_idx={padding_idx} is not one of {num_embeddings} rows")
    return Layer(
        lambda input: embedding(input, weight),
        {"weight": weight, "num_embeddings": num_embeddings, "embedding_dim": embedding_dim},
    )


@rule(*functional("embedding_bag"), sample="I:b s, f:n d | I:b s, f:n d, mode='sum' | I:k, f:n d, I:b")
def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: Any = False, mode: Any = "mean", sparse: Any = False,
    per_sample_weights: Any = None, include_last_offset: Any = False, padding_idx: Any = None,
) -> Tensor:  # fmt: skip
    """``(bags, n), (vocab, d) -> (bags, d)``; flat indices with the offsets of the bags."""
    if offsets is None:
        want(need(input), _INDEX, "input", "int64 or int32 indices", f"use {name(input, 'input')}.long()")
    _, width = of_rank(need(weight), "weight", "n", "d")
    want(weight, FLOATING, "weight", "a floating dtype")
    if input.rank is None:
        return weight.of((unknown(), width), mask_of(weight))
    if len(input.shape) == 2:
        if isinstance(offsets, Tensor):
            raise ShapeError(f"{name(input, 'input')} has rank 2, which leaves no place for offsets")
        return weight.of((input.shape[0], width), mask_of(weight))
    if len(input.shape) != 1:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (bags, n) or (n,) with offsets"
        )
    if offsets is None:
        raise ShapeError(f"{name(input, 'input')} has rank 1, so offsets are wanted")
    want(need(offsets), dtypes.INTEGER, "offsets", "int64 or int32")
    if not mask_of(offsets) & mask_of(input):
        raise Undecided
    if offsets.rank not in (None, 1):
        raise ShapeError(f"{name(offsets, 'offsets')} has shape {show(offsets.shape)}, wanted one axis")
    bags: Size = (
        unknown()
        if offsets.rank is None or include_last_offset is not False
        else entry_size(offsets.shape[0])
    )
    return weight.of((bags, width), mask_of(weight))


@layer("torch.nn.EmbeddingBag", sample="9, size:d -> I:b s | 9, size:d, mode='sum' -> I:k, I:b")
def embedding_bag_layer(
    num_embeddings: Any, embedding_dim: Any, *settings: Any, dtype: Any = None, **more: Any
) -> Layer:
    weight = Tensor((num_embeddings, embedding_dim), parameter_dtype(dtype), "weight")
    return Layer(
        lambda input, offsets=None, per_sample_weights=None: embedding_bag(input, weight, offsets),
        {"weight": weight},
    )
