"""Distributions over vectors and matrices, and those made of other distributions and of transforms."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Layer, name
from typedtorch.shapes.rules.distributions import Distribution, enter, floats, made, parameter
from typedtorch.shapes.rules.forms import is_size, need
from typedtorch.shapes.tensor import (
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    broadcast,
    entry_size,
    pack_index,
    show,
)

_IDENTITY_SHAPES = "ExpTransform TanhTransform SigmoidTransform SoftplusTransform AbsTransform"


def _square(**matrices: Any) -> tuple[Tensor, str]:
    """The one of several parameters that is given, a square matrix, and its name."""
    parameter, given = next(((k, m) for k, m in matrices.items() if m is not None), ("", None))
    matrix = need(given)
    if pack_index(matrix.shape[-2:]) is not None:
        raise Undecided
    who = name(matrix, parameter)
    if len(matrix.shape) < 2:
        raise ShapeError(f"{who} has shape {show(matrix.shape)}, wanted two axes")
    if same(entry_size(matrix.shape[-2]), entry_size(matrix.shape[-1])) is False:
        raise ShapeError(f"{who} has shape {show(matrix.shape)}, wanted a square matrix")
    return matrix, parameter


def _expect(tensor: Tensor, parameter: str, axis: int, mean: Tensor) -> None:
    """An axis of a parameter that has to be as long as the mean.

    Raises:
        ShapeError: it has another length.
    """
    last, dim = entry_size(tensor.shape[axis]), entry_size(mean.shape[-1])
    if last != 1 and dim != 1 and same(last, dim) is False:
        text = f"{name(tensor, parameter)} has shape {show(tensor.shape)}"
        raise ShapeError(f"{text}: axis {axis} is {last}, and {name(mean, 'loc')} has {dim} numbers")


def _vector(loc: Any) -> Tensor:
    mean = need(loc)
    if pack_index(mean.shape[-1:]) is not None:
        raise Undecided
    if not mean.shape:
        raise ShapeError(f"{name(mean, 'loc')} has no axes, wanted a vector")
    return mean


@enter("MultivariateNormal")
def multivariate_normal(
    loc: Any,
    covariance_matrix: Any = None,
    precision_matrix: Any = None,
    scale_tril: Any = None,
    validate_args: Any = None,
) -> Layer:
    mean = _vector(loc)
    matrix, parameter = _square(
        covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
    )
    _expect(matrix, parameter, -1, mean)
    event = broadcast(mean.shape[-1:], matrix.shape[-1:])
    batch = broadcast(mean.shape[:-1], matrix.shape[:-2])
    mask = floats(mean, matrix)
    square = Tensor((*batch, *event, *event), mask)
    extra = dict.fromkeys(("covariance_matrix", "precision_matrix", "scale_tril"), square)
    extra["loc"] = Tensor((*batch, *event), mask)
    return made(batch, event, drawn=mask, parameters=mask, extra=extra)


@enter("LowRankMultivariateNormal")
def low_rank_normal(loc: Any, cov_factor: Any, cov_diag: Any, validate_args: Any = None) -> Layer:
    mean, factor, diagonal = _vector(loc), need(cov_factor), _vector(cov_diag)
    if pack_index(factor.shape[-2:]) is not None:
        raise Undecided
    if len(factor.shape) < 2:
        raise ShapeError(f"{name(factor, 'cov_factor')} has shape {show(factor.shape)}, wanted two axes")
    _expect(factor, "cov_factor", -2, mean)
    _expect(diagonal, "cov_diag", -1, mean)
    batch = broadcast(mean.shape[:-1], factor.shape[:-2], diagonal.shape[:-1])
    mask = floats(mean, factor, diagonal)
    return made(batch, mean.shape[-1:], drawn=mask, parameters=mask)


@enter("Wishart")
def wishart(
    df: Any,
    covariance_matrix: Any = None,
    precision_matrix: Any = None,
    scale_tril: Any = None,
    validate_args: Any = None,
) -> Layer:
    matrix, _ = _square(
        covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
    )
    batch = broadcast(parameter(df).shape, matrix.shape[:-2])
    mask = floats(matrix)
    return made(batch, matrix.shape[-2:], drawn=mask, parameters=mask)


@enter("LKJCholesky")
def lkj(dim: Any, concentration: Any = 1.0, validate_args: Any = None) -> Layer:
    given = parameter(concentration)
    if not is_size(dim):
        raise Undecided
    mask = floats(given)
    return made(given.shape, (dim, dim), drawn=mask, parameters=mask, without=_NO_MOMENTS)


@enter("LogisticNormal")
def logistic_normal(loc: Any, scale: Any, validate_args: Any = None) -> Layer:
    shape = broadcast(parameter(loc).shape, parameter(scale).shape)
    if pack_index(shape[-1:]) is not None:
        raise Undecided
    if not shape:
        raise ShapeError("a logistic normal needs at least one axis")
    mask = floats(loc, scale)
    return made(shape[:-1], (entry_size(shape[-1]) + 1,), drawn=mask, parameters=mask, without=_NO_MOMENTS)


@enter("Independent")
def independent(base_distribution: Any, reinterpreted_batch_ndims: Any, validate_args: Any = None) -> Layer:
    base, taken = base_distribution, reinterpreted_batch_ndims
    if not isinstance(base, Distribution) or not isinstance(taken, int) or pack_index(base.batch) is not None:
        raise Undecided
    if taken > len(base.batch):
        raise ShapeError(f"the batch shape is {show(base.batch)}: it has fewer than {taken} axes")
    at = len(base.batch) - taken
    event = (*base.batch[at:], *base.event)
    absent = tuple(key for key in _ALWAYS if key not in base.attributes)
    return made(
        base.batch[:at],
        event,
        drawn=base.drawn,
        parameters=base.parameters,
        extra={"base_dist": base},
        without=(*absent, "cdf", "icdf"),
    )


_ALWAYS = ("mean", "stddev", "variance", "mode", "entropy")
_NO_MOMENTS = (*_ALWAYS, "cdf", "icdf")


@enter("MixtureSameFamily")
def mixture(mixture_distribution: Any, component_distribution: Any, validate_args: Any = None) -> Layer:
    """Weights of the shape ``(*batch, k)`` for components of the batch shape ``(*batch, k)``."""
    weights, components = mixture_distribution, component_distribution
    if not isinstance(weights, Distribution) or not isinstance(components, Distribution):
        raise Undecided
    if not isinstance(whole := weights.attributes.get("logits"), Tensor) or weights.event:
        raise Undecided
    if pack_index(components.batch) is not None or pack_index(whole.shape) is not None:
        raise Undecided
    text = f"the component distribution has batch shape {show(components.batch)}"
    if not components.batch:
        raise ShapeError(f"{text}: wanted one axis at least, of the components")
    if same(entry_size(whole.shape[-1]), entry_size(components.batch[-1])) is False:
        raise ShapeError(f"{text}: its last axis is not the {whole.shape[-1]} components of the mixture")
    batch = components.batch[:-1]
    try:
        drawn = broadcast(batch, weights.batch)
    except ShapeError:
        raise ShapeError(f"{text}, and the mixture distribution {show(weights.batch)}") from None
    if drawn != batch:
        raise Undecided
    return made(
        batch,
        components.event,
        drawn=components.drawn,
        parameters=components.parameters,
        extra={"mixture_distribution": weights, "component_distribution": components},
        without=("entropy", "mode", "rsample", "icdf"),
    )


@dataclass(frozen=True)
class Transform(Layer):
    """A transform: how many axes each of its steps takes and gives, and what becomes of a shape."""

    domain: int = 0
    codomain: int = 0
    shape: Callable[[Shape], Shape] = tuple


def _transform(domain: int, codomain: int, shape: Callable[[Shape], Shape], *, keeps: bool = True) -> Layer:
    def forward(x: Any) -> Tensor:
        given = need(x)
        return given.of(shape(given.shape))

    def log_abs_det_jacobian(x: Any, y: Any) -> Tensor:
        given = need(x)
        if pack_index(given.shape[len(given.shape) - domain :]) is not None or len(given.shape) < domain:
            raise Undecided
        return given.of(given.shape[: len(given.shape) - domain])

    attributes: dict[str, Any] = {"log_abs_det_jacobian": log_abs_det_jacobian}
    if keeps:
        attributes["inv"] = Transform(forward, dict(attributes), domain, codomain, shape)
    return Transform(forward, attributes, domain, codomain, shape)


@enter(_IDENTITY_SHAPES)
def elementwise_transform(cache_size: Any = 0) -> Layer:
    return _transform(0, 0, lambda shape: shape)


@enter("SoftmaxTransform")
def softmax_transform(cache_size: Any = 0) -> Layer:
    return _transform(1, 1, lambda shape: shape)


@enter("StickBreakingTransform")
def stick_breaking(cache_size: Any = 0) -> Layer:
    def shape(given: Shape) -> Shape:
        if not given or pack_index(given[-1:]) is not None:
            raise Undecided
        return (*given[:-1], entry_size(given[-1]) + 1)

    return _transform(1, 1, shape, keeps=False)


@enter("AffineTransform")
def affine_transform(loc: Any, scale: Any, event_dim: Any = 0, cache_size: Any = 0) -> Layer:
    own = broadcast(parameter(loc).shape, parameter(scale).shape)
    if not isinstance(event_dim, int):
        raise Undecided
    return _transform(event_dim, event_dim, lambda shape: broadcast(shape, own))


@enter("PowerTransform")
def power_transform(exponent: Any, cache_size: Any = 0) -> Layer:
    own = parameter(exponent).shape
    return _transform(0, 0, lambda shape: broadcast(shape, own))


@enter("IndependentTransform")
def independent_transform(base_transform: Any, reinterpreted_batch_ndims: Any, cache_size: Any = 0) -> Layer:
    base, more = base_transform, reinterpreted_batch_ndims
    if not isinstance(base, Transform) or not isinstance(more, int):
        raise Undecided
    return _transform(base.domain + more, base.codomain + more, base.shape, keeps="inv" in base.attributes)


@enter("ComposeTransform")
def compose_transform(parts: Any, cache_size: Any = 0) -> Layer:
    if not parts or not isinstance(parts, list) or not all(isinstance(part, Transform) for part in parts):
        raise Undecided
    domain, codomain = parts[-1].codomain, parts[0].domain
    for part in reversed(parts):
        domain = max(domain + part.domain - part.codomain, part.domain)
    for part in parts:
        codomain = max(codomain + part.codomain - part.domain, part.codomain)

    def shape(given: Shape) -> Shape:
        for part in parts:
            given = part.shape(given)
        return given

    return _transform(domain, codomain, shape, keeps=all("inv" in part.attributes for part in parts))


@enter("TransformedDistribution")
def transformed(base_distribution: Any, transforms: Any, validate_args: Any = None) -> Layer:
    base = base_distribution
    whole = transforms if isinstance(transforms, Transform) else compose_transform(transforms)
    if not isinstance(base, Distribution) or not isinstance(whole, Transform):
        raise Undecided
    shape = whole.shape((*base.batch, *base.event))
    events = whole.codomain + max(len(base.event) - whole.domain, 0)
    if pack_index(shape[len(shape) - events :]) is not None:
        raise Undecided
    if events > len(shape):
        raise ShapeError(f"a draw has shape {show(shape)}: the transforms need {events} axes")
    at = len(shape) - events
    without = tuple(key for key in _NO_MOMENTS if key not in ("cdf", "icdf") or events)
    mask = base.parameters
    extra = {"base_dist": base}
    return made(shape[:at], shape[at:], drawn=mask, parameters=mask, extra=extra, without=without)


__all__: list[str] = []
