"""The shapes of distributions against those of ``torch.distributions``."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from real import shape_covers
from torch import distributions

import typedtorch.shapes.rules  # noqa: F401 - importing it fills the table
from typedtorch.shapes.rule import Layer
from typedtorch.shapes.rules.distributions import DISTRIBUTIONS, kl_divergence
from typedtorch.shapes.tensor import ANY_AXES, ShapeError, Tensor, Undecided

CASES: list[tuple[str, list[tuple[int, ...]]]] = [
    ("Normal", [(4, 1), (3,)]), ("Laplace", [(3,), (3,)]), ("Beta", [(2, 3), (3,)]), ("Gamma", [(2,), (2,)]),
    ("Uniform", [(), (3,)]), ("Exponential", [(2, 3)]), ("Poisson", [(3,)]), ("Bernoulli", [(2, 3)]),
    ("Categorical", [(2, 5)]), ("OneHotCategorical", [(2, 5)]), ("Dirichlet", [(2, 5)]),
    ("StudentT", [(2, 1), (3,), ()]), ("VonMises", [(2,), (2,)]), ("Kumaraswamy", [(3,), (2, 3)]),
    ("FisherSnedecor", [(3,), ()]), ("Weibull", [(2, 3), ()]), ("Pareto", [(3,), (2, 1)]),
    ("HalfCauchy", [(2,)]), ("Chi2", [(2,)]), ("ContinuousBernoulli", [(2, 3)]),
    ("LogisticNormal", [(2, 3), (3,)]),
]  # fmt: skip


def real(name: str, shapes: list[tuple[int, ...]]) -> Any:
    arguments = [0.8 * torch.rand(shape) + 0.1 for shape in shapes]
    if name == "Uniform":
        arguments[1] = arguments[1] + 2
    return getattr(distributions, name)(*arguments, validate_args=False)


def modelled(name: str, shapes: list[tuple[int, ...]]) -> Layer:
    return DISTRIBUTIONS[f"torch.distributions.{name}"](*(Tensor(shape) for shape in shapes))


@pytest.mark.parametrize(("name", "shapes"), CASES, ids=[name for name, _ in CASES])
def test_samples_and_log_probabilities_have_torchs_shapes(name: str, shapes: list[tuple[int, ...]]) -> None:
    theirs, ours = real(name, shapes), modelled(name, shapes)
    drawn = theirs.sample((7,))
    sample = ours.attributes["sample"]((7,))
    assert sample.shape == tuple(drawn.shape)
    assert ours.attributes["log_prob"](sample).shape == tuple(theirs.log_prob(drawn).shape)
    assert ours.attributes["batch_shape"] == tuple(theirs.batch_shape)
    assert ours.attributes["event_shape"] == tuple(theirs.event_shape)
    _same_parts(ours, theirs)


@pytest.mark.parametrize(("name", "shapes"), CASES, ids=[name for name, _ in CASES])
@pytest.mark.parametrize("shown", [0, 1, 2])
def test_axes_that_are_hidden_are_not_taken_for_others(
    name: str, shapes: list[tuple[int, ...]], shown: int
) -> None:
    theirs = real(name, shapes)
    hidden = [Tensor((*shape[:shown], ANY_AXES)) for shape in shapes]
    try:
        ours = DISTRIBUTIONS[f"torch.distributions.{name}"](*hidden)
    except Undecided:
        return
    drawn = theirs.sample((7,))
    assert shape_covers(ours.attributes["sample"]((7,)).shape, tuple(drawn.shape))
    assert shape_covers(ours.attributes["batch_shape"], tuple(theirs.batch_shape))
    assert shape_covers(ours.attributes["event_shape"], tuple(theirs.event_shape))
    with contextlib.suppress(Undecided):
        log_prob = ours.attributes["log_prob"](Tensor(tuple(drawn.shape)))
        assert shape_covers(log_prob.shape, tuple(theirs.log_prob(drawn).shape))


def _same_parts(ours: Layer, theirs: Any) -> None:
    """What torch defines of a distribution has torch's shape, and nothing else is known."""
    for part in ("mean", "variance", "stddev", "mode"):
        if (own := _result(lambda part=part: getattr(theirs, part))) is not None and part in ours.attributes:
            assert ours.attributes[part].shape == own, part
    for call in ("entropy", "enumerate_support"):
        own = _result(lambda call=call: getattr(theirs, call)())
        if own is not None and call in ours.attributes:
            assert ours.attributes[call]().shape == own, call
    wider = _result(lambda: theirs.expand((2, *theirs.batch_shape)).sample())
    expanded = ours.attributes["expand"]((2, *ours.attributes["batch_shape"]))
    assert expanded.attributes["sample"]().shape == wider
    if (own := _result(lambda: distributions.kl_divergence(theirs, theirs))) is not None:
        assert kl_divergence(ours, ours).shape == own


def _result(make: Any) -> tuple[int, ...] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return tuple(make().shape)
        except NotImplementedError:
            return None


def test_independent_moves_axes_from_the_batch_to_the_event() -> None:
    theirs: Any = distributions.Independent(real("Normal", [(4, 3), (3,)]), 1)
    ours = DISTRIBUTIONS["torch.distributions.Independent"](modelled("Normal", [(4, 3), (3,)]), 1)
    assert ours.attributes["log_prob"](Tensor((4, 3))).shape == tuple(
        theirs.log_prob(torch.zeros(4, 3)).shape
    )
    with pytest.raises(ShapeError, match="fewer than 3 axes"):
        DISTRIBUTIONS["torch.distributions.Independent"](modelled("Normal", [(4, 3), (3,)]), 3)


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ShapeError):
        modelled("Normal", [(4, 3), (3,)]).attributes["log_prob"](Tensor((5,)))
    theirs: Any = distributions.Normal(torch.zeros(4, 3), torch.ones(3), validate_args=True)
    with pytest.raises(ValueError, match="not broadcastable"):
        theirs.log_prob(torch.zeros(5))


