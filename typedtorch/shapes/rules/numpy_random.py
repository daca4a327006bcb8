"""What numpy draws at random: the module's own functions, a ``Generator`` and a ``RandomState``."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import FLOAT64, INT64
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Function, Layer, layer, name, rule
from typedtorch.shapes.rules import creation
from typedtorch.shapes.rules.forms import broadcast_operands, is_size
from typedtorch.shapes.rules.numpy_creation import arange, array, zeros_like
from typedtorch.shapes.rules.numpy_dtypes import as_array, to_numpy
from typedtorch.shapes.rules.promotion import dtype_of
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import UNKNOWN, Scalar, Shape, ShapeError, Tensor, Undecided, show


def _drawn(size: Any, dtype: int, event: Shape = ()) -> Tensor:
    """As many draws as asked for, each of the shape of an event; one number alone is not followed."""
    if size is None and not event:
        raise Undecided
    sizes = () if size is None else (size,) if is_size(size) else tuple(size)
    return to_numpy(creation.from_sizes((*sizes, *event), dtype))


def _one(dtype: int) -> Scalar:
    """One draw alone, which is a float of Python's.

    Raises:
        Undecided: it is an integer, or of another width.
    """
    if dtype != FLOAT64:
        raise Undecided
    return Scalar("float")


@rule("numpy.random.rand", "numpy.random.randn", sample="size:a, size:b | size:a")
def rand(*size: Any) -> Any:
    return _drawn(size, FLOAT64) if size else _one(FLOAT64)


@rule(
    "numpy.random.random",
    "numpy.random.standard_normal",
    "numpy.random.random_sample",
    "numpy.random.standard_exponential",
    sample="(size:a, size:b) | size:a",
)
def random(size: Any = None, dtype: Any = None) -> Any:
    mask = dtype_of(dtype, FLOAT64)
    return _one(mask) if size is None else _drawn(size, mask)


@rule("numpy.random.randint", sample="0, 5, (size:a, 2) | 0, 5, size:a")
def integers(
    low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: Any = False
) -> Tensor:
    return _draw_each(size, dtype_of(dtype, INT64), low, high)


@rule("numpy.random.permutation", sample="size:n | @f:a b | [[1, 2], [3, 4]]")
def permutation(x: Any, axis: Any = 0) -> Tensor:
    if isinstance(x, Tensor) and x.rank == 0:
        return to_numpy(Tensor((unknown(),), INT64))  # a number that numpy counted
    return arange(x) if is_size(x) else zeros_like(_array(x))


@rule("numpy.random.choice", sample="9, size:n | @f:3, (size:a, 2) | 9, (size:a, size:b), True")
def choice(
    a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True
) -> Tensor:
    if is_size(a):
        return _drawn(size, INT64)
    given = _array(a)
    if axis != 0 or given.rank is None:
        raise Undecided
    return _drawn(size, given.dtype, given.shape[1:])


@rule("numpy.random.multivariate_normal", sample="@f:3, @f:3 3, size:n | @f:3, @f:3 3")
def multivariate_normal(mean: Any, cov: Any, size: Any = None, **settings: Any) -> Tensor:
    centre, spread = _array(mean), _array(cov)
    ranks = centre.rank in (None, 1) and spread.rank in (None, 2)
    if not ranks or any(same(n, side) is False for n in centre.sizes() for side in spread.sizes()):
        raise ShapeError(
            f"{name(mean, 'mean')} has shape {show(centre.shape)} and {name(cov, 'cov')} "
            f"{show(spread.shape)}, wanted (n,) and (n, n)"
        )
    return _drawn(size, FLOAT64, centre.sizes())


@rule("numpy.random.dirichlet", sample="(1.0, 2.0, 3.0), size:n | @f:3, (size:a, size:b)")
def dirichlet(alpha: Any, size: Any = None) -> Tensor:
    weights = _array(alpha)
    if weights.rank not in (None, 1):
        raise ShapeError(f"{name(alpha, 'alpha')} has shape {show(weights.shape)}, wanted one axis")
    return _drawn(size, FLOAT64, weights.sizes())


def _array(given: Any) -> Tensor:
    return array(given) if isinstance(given, (list, tuple)) else as_array(given)


def _draw_each(size: Any, dtype: int, *parameters: Any) -> Any:
    """One draw for each place that the parameters broadcast to, or as many as asked for."""
    if size is not None:
        return _drawn(size, dtype)
    if not any(isinstance(p, Tensor) for p in parameters):
        if any(p is UNKNOWN or isinstance(p, (list, tuple)) for p in parameters):
            raise Undecided
        return _one(dtype)
    return Tensor(broadcast_operands(*((p, "parameter") for p in parameters)), dtype, library="numpy")


def _of_two(dtype: int) -> Function:
    def draw(first: Any = 0.0, second: Any = 1.0, size: Any = None, **named: Any) -> Any:
        return _draw_each(size, dtype, first, second, *named.values())

    return draw


def _of_one(dtype: int) -> Function:
    def draw(parameter: Any = 1.0, size: Any = None, **named: Any) -> Any:
        return _draw_each(size, dtype, parameter, *named.values())

    return draw


_FAMILIES = {
    **dict.fromkeys(("normal", "uniform", "laplace", "lognormal", "gumbel", "logistic"), _of_two(FLOAT64)),
    **dict.fromkeys(("beta", "gamma"), _of_two(FLOAT64)),
    "binomial": _of_two(INT64),
    **dict.fromkeys(("exponential", "chisquare", "rayleigh", "standard_t", "pareto"), _of_one(FLOAT64)),
    **dict.fromkeys(("poisson", "geometric"), _of_one(INT64)),
}
_SAMPLES = {
    "binomial": "5, 0.5, (size:a, 2) | 5, 0.5, size:a",
    "geometric": "0.5, (size:a, 2) | 0.5, size=size:a",
}
for _name, _function in _FAMILIES.items():
    _two = _function in (_FAMILIES["normal"], _FAMILIES["beta"])
    _sample = "0.5, 1.0, (size:a, 2) | 0.5, 1.0, size:a" if _two else "2.0, (size:a, 2) | 2.0, size=size:a"
    rule(f"numpy.random.{_name}", sample=_SAMPLES.get(_name, _sample))(_function)

_BOTH: dict[str, Function] = {
    **_FAMILIES,
    "random": random,
    "standard_normal": random,
    "standard_exponential": random,
    "permutation": permutation,
    "choice": choice,
    "multivariate_normal": multivariate_normal,
    "dirichlet": dirichlet,
}


@layer("numpy.random.default_rng", "numpy.random.Generator", sample="skip")
def generator(*seed: Any, **settings: Any) -> Layer:
    """A ``Generator``, whose methods are functions."""
    return Layer(_not_called, {**_BOTH, "integers": integers, "permuted": zeros_like})


@layer("numpy.random.RandomState", sample="skip")
def random_state(*seed: Any, **settings: Any) -> Layer:
    """The older ``RandomState``."""
    return Layer(
        _not_called, {**_BOTH, "rand": rand, "randn": rand, "random_sample": random, "randint": integers}
    )


def _not_called(*args: Any) -> Any:
    raise Undecided
