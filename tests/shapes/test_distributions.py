"""The shapes of distributions against those of ``torch.distributions``."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import distributions

from typedtorch.shapes.rule import Layer
from typedtorch.shapes.rules.distributions import DISTRIBUTIONS, kl_divergence
from typedtorch.shapes.tensor import ShapeError, Tensor

CASES: list[tuple[str, list[tuple[int, ...]]]] = [
    ("Normal", [(4, 1), (3,)]), ("Laplace", [(3,), (3,)]), ("Beta", [(2, 3), (3,)]), ("Gamma", [(2,), (2,)]),
    ("Uniform", [(), (3,)]), ("Exponential", [(2, 3)]), ("Poisson", [(3,)]), ("Bernoulli", [(2, 3)]),
    ("Categorical", [(2, 5)]), ("OneHotCategorical", [(2, 5)]), ("Dirichlet", [(2, 5)]),
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
    if name != "Poisson":
        assert ours.attributes["entropy"]().shape == tuple(theirs.entropy().shape)
        assert kl_divergence(ours, ours).shape == tuple(distributions.kl_divergence(theirs, theirs).shape)


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
