"""RMSprop."""

from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch.optim.rmsprop import rmsprop as torch_rmsprop

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
)
from typedtorch.optim.pure.checks import check_at_least, check_lr


@dataclass(frozen=True, kw_only=True)
class RMSprop(Rule):
    """Steps divided by a running root mean square of the gradient (Hinton, lecture 6e, 2012).

    With ``g = grad + weight_decay * p``, and ``a**2`` only where ``centered`` (Graves, arXiv:1308.0850)::

        v = alpha * v + (1 - alpha) * g**2        a = lerp(a, g, 1 - alpha)
        direction = g / (sqrt(v - a**2) + eps)    (eps stands outside the root)
        p = p - lr * buffer,  buffer = momentum * buffer + direction

    State per parameter: ``step``, ``square_avg``, and ``momentum_buffer`` and ``grad_avg`` where used.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> rule, params = RMSprop(lr=0.1, alpha=0.75), [torch.tensor([1.0])]
    >>> rule.step([torch.tensor([4.0])], rule.init(params), params)[0]
    [tensor([0.8000])]
    """

    lr: Scalar = 1e-2
    alpha: float = 0.99
    eps: float = 1e-8
    weight_decay: float = 0.0
    momentum: float = 0.0
    centered: bool = False

    def __post_init__(self) -> None:
        check_lr("RMSprop", self.lr)
        check_at_least(
            "RMSprop",
            alpha=self.alpha,
            eps=self.eps,
            weight_decay=self.weight_decay,
            momentum=self.momentum,
        )

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        names = ["square_avg"] + ["momentum_buffer"] * (self.momentum > 0) + ["grad_avg"] * self.centered
        return {"step": count(param)} | {name: torch.zeros_like(param) for name in names}

    def slope(
        self, grad: Shaped[Tensor, "*shape"], param: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        return decayed(super().slope(grad, param), param, self.weight_decay)

    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        new: ParamState = {"step": next_step(state)}
        old_square: Shaped[Tensor, "*shape"] = state["square_avg"]
        square = new["square_avg"] = (old_square * self.alpha).addcmul_(grad, grad, value=1 - self.alpha)
        if self.centered:
            old_mean: Shaped[Tensor, "*shape"] = state["grad_avg"]
            mean = new["grad_avg"] = torch.lerp(old_mean, grad, 1 - self.alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_().add_(self.eps)
        else:
            root = square.sqrt().add_(self.eps)
        if not self.momentum:
            return self._move(param, grad, root), new
        old_buffer: Shaped[Tensor, "*shape"] = state["momentum_buffer"]
        buffer = new["momentum_buffer"] = (old_buffer * self.momentum).addcdiv_(grad, root)
        return self._move(param, buffer, None), new

    def _move(
        self,
        param: Shaped[Tensor, "*shape"],
        direction: Shaped[Tensor, "*shape"],
        root: Shaped[Tensor, "*shape"] | None,
    ) -> Shaped[Tensor, "*shape"]:
        lr = self.rate
        if isinstance(lr, Tensor) and (torch.compiler.is_compiling() or lr.device.type != "cpu"):
            move: Shaped[Tensor, "*shape"] = lr * (direction if root is None else direction / root)
            return param - move
        lr = cast(float, self.lr)
        if root is None:
            return param.add(direction, alpha=-lr)
        return param.addcdiv(direction, root, value=-lr)

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        steps = co_locate(states, params)
        torch_rmsprop(
            params,
            grads,
            column(states, "square_avg"),
            column(states, "grad_avg") if self.centered else [],
            column(states, "momentum_buffer") if self.momentum else [],
            steps,
            foreach=True,
            maximize=self.maximize,
            capturable=on_device(steps[0]),
            has_complex=any_complex(params),
            lr=cast(float, self.lr),
            alpha=self.alpha,
            eps=self.eps,
            weight_decay=self.weight_decay,
            momentum=self.momentum,
            centered=self.centered,
        )
