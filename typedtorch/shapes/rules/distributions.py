"""Distributions of ``torch.distributions``: the shapes of samples and log probabilities.

A distribution has a batch shape, to which its parameters broadcast, and an event shape, the axes of
one draw.  ``sample(n)`` has the shape ``(n, *batch, *event)``, ``log_prob(x)`` that of ``x`` without
the event, broadcast with the batch.
"""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from typedtorch.shapes.dtypes import FLOAT, FLOAT32, INT64
from typedtorch.shapes.rule import Layer, name
from typedtorch.shapes.rules.forms import broadcast_operands, need
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.size import Poly
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Entry,
    Scalar,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    broadcast,
    pack_index,
    shape_from,
    show,
)

Rule = Callable[..., Layer]
DISTRIBUTIONS: dict[str, Rule] = {}


def _enter(names: str) -> Callable[[Rule], Rule]:
    def enter(function: Rule) -> Rule:
        for word in names.split():
            DISTRIBUTIONS[f"torch.distributions.{word}"] = function
        return function

    return enter


def _made(
    batch: Shape, event: Shape, *, drawn: int, parameters: int, extra: Mapping[str, Any] | None = None
) -> Layer:
    """A distribution as an object: methods are functions, the rest are values."""

    def sample(sample_shape: Any = ()) -> Tensor:
        return Tensor((*shape_from(tuple(sample_shape)), *batch, *event), drawn)

    def log_prob(value: Any) -> Tensor:
        given = need(value)
        lead = _without_event(given, event)
        try:
            return Tensor(broadcast(lead, batch), parameters)
        except ShapeError:
            raise ShapeError(
                f"{name(value, 'value')} has shape {show(given.shape)}, one draw of the distribution "
                f"{show((*batch, *event))}: they do not broadcast"
            ) from None

    def entropy() -> Tensor:
        return Tensor(batch, parameters)

    whole = Tensor((*batch, *event), parameters)
    return Layer(
        sample,
        {
            "sample": sample, "rsample": sample, "log_prob": log_prob, "cdf": log_prob, "entropy": entropy,
            "mean": whole, "stddev": whole, "variance": whole, "mode": Tensor((*batch, *event), drawn),
            "batch_shape": batch, "event_shape": event, **(extra or {}),
        },
    )  # fmt: skip


def _without_event(value: Tensor, event: Shape) -> Shape:
    """The axes of a value that are not the event's.

    Raises:
        ShapeError: the value does not end in the event's axes.
    """
    if not event:
        return value.shape
    if pack_index(event) is not None or pack_index(value.shape[-len(event) :]) is not None:
        return (ANY_AXES,)
    who = name(value, "value")
    if pack_index(value.shape) is None and len(value.shape) < len(event):
        raise ShapeError(f"{who} has shape {show(value.shape)} and one draw has shape {show(event)}")
    broadcast(value.shape[-len(event) :], event)
    return value.shape[: -len(event)]


def _floats(*parameters: Any) -> int:
    found = 0
    for parameter in parameters:
        found |= mask_of(parameter) & FLOAT if isinstance(parameter, Tensor) else 0
    return found or FLOAT32


_NUMBER = (int, float, Poly, Scalar)


def _parameter(value: Any) -> Tensor:
    """A parameter as a tensor; a number is one without axes."""
    return Tensor((), FLOAT32) if isinstance(value, _NUMBER) else need(value)


def _pointwise(first: Any, second: Any, names: tuple[str, str]) -> Layer:
    """Two parameters that broadcast; one draw is a number."""
    if not isinstance(first, Tensor) and not isinstance(second, Tensor):
        if isinstance(first, _NUMBER) and isinstance(second, _NUMBER):
            return _made((), (), drawn=FLOAT32, parameters=FLOAT32)
        raise Undecided
    batch = broadcast_operands((first, names[0]), (second, names[1]))
    mask = _floats(first, second)
    whole = Tensor(batch, mask)
    return _made(batch, (), drawn=mask, parameters=mask, extra=dict.fromkeys(names, whole))


@_enter("Normal LogNormal Laplace Cauchy Gumbel")
def normal(loc: Any, scale: Any, validate_args: Any = None) -> Layer:
    return _pointwise(loc, scale, ("loc", "scale"))


@_enter("Beta")
def beta(concentration1: Any, concentration0: Any, validate_args: Any = None) -> Layer:
    return _pointwise(concentration1, concentration0, ("concentration1", "concentration0"))


