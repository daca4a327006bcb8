"""Norms whose statistics are taken by channel or group of channels."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import FLOATING, to_float
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.forms import Function, functional, is_size, need
from typedtorch.shapes.rules.normalisation import (
    affine_parameters,
    check_shape,
    shaped_like,
    want_floating,
    want_inexact,
)
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.size import Poly, unknown
from typedtorch.shapes.tensor import (
    Entry,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    show,
)


def _channels(input: Tensor, wanted: Any, what: str) -> None:
    """The second axis against a number of channels."""
    seen = len(input.shape) > 1 and not any(isinstance(e, Pack) for e in input.shape[:2])
    if seen and is_size(wanted) and same(entry_size(input.shape[1]), wanted) is False:
        raise ShapeError(
            f"{what} is {wanted} and {name(input, 'input')} has {input.shape[1]} channels: "
            f"{show(input.shape)}"
        )


def _per_channel(input: Tensor, *parameters: tuple[Any, str]) -> None:
    for parameter, label in parameters:
        if (
            isinstance(parameter, Tensor)
            and parameter.rank is not None
            and input.rank is not None
            and len(input.shape) > 1
        ):
            if not mask_of(parameter) & FLOATING:
                raise Undecided
            check_shape(parameter, [input.shape[1]], label)


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
    if need(input).rank is not None and len(input.shape) < 2 and input.shape != (0,):
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
    return shaped_like(input, want_floating(input))


def _several(input: Tensor, places: list[int], what: str) -> None:
    """A statistic is over more than one value."""
    if input.rank is not None and all(input.shape[p] == 1 for p in places):
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}: it must have more than one {what}"
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
    return shaped_like(input, want_floating(input))


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
    return shaped_like(input, want_inexact(input))


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
        num_features: Any,
        eps: Any = 1e-05,
        momentum: Any = 0.1,
        affine: Any = True,
        track_running_stats: Any = True,
        *settings: Any,
        dtype: Any = None,
        device: Any = None,
        bias: Any = True,
        **more: Any,
    ) -> Layer:
        def forward(input: Any) -> Tensor:
            check_rank(input, ranks, wanted)
            if True in (affine, track_running_stats) and 0 not in input.shape:
                _channels(input, num_features, "num_features")
            return shaped_like(input, want_floating(input))

        shape = (num_features,) if is_size(num_features) else (unknown(),)
        statistics = affine_parameters(shape, track_running_stats, dtype, "running_mean", "running_var")
        return Layer(
            forward,
            {
                **affine_parameters(shape, affine, dtype, "weight", "bias", bias=bias),
                **statistics,
                "num_features": num_features,
            },
        )

    return make


def check_rank(input: Any, ranks: tuple[int, ...], wanted: str) -> None:
    """The input's number of axes against those that are allowed.

    Raises:
        ShapeError: it is none of them.
    """
    tensor = need(input)
    known = sum(not isinstance(e, Pack) for e in tensor.shape)
    if (tensor.rank is not None and tensor.rank not in ranks) or known > max(ranks):
        raise ShapeError(f"{name(input, 'input')} has shape {show(tensor.shape)}, wanted {wanted}")


_NORMS = {1: ("b c | b c t", (2, 3), "(batch, channels) or (batch, channels, time)"),
          2: ("b c h w", (4,), "(batch, channels, height, width)"),
          3: ("b c h w d", (5,), "(batch, channels, depth, height, width)")}  # fmt: skip


def lazily(make: Function, axis: int = 1) -> Function:
    """The constructor of a lazy layer: what it is called with gives the first argument, an axis's size."""

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
    layer(f"torch.nn.LazyBatchNorm{_axes}d", sample=_lazy_sample)(lazily(_made))
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
        *,
        bias: Any = True,
    ) -> Layer:
        def forward(input: Any) -> Tensor:
            check_rank(input, (axes + 1, axes + 2), f"{axes + 2} axes with the batch, or {axes + 1}")
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
            return shaped_like(input, want_floating(input))

        parameters = affine_parameters((num_features,), affine, dtype, "weight", "bias", bias=bias)
        return Layer(forward, {**parameters, "num_features": num_features})

    return make


def _lazy_instance_norm(axes: int) -> Function:
    def make(*settings: Any, **more: Any) -> Layer:
        def forward(input: Any) -> Tensor:
            check_rank(input, (axes + 1, axes + 2), f"{axes + 2} axes with the batch, or {axes + 1}")
            if need(input).rank != axes + 2:
                raise Undecided
            return shaped_like(input, want_floating(input))

        return Layer(forward)

    return make


for _axes, _shape in ((1, "b c t"), (2, "b c h w"), (3, "b c h w d")):
    _made = _instance_norm_layer(_axes)
    layer(
        f"torch.nn.InstanceNorm{_axes}d",
        sample=f"size:c -> F:{_shape} | size:c, affine=True -> F:{_shape} | "
        f"size:c, affine=True -> F:{_shape[2:]}",
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
    *,
    bias: Any = True,
) -> Layer:
    if (
        isinstance(num_groups, int)
        and isinstance(num_channels, int)
        and (num_groups < 1 or num_channels % num_groups)
    ):
        raise ShapeError(f"num_groups={num_groups} does not divide num_channels={num_channels}")

    def forward(input: Any) -> Tensor:
        if affine is True:  # else only the groups are looked at
            _channels(need(input), num_channels, "num_channels")
        return functional_group_norm(input, num_groups)

    parameters = affine_parameters((num_channels,), affine, dtype, "weight", "bias", bias=bias)
    return Layer(forward, {**parameters, "num_groups": num_groups, "num_channels": num_channels})


@rule(*functional("local_response_norm"), sample="F:b c h, 2 | F:b c h w, 3")
def local_response_norm(input: Any, size: Any, alpha: Any = 0.0001, beta: Any = 0.75, k: Any = 1.0) -> Tensor:
    if need(input).rank is not None and len(input.shape) < 3:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)}, wanted (batch, channels, *spatial)"
        )
    if 0 in input.shape:
        return shaped_like(input, mask_of(input))  # handed back as it is
    return shaped_like(input, to_float(mask_of(input)))


layer("torch.nn.LocalResponseNorm", sample="2 -> F:b c h w")(
    lambda size, alpha=0.0001, beta=0.75, k=1.0: Layer(lambda input: local_response_norm(input, size))
)
