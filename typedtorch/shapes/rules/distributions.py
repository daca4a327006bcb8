"""Distributions of ``torch.distributions``: the shapes of samples and log probabilities.

A distribution has a batch shape, to which its parameters broadcast, and an event shape, the axes of
one draw.  ``sample(n)`` has the shape ``(n, *batch, *event)``, ``log_prob(x)`` that of ``x`` without
the event, broadcast with the batch.  Those made of others, or of matrices, are in ``joint_distributions``.
"""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from typedtorch.shapes.dtypes import FLOAT, FLOAT32, INT64
from typedtorch.shapes.rule import Layer, name
from typedtorch.shapes.rules.axis_patterns import lead, tail
from typedtorch.shapes.rules.forms import broadcast_operands, need
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.size import Poly, Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
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


@dataclass(frozen=True)
class Distribution(Layer):
    """A distribution as an object: methods are functions, the rest are values.

    ``drawn`` is the dtype of a draw, ``parameters`` that of a log probability.
    """

    batch: Shape = ()
    event: Shape = ()
    drawn: int = FLOAT32
    parameters: int = FLOAT32


def enter(names: str) -> Callable[[Rule], Rule]:
    """The distributions, or transforms of them, that a function makes."""

    def add(function: Rule) -> Rule:
        for word in names.split():
            DISTRIBUTIONS[f"torch.distributions.{word}"] = function
        return function

    return add


def made(
    batch: Shape,
    event: Shape,
    *,
    drawn: int,
    parameters: int,
    extra: Mapping[str, Any] | None = None,
    without: tuple[str, ...] = (),
) -> Distribution:
    """A distribution of a batch shape and an event shape.

    Args:
        extra: attributes of its own.
        without: methods and attributes that torch does not define for it.
    """

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

    def expand(batch_shape: Any) -> Layer:
        wider = shape_from(tuple(batch_shape))
        if -1 in wider:
            raise Undecided
        return made(wider, event, drawn=drawn, parameters=parameters, without=without)

    whole = Tensor((*batch, *event), parameters)
    attributes = {
        "sample": sample, "rsample": sample, "log_prob": log_prob, "cdf": log_prob, "icdf": log_prob,
        "entropy": entropy, "expand": expand, "mean": whole, "stddev": whole, "variance": whole,
        "mode": Tensor((*batch, *event), drawn), "batch_shape": batch, "event_shape": event, **(extra or {}),
    }  # fmt: skip
    known = {key: value for key, value in attributes.items() if key not in without}
    return Distribution(sample, known, batch, event, drawn, parameters)


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


def floats(*parameters: Any) -> int:
    """The dtype of the parameters, as far as they are tensors."""
    found = 0
    for parameter in parameters:
        found |= mask_of(parameter) & FLOAT if isinstance(parameter, Tensor) else 0
    return found or FLOAT32


_NUMBER = (int, float, Poly, Scalar)


def parameter(value: Any) -> Tensor:
    """A parameter as a tensor; a number is one without axes."""
    return Tensor((), FLOAT32) if isinstance(value, _NUMBER) else need(value)


def _pointwise(**parameters: Any) -> Layer:
    """Parameters that broadcast; one draw is a number."""
    given = parameters.values()
    if not any(isinstance(value, Tensor) for value in given):
        if all(isinstance(value, _NUMBER) for value in given):
            return made((), (), drawn=FLOAT32, parameters=FLOAT32)
        raise Undecided
    if not all(isinstance(value, (Tensor, *_NUMBER)) for value in given):
        raise Undecided
    batch = broadcast_operands(*((value, key) for key, value in parameters.items()))
    mask = floats(*given)
    whole = Tensor(batch, mask)
    return made(batch, (), drawn=mask, parameters=mask, extra=dict.fromkeys(parameters, whole))


@enter("Normal LogNormal Laplace Cauchy Gumbel")
def normal(loc: Any, scale: Any, validate_args: Any = None) -> Layer:
    return _pointwise(loc=loc, scale=scale)


@enter("StudentT")
def student(df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: Any = None) -> Layer:
    return _pointwise(df=df, loc=loc, scale=scale)


@enter("VonMises")
def von_mises(loc: Any, concentration: Any, validate_args: Any = None) -> Layer:
    return _pointwise(loc=loc, concentration=concentration)


@enter("Beta Kumaraswamy")
def beta(concentration1: Any, concentration0: Any, validate_args: Any = None) -> Layer:
    return _pointwise(concentration1=concentration1, concentration0=concentration0)


@enter("Gamma InverseGamma")
def gamma(concentration: Any, rate: Any, validate_args: Any = None) -> Layer:
    return _pointwise(concentration=concentration, rate=rate)


@enter("FisherSnedecor")
def fisher(df1: Any, df2: Any, validate_args: Any = None) -> Layer:
    return _pointwise(df1=df1, df2=df2)


@enter("Weibull")
def weibull(scale: Any, concentration: Any, validate_args: Any = None) -> Layer:
    return _pointwise(scale=scale, concentration=concentration)


@enter("Pareto")
def pareto(scale: Any, alpha: Any, validate_args: Any = None) -> Layer:
    return _pointwise(scale=scale, alpha=alpha)