@_enter("Gamma InverseGamma")
def gamma(concentration: Any, rate: Any, validate_args: Any = None) -> Layer:
    return _pointwise(concentration, rate, ("concentration", "rate"))


@_enter("Uniform")
def uniform(low: Any, high: Any, validate_args: Any = None) -> Layer:
    return _pointwise(low, high, ("low", "high"))


@_enter("Exponential Poisson")
def exponential(rate: Any, validate_args: Any = None) -> Layer:
    rate = _parameter(rate)
    batch, mask = rate.shape, _floats(rate)
    return _made(batch, (), drawn=mask, parameters=mask, extra={"rate": rate})


def _chances(probs: Any, logits: Any) -> Tensor:
    return need(logits if probs is None else probs)


@_enter("Bernoulli Geometric")
def bernoulli(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    given = _parameter(logits if probs is None else probs)
    mask = _floats(given)
    whole = Tensor(given.shape, mask)
    return _made(given.shape, (), drawn=mask, parameters=mask, extra={"probs": whole, "logits": whole})


def _last(given: Tensor) -> Entry:
    """The axis of the categories.

    Raises:
        ShapeError: there is none.
    """
    if not given.shape:
        raise ShapeError("a distribution over categories needs at least one axis")
    return given.shape[-1]


@_enter("Categorical")
def categorical(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    given = _chances(probs, logits)
    mask = _floats(given)
    _last(given)
    batch = (ANY_AXES,) if given.shape == (ANY_AXES,) else given.shape[:-1]
    whole = Tensor(given.shape, mask)
    return _made(batch, (), drawn=INT64, parameters=mask, extra={"probs": whole, "logits": whole})


@_enter("OneHotCategorical OneHotCategoricalStraightThrough")
def one_hot(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    given = _chances(probs, logits)
    mask = _floats(given)
    whole = Tensor(given.shape, mask)
    batch, event = _halves(given, 1)
    return _made(batch, event, drawn=mask, parameters=mask, extra={"probs": whole, "logits": whole})


@_enter("Dirichlet")
def dirichlet(concentration: Any, validate_args: Any = None) -> Layer:
    given, mask = need(concentration), _floats(concentration)
    _last(given)
    return _made(*_halves(given, 1), drawn=mask, parameters=mask, extra={"concentration": given})


@_enter("MultivariateNormal")
def multivariate_normal(
    loc: Any,
    covariance_matrix: Any = None,
    precision_matrix: Any = None,
    scale_tril: Any = None,
    validate_args: Any = None,
) -> Layer:
    given = next(m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None)
    matrix, mean = need(given), need(loc)
    if pack_index(matrix.shape) is not None or pack_index(mean.shape) is not None:
        raise Undecided
    if len(matrix.shape) < 2:
        raise ShapeError(f"{name(matrix, 'the matrix')} has shape {show(matrix.shape)}, wanted two axes")
    event = broadcast(broadcast(mean.shape[-1:], matrix.shape[-1:]), matrix.shape[-2:-1])
    batch = broadcast(mean.shape[:-1], matrix.shape[:-2])
    mask = _floats(mean, matrix)
    return _made(batch, event, drawn=mask, parameters=mask)


@_enter("Independent")
def independent(base_distribution: Any, reinterpreted_batch_ndims: Any, validate_args: Any = None) -> Layer:
    if not isinstance(base_distribution, Layer) or not isinstance(reinterpreted_batch_ndims, int):
        raise Undecided
    inner = base_distribution.attributes
    batch, event = inner["batch_shape"], inner["event_shape"]
    taken = reinterpreted_batch_ndims
    if pack_index(batch) is not None:
        raise Undecided
    if taken > len(batch):
        raise ShapeError(f"the batch shape is {show(batch)}: it has fewer than {taken} axes")
    at = len(batch) - taken
    return _made(batch[:at], (*batch[at:], *event), drawn=inner["mode"].dtype, parameters=inner["mean"].dtype)


def _halves(given: Tensor, count: int) -> tuple[Shape, Shape]:
    if given.shape == (ANY_AXES,):
        raise Undecided
    return given.shape[:-count], given.shape[-count:]


def kl_divergence(p: Any, q: Any) -> Tensor:
    """``torch.distributions.kl_divergence``: one number for each distribution of the batch."""
    if not isinstance(p, Layer) or not isinstance(q, Layer):
        raise Undecided
    batch = broadcast(p.attributes["batch_shape"], q.attributes["batch_shape"])
    return Tensor(batch, p.attributes["mean"].dtype)


__all__ = ["DISTRIBUTIONS", "kl_divergence"]
