"""torch.nn.init and torch.nn.utils: what works on parameters and gives them back."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import COMPLEX, FLOAT32, FLOATING
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import need, under
from typedtorch.shapes.rules.promotion import result_type, want
from typedtorch.shapes.rules.views import flatten
from typedtorch.shapes.size import Size
from typedtorch.shapes.tensor import Scalar, ShapeError, Tensor, Undecided, entry_size, show

_INIT = "torch.nn.init"


@rule(*under(_INIT, "uniform_ normal_ trunc_normal_ uniform normal"), sample="F:*")
def fill(tensor: Any, *settings: Any, **more: Any) -> Tensor:
    return _floating(tensor)


def _floating(tensor: Any) -> Tensor:
    want(need(tensor), FLOATING | COMPLEX, "tensor", "a floating dtype")
    return need(tensor)


@rule(*under(_INIT, "zeros_ ones_"), sample="n:*")
def zeros_(tensor: Any) -> Tensor:
    return need(tensor)


@rule(*under(_INIT, "constant_ constant"), sample="F:*, 0.5")
def constant_(tensor: Any, val: Any) -> Tensor:
    return need(tensor)


def _at_least_two(tensor: Any) -> Tensor:
    """Fans are of a matrix or a kernel."""
    given = need(tensor)
    if given.rank is not None and len(given.shape) < 2:
        raise ShapeError(
            f"{name(tensor, 'tensor')} has shape {show(given.shape)}: a fan needs at least two axes"
        )
    return _floating(given)


@rule(
    *under(
        _INIT,
        "xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ xavier_uniform "
        "xavier_normal kaiming_uniform kaiming_normal orthogonal",
    ),
    sample="F:a b ...",
)
def fan(tensor: Any, *settings: Any, **more: Any) -> Tensor:
    return _at_least_two(tensor)


@rule(*under(_INIT, "eye_ eye"), sample="F:a b")
def eye_(tensor: Any) -> Tensor:
    if need(tensor).rank not in (None, 2):
        raise ShapeError(f"{name(tensor, 'tensor')} has shape {show(tensor.shape)}, wanted a matrix")
    return need(tensor)


@rule(*under(_INIT, "sparse_ sparse"), sample="F:a b, 0.1")
def sparse_(tensor: Any, sparsity: Any, std: Any = 0.01, generator: Any = None) -> Tensor:
    return eye_(tensor)


@rule(*under(_INIT, "dirac_ dirac"), sample="F:a b c | F:a b c d")
def dirac_(tensor: Any, groups: Any = 1) -> Tensor:
    if need(tensor).rank not in (None, 3, 4, 5):
        raise ShapeError(f"{name(tensor, 'tensor')} has shape {show(tensor.shape)}, wanted 3 to 5 axes")
    return need(tensor)


@rule("torch.nn.init.calculate_gain", sample="'relu' | 'tanh'")
def calculate_gain(nonlinearity: Any, param: Any = None) -> Scalar:
    return Scalar("float")


@rule("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.get_total_norm", sample="skip")
def clip_grad_norm_(parameters: Any, *settings: Any, **more: Any) -> Tensor:
    """The norm before clipping, one number."""
    return Tensor((), FLOAT32)


@rule(
    "torch.nn.utils.clip_grad_value_",
    "torch.nn.utils.vector_to_parameters",
    "torch.nn.utils.clip_grads_with_norm_",
    sample="skip",
)
def clip_grad_value_(*args: Any, **settings: Any) -> None:
    return None


@rule("torch.nn.utils.parameters_to_vector", sample="[F:a b, F:c] | [F:a]*")
def parameters_to_vector(parameters: Any) -> Tensor:
    if not isinstance(parameters, (list, tuple)) or not parameters:
        raise Undecided
    total: Size = 0
    for parameter in parameters:
        total = total + entry_size(flatten(need(parameter)).shape[0])

    return Tensor((total,), result_type(*parameters))
