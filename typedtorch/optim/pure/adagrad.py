"""Adagrad."""

from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch.optim.adagrad import adagrad as torch_adagrad

from typedtorch.optim.pure.base import (
    ParamState,
    Rule,
    Scalar,
    any_complex,
    co_locate,
    column,
    count,
    decayed,
    next_step,
    on_device,
    ready_to_fuse,
)
from typedtorch.optim.pure.checks import check_at_least, check_lr


@dataclass(frozen=True, kw_only=True)
class Adagrad(Rule):
    """Steps divided by the root of all squared gradients so far (Duchi et al., JMLR 12, 2011).

    With ``g = grad + weight_decay * p``::

        s = s + g**2        p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)

    State per parameter: ``step`` and ``sum``, which starts at ``initial_accumulator_value``.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> rule, params = Adagrad(lr=0.5), [torch.tensor([1.0, 1.0])]
    >>> rule.step([torch.tensor([3.0, 0.0])], rule.init(params), params)[0]
    [tensor([0.5000, 1.0000])]
    """

    lr: Scalar = 1e-2
    lr_decay: float = 0.0
    weight_decay: float = 0.0
    initial_accumulator_value: float = 0.0
    eps: float = 1e-10

    def __post_init__(self) -> None:
        check_lr("Adagrad", self.lr)
        check_at_least(
            "Adagrad",
            lr_decay=self.lr_decay,
            weight_decay=self.weight_decay,
            initial_accumulator_value=self.initial_accumulator_value,
            eps=self.eps,
        )

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        first = self.initial_accumulator_value
        start = complex(first, first) if param.is_complex() else first
        return {"step": count(param), "sum": torch.full_like(param, start)}

    def slope(
        self, grad: Shaped[Tensor, "*shape"], param: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        return decayed(super().slope(grad, param), param, self.weight_decay)

    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        step = next_step(state)
        old: Shaped[Tensor, "*shape"] = state["sum"]
        total = torch.addcmul(old, grad, grad)
        root = total.sqrt().add_(self.eps)
        new: ParamState = {"step": step, "sum": total}
        if on_device(step):
            move: Shaped[Tensor, "*shape"] = (self.rate / (1 + (step - 1) * self.lr_decay)) * (grad / root)
            return param - move, new
        size = cast(float, self.lr) / (1 + (step.item() - 1) * self.lr_decay)
        return param.addcdiv(grad, root, value=-size), new

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        sums = column(states, "sum")
        ready = ready_to_fuse("_fused_adagrad_", params, grads, sums)
        fused = ready is not None
        if not fused and not torch.compiler.is_compiling():
            for state in states:  # torch's other kernels read the counter, which on a GPU would stop it
                state["step"] = state["step"].cpu()
        torch_adagrad(
            params,
            grads if ready is None else ready,
            sums,
            co_locate(states, params) if fused else column(states, "step"),
            fused=fused,
            foreach=not fused,
            has_complex=any_complex(params),
            lr=cast(float, self.lr),
            weight_decay=self.weight_decay,
            lr_decay=self.lr_decay,
            eps=self.eps,
            maximize=self.maximize,
        )