def test_a_multivariate_normal_has_one_event_axis() -> None:
    ours = DISTRIBUTIONS["torch.distributions.MultivariateNormal"](Tensor((2, 3)), Tensor((3, 3)))
    theirs: Any = distributions.MultivariateNormal(torch.zeros(2, 3), torch.eye(3))
    assert ours.attributes["sample"]().shape == tuple(theirs.sample().shape)
    assert ours.attributes["log_prob"](Tensor((2, 3))).shape == tuple(
        theirs.log_prob(torch.zeros(2, 3)).shape
    )


def _number(*shape: int) -> torch.Tensor:
    square = len(shape) > 1 and shape[-1] == shape[-2]
    return torch.eye(shape[-1]).expand(shape) if square else 0.8 * torch.rand(shape) + 0.1


class _Ours:
    def __getattr__(self, name: str) -> Any:
        return DISTRIBUTIONS[f"torch.distributions.{name}"]


JOINT: list[Callable[..., Any]] = [
    lambda d, t: d.MultivariateNormal(t(4, 3), precision_matrix=t(3, 3)),
    lambda d, t: d.MultivariateNormal(t(3), scale_tril=t(2, 3, 3)),
    lambda d, t: d.LowRankMultivariateNormal(t(4, 3), t(3, 2), t(3)),
    lambda d, t: d.Wishart(5.0, t(3, 3)),
    lambda d, t: d.LKJCholesky(3, t(2)),
    lambda d, t: d.Multinomial(4, t(2, 5)),
    lambda d, t: d.Binomial(4, t(2, 5)),
    lambda d, t: d.NegativeBinomial(t(2, 1), t(5)),
    lambda d, t: d.RelaxedOneHotCategorical(t(), t(2, 5)),
    lambda d, t: d.RelaxedBernoulli(t(), t(2, 5)),
    lambda d, t: d.Independent(d.MultivariateNormal(t(4, 3), t(3, 3)), 1),
    lambda d, t: d.Independent(d.LogisticNormal(t(4, 3), t(3)), 1),
    lambda d, t: d.MixtureSameFamily(d.Categorical(t(4)), d.Normal(t(4), t(4))),
    lambda d, t: d.MixtureSameFamily(d.Categorical(t(2, 4)), d.Independent(d.Normal(t(2, 4, 3), t(3)), 1)),
    lambda d, t: d.TransformedDistribution(
        d.Normal(t(3), t(3)), [d.AffineTransform(t(2, 1), 2.0), d.TanhTransform()]
    ),
    lambda d, t: d.TransformedDistribution(d.Normal(t(2, 3), t(3)), d.StickBreakingTransform()),
    lambda d, t: d.TransformedDistribution(
        d.Normal(t(2, 3), t(3)), d.IndependentTransform(d.ExpTransform(), 1)
    ),
    lambda d, t: d.TransformedDistribution(
        d.Dirichlet(t(2, 3)), [d.ComposeTransform([d.SigmoidTransform(), d.PowerTransform(t())])]
    ),
]


@pytest.mark.parametrize("make", JOINT)
def test_distributions_made_of_others_have_torchs_shapes(make: Callable[..., Any]) -> None:
    torch.manual_seed(0)
    theirs, ours = make(distributions, _number), make(_Ours(), lambda *shape: Tensor(shape))
    drawn = theirs.sample((7,))
    sample = ours.attributes["sample"]((7,))
    assert sample.shape == tuple(drawn.shape)
    assert ours.attributes["batch_shape"] == tuple(theirs.batch_shape)
    assert ours.attributes["event_shape"] == tuple(theirs.event_shape)
    assert ours.attributes["log_prob"](sample).shape == tuple(theirs.log_prob(drawn).shape)
    _same_parts(ours, theirs)


@pytest.mark.parametrize(
    "make", [lambda d: d.StickBreakingTransform(), lambda d: d.AffineTransform(0.0, 2.0, event_dim=1)]
)
def test_a_transform_takes_its_axes_from_the_jacobian(make: Callable[[Any], Any]) -> None:
    theirs, ours = make(distributions), make(_Ours())
    x, shape = torch.rand(4, 3), Tensor((4, 3))
    assert ours.forward(shape).shape == tuple(theirs(x).shape)
    slope = theirs.log_abs_det_jacobian(x, theirs(x))
    assert ours.attributes["log_abs_det_jacobian"](shape, shape).shape == tuple(slope.shape)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda d, t: d.MultivariateNormal(t(3), t(4, 4)), "covariance_matrix has shape"),
        (lambda d, t: d.MultivariateNormal(t(3), t(3, 4)), "wanted a square matrix"),
        (lambda d, t: d.LowRankMultivariateNormal(t(3), t(2, 3), t(3)), "axis -2 is 2"),
        (lambda d, t: d.MixtureSameFamily(d.Categorical(t(5)), d.Normal(t(2, 4), t(4))), "5 components"),
        (lambda d, t: d.MixtureSameFamily(d.Categorical(t(3, 4)), d.Normal(t(2, 4), t(4))), "mixture"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(make: Callable[..., Any], text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        make(_Ours(), lambda *shape: Tensor(shape))
    with pytest.raises((ValueError, RuntimeError)):
        make(distributions, torch.ones)
