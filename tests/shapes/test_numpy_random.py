"""Methods of numpy's generators draw arrays of the shapes and dtypes that they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.dtypes import BIT, FLOAT32
from typedtorch.shapes.rule import LAYERS, call
from typedtorch.shapes.tensor import UNKNOWN, Dtype, Scalar, Tensor

CALLS = {
    "numpy.random.default_rng": """
        random((3,2)) random(4) standard_normal((3,2)) standard_exponential(3) integers(5,size=3)
        integers(0,5,(3,2)) integers(5,size=3,endpoint=True) normal(0.0,1.0,(3,2)) normal(size=3)
        normal(loc=1.0,scale=2.0,size=(2,)) normal(x) normal(x,1.0) normal(x,2.0,(4,3,2)) uniform(-1.0,1.0,3)
        uniform(low=-1.0,high=1.0,size=(3,1)) exponential(2.0,3) exponential(scale=2.0,size=3) poisson(2.0,3)
        binomial(5,0.5,3) beta(1.0,2.0,3) gamma(1.0,size=3) choice(9,3) choice(9,(3,2),replace=False)
        choice(x,5) choice(x,(2,2)) choice(x) choice((1.0,2.0),4) permutation(5) permutation(x) permuted(x)
        dirichlet((1.0,2.0),3) dirichlet((1.0,2.0)) multivariate_normal((0.0,0.0),square)
        multivariate_normal((0.0,0.0),square,5)
    """,
    "numpy.random.RandomState": """
        rand(3,2) randn(3,2) randn(4) random_sample((3,2)) randint(0,5,(3,2)) randint(5,size=3)
        normal(0.0,1.0,(3,2)) choice(9,3) permutation(5)
    """,
}
EVERY = [(kind, written) for kind, text in CALLS.items() for written in text.split()]


@pytest.mark.parametrize(("kind", "written"), EVERY, ids=[w for _, w in EVERY])
def test_a_method_draws_what_numpy_draws(kind: str, written: str) -> None:
    real = {"x": np.ones((3, 2)), "square": np.eye(2)}
    ours = {"x": Tensor((3, 2), BIT["float64"], library="numpy"), "square": _square()}
    drawn = eval(f"rng.{written}", {"rng": getattr(np.random, kind.rpartition(".")[2])(0), **real})
    answer = _answer(kind, written, ours)
    assert answer.shape == drawn.shape
    assert answer.dtype == BIT[str(drawn.dtype)]
    assert answer.library == "numpy"


@pytest.mark.parametrize("written", ["integers(5)", "choice(9)", "choice((1.0,))"])
def test_one_number_is_not_an_array(written: str) -> None:
    assert _answer("numpy.random.default_rng", written, {}) is UNKNOWN


@pytest.mark.parametrize("written", ["random()", "normal(0.0, 1.0)", "beta(1.0, 2.0)", "standard_normal()"])
def test_one_float_is_pythons(written: str) -> None:
    assert _answer("numpy.random.default_rng", written, {}) == Scalar("float")
    assert type(eval(f"rng.{written}", {"rng": np.random.default_rng(0)})) is float


def test_dtypes_that_are_asked_for() -> None:
    assert (
        _answer("numpy.random.default_rng", "random(3, dtype=f32)", {"f32": Dtype(FLOAT32)}).dtype == FLOAT32
    )


def _square() -> Tensor:
    return Tensor((2, 2), BIT["float64"], library="numpy")


class _Methods:
    def __init__(self, kind: str) -> None:
        self.methods = call(LAYERS[kind].function, (), {}).attributes

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: call(self.methods[name], args, kwargs)


def _answer(kind: str, written: str, space: dict[str, Any]) -> Any:
    return eval(f"rng.{written}", {"rng": _Methods(kind), **space})
