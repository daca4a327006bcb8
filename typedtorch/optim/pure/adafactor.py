"""Adafactor."""

from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from typedtorch.optim.pure.base import (
    ParamState,
    Rule,
    Scalar,
    count,
    next_step,
    number,
    of_many,
    on_device,
    shrunk,
)
from typedtorch.optim.pure.checks import check_at_least, check_lr

# a tensor where the step count is one
Number: TypeAlias = float | Float[Tensor, ""]


@dataclass(frozen=True, kw_only=True)
class Adafactor(Rule):
    """Adam's second moment from row and column means only (Shazeer and Stern, arXiv:1804.04235).

    A matrix of n rows and m columns keeps n + m numbers; a vector keeps them all.  As torch has
    it, with ``b = t**beta2_decay`` and ``rho = min(lr, 1/sqrt(t))``::

        row, col = lerp(row, mean(g**2, -1), b), lerp(col, mean(g**2, -2), b)
        u = g / sqrt(max(row * col / mean(row), eps[0]**2))
        p = p * (1 - lr * weight_decay) - max(eps[1], rms(p)) * rho * u / max(1, rms(u) / d)

    ``eps[0] = None`` is the machine epsilon of the first parameter's dtype.

    State per parameter: ``step``, and ``row_var`` and ``col_var``, or ``variance`` for a vector.

    Raises:
        ValueError: a hyperparameter out of range, or a complex parameter.

    >>> rule, params = Adafactor(lr=0.1), [torch.ones(2, 3)]
    >>> params, state = rule.step([torch.ones(2, 3)], rule.init(params), params)
    >>> params[0][0], state[0]["row_var"].shape
    (tensor([0.9000, 0.9000, 0.9000]), torch.Size([2, 1]))
    """

    lr: Scalar = 1e-2
    beta2_decay: float = -0.8
    eps: tuple[float | None, float] = (None, 1e-3)
    d: float = 1.0
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        check_lr("Adafactor", self.lr)
        if not self.beta2_decay <= 0:
            raise ValueError(f"Adafactor: beta2_decay must be at most 0, got {self.beta2_decay}")
        first, second = self.eps
        check_at_least("Adafactor", weight_decay=self.weight_decay, d=(self.d, 1.0))
        check_at_least("Adafactor", eps=0.0 if first is None else min(first, second))

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        if param.is_complex():
            raise ValueError("Adafactor: complex parameters are not supported")
        if param.ndim < 2:
            return {"step": count(param), "variance": torch.zeros_like(param)}
        rows, columns = list(param.shape), list(param.shape)
        rows[-1] = columns[-2] = 1
        return {"step": count(param), "row_var": param.new_zeros(rows), "col_var": param.new_zeros(columns)}

    def update(
        self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        return Rule.update(self._resolved(params), grads, states, params)

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        rule = self._resolved(params)
        for grad, state, param in zip(grads, states, params, strict=True):
            rule._one_in_place(grad, state, param)

    def _one_in_place(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> None:
        new_param, new_state = self.update_one(-grad if self.maximize else grad, state, param)
        param.copy_(new_param)
        for name, value in new_state.items():
            state[name].copy_(value)

    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        step = next_step(state)
        if not param.numel():
            return param.clone(), {**state, "step": step}
        # on a GPU, for a compiler and for many at once, all these numbers stay tensors
        taken = step if on_device(step) or of_many(param) else step.item()
        lr = cast(float, self.lr)
        scale = _most(self.eps[1], _rms(param, taken)) * _least(1 / taken**0.5, lr)
        decayed = shrunk(param, lr, self.weight_decay) if self.weight_decay else param
        variance, new = self._variance(grad, state, taken**self.beta2_decay)
        update: Shaped[Tensor, "*shape"] = (
            variance.clamp_(min=cast(float, self.eps[0]) ** 2).rsqrt_().mul_(grad)
        )
        size = scale / _most(1.0, _rms(update, taken, self.d))
        new["step"] = step
        if isinstance(size, Tensor):
            return decayed - update.mul_(size), new
        return decayed.add(update, alpha=-size), new

    def _variance(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, weight: Number
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        if grad.ndim < 2:
            old: Shaped[Tensor, "*shape"] = state["variance"]
            variance = _lerp(old, grad * grad, weight)
            return variance.clone(), {"variance": variance}
        return self._factored(grad, state, weight)

    def _factored(
        self, grad: Shaped[Tensor, "*batch rows columns"], state: ParamState, weight: Number
    ) -> tuple[Shaped[Tensor, "*batch rows columns"], ParamState]:
        old_row: Shaped[Tensor, "*batch rows 1"] = state["row_var"]
        old_col: Shaped[Tensor, "*batch 1 columns"] = state["col_var"]
        row = _lerp(old_row, _mean_square(grad, -1), weight)
        col = _lerp(old_col, _mean_square(grad, -2), weight)
        mean = row.mean(dim=-2, keepdim=True).clamp(min=cast(float, self.eps[0]))
        return (row @ col).div_(mean), {"row_var": row, "col_var": col}

    def _resolved(self, params: list[Tensor]) -> "Adafactor":
        if self.eps[0] is not None:
            return self
        return replace(self, eps=(torch.finfo(params[0].dtype).eps, self.eps[1]))


def _mean_square(grad: Shaped[Tensor, "*shape"], dim: int) -> Shaped[Tensor, "*means"]:
    """The mean of squares along an axis, without a square of the whole."""
    norm: Shaped[Tensor, "*means"] = torch.norm(grad, dim=dim, keepdim=True)
    return norm.square() / grad.size(dim)


def _rms(x: Shaped[Tensor, "*shape"], taken: Number, d: float = 1.0) -> Number:
    """The root mean square divided by d, a tensor where the step count is one."""
    norm: Float[Tensor, ""] = x.norm(2)
    root: float = x.numel() ** 0.5
    return (norm if isinstance(taken, Tensor) else number(norm)) / (root * d)


def _lerp(
    old: Shaped[Tensor, "*shape"], new: Shaped[Tensor, "*shape"], weight: Number
) -> Shaped[Tensor, "*shape"]:
    return torch.lerp(old, new, weight.to(old.dtype) if isinstance(weight, Tensor) else weight)


def _most(low: float, x: Number) -> Number:
    # in this order, as in torch: where x is not a number, low stays
    return x.clamp(min=low) if isinstance(x, Tensor) else max(low, x)


def _least(x: Number, high: float | Shaped[Tensor, "*one"]) -> Number:
    if isinstance(x, Tensor):
        limit: Float[Tensor, ""] = torch.as_tensor(high, dtype=x.dtype, device=x.device).reshape(())
        return x.minimum(limit)
    return min(cast(float, high), x)