@enter("Uniform")
def uniform(low: Any, high: Any, validate_args: Any = None) -> Layer:
    return _pointwise(low=low, high=high)


@enter("Exponential Poisson")
def exponential(rate: Any, validate_args: Any = None) -> Layer:
    return _pointwise(rate=rate)


@enter("HalfNormal HalfCauchy")
def half_normal(scale: Any, validate_args: Any = None) -> Layer:
    return _pointwise(scale=scale)


@enter("Chi2")
def chi2(df: Any, validate_args: Any = None) -> Layer:
    return _pointwise(df=df)


def _chances(probs: Any, logits: Any) -> Tensor:
    return need(logits if probs is None else probs)


def _events(whole: Tensor) -> Layer:
    """Of each element of probabilities or logits, one draw."""
    mask = floats(whole)
    whole = Tensor(whole.shape, mask)

    def enumerate_support(expand: Any = True) -> Tensor:
        if expand is not True:
            raise Undecided
        return Tensor((2, *whole.shape), mask)

    extra = {"probs": whole, "logits": whole, "enumerate_support": enumerate_support}
    return made(whole.shape, (), drawn=mask, parameters=mask, extra=extra)


@enter("Bernoulli Geometric")
def bernoulli(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    return _events(parameter(logits if probs is None else probs))


@enter("ContinuousBernoulli")
def continuous_bernoulli(
    probs: Any = None, logits: Any = None, lims: Any = (0.499, 0.501), validate_args: Any = None
) -> Layer:
    return bernoulli(probs, logits)


@enter("RelaxedBernoulli LogitRelaxedBernoulli")
def relaxed_bernoulli(
    temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
) -> Layer:
    _of_one_temperature(temperature)
    return bernoulli(probs, logits)


@enter("Binomial")
def binomial(total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    return _counted(total_count, probs, logits)


@enter("NegativeBinomial")
def negative_binomial(
    total_count: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
) -> Layer:
    return _counted(total_count, probs, logits)


def _counted(total_count: Any, probs: Any, logits: Any) -> Layer:
    chances = "logits" if probs is None else "probs"
    return _pointwise(**{chances: logits if probs is None else probs, "total_count": total_count})


def _of_one_temperature(temperature: Any) -> None:
    """A relaxation draws with the temperature, which the batch shape does not know.

    Raises:
        Undecided: the temperature may have axes.
    """
    if parameter(temperature).shape != ():
        raise Undecided


def _last(given: Tensor) -> Size:
    """The axis of the categories, unknown where a run of axes hides it.

    Raises:
        ShapeError: there is none.
    """
    if not given.shape:
        raise ShapeError("a distribution over categories needs at least one axis")
    hidden = tail(given.shape, 1)[0]
    return unknown() if hidden is None else hidden


@enter("Categorical")
def categorical(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    given = _chances(probs, logits)
    mask = floats(given)
    last = _last(given)
    batch = lead(given.shape, 1)
    whole = Tensor(given.shape, mask)

    def enumerate_support(expand: Any = True) -> Tensor:
        if expand is not True or pack_index(given.shape) is not None:
            raise Undecided
        return Tensor((last, *batch), INT64)

    extra = {"probs": whole, "logits": whole, "enumerate_support": enumerate_support}
    return made(batch, (), drawn=INT64, parameters=mask, extra=extra)


@enter("OneHotCategorical OneHotCategoricalStraightThrough")
def one_hot(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Layer:
    given = _chances(probs, logits)
    mask = floats(given)
    _last(given)
    whole = Tensor(given.shape, mask)
    batch, event = halves(given, 1)
    return made(batch, event, drawn=mask, parameters=mask, extra={"probs": whole, "logits": whole})


@enter("Multinomial")
def multinomial(
    total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: Any = None
) -> Layer:
    return one_hot(probs, logits)


@enter("RelaxedOneHotCategorical")
def relaxed_one_hot(
    temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
) -> Layer:
    _of_one_temperature(temperature)
    return one_hot(probs, logits)


@enter("Dirichlet")
def dirichlet(concentration: Any, validate_args: Any = None) -> Layer:
    given, mask = need(concentration), floats(concentration)
    _last(given)
    return made(*halves(given, 1), drawn=mask, parameters=mask, extra={"concentration": given})


def halves(given: Tensor, count: int) -> tuple[Shape, Shape]:
    """The axes of a parameter that are the batch's, and the last ones, which are the event's.

    Raises:
        Undecided: a run of axes hides the last ones.
    """
    if pack_index(given.shape[-count:]) is not None:
        raise Undecided
    return given.shape[:-count], given.shape[-count:]


def kl_divergence(p: Any, q: Any) -> Tensor:
    """``torch.distributions.kl_divergence``: one number for each distribution of the batch."""
    if not isinstance(p, Distribution) or not isinstance(q, Distribution):
        raise Undecided
    return Tensor(broadcast(p.batch, q.batch), p.parameters)


__all__ = [
    "DISTRIBUTIONS",
    "Distribution",
    "Rule",
    "enter",
    "floats",
    "halves",
    "kl_divergence",
    "made",
    "parameter",
]
