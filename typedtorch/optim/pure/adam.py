"""Adam and AdamW."""

from dataclasses import dataclass, field
from functools import partial
from typing import cast

import torch
from jaxtyping import Float, Shaped
from torch import Tensor
from torch.optim.adam import adam as torch_adam

from typedtorch.optim.pure.base import (
    ParamState,
    Rule,
    Scalar,
    any_complex,
    co_locate,
    column,
    count,
    decayed,
    next_steps,
    on_device,
    ready_to_fuse,
    shrunk,
)
from typedtorch.optim.pure.checks import check_at_least, check_betas, check_lr
from typedtorch.optim.pure.scratch import Scratch


@dataclass(frozen=True, kw_only=True)
class Adam(Rule):
    """Adaptive moments (Kingma and Ba, arXiv:1412.6980); ``amsgrad``: Reddi et al., ICLR 2018.

    With ``g = grad + weight_decay * p``, or with ``decoupled_weight_decay`` as :class:`AdamW` has it::

        m = lerp(m, g, 1 - beta1)        v = beta2 * v + (1 - beta2) * g**2
        p = p - lr / (1 - beta1**t) * m / (sqrt(v) / sqrt(1 - beta2**t) + eps)

    State per parameter: ``step``, ``exp_avg``, ``exp_avg_sq`` and with amsgrad ``max_exp_avg_sq``,
    so 8 bytes per float32 parameter (12).

    Raises:
        ValueError: a hyperparameter out of range.

    >>> rule, params = Adam(lr=0.1), [torch.tensor([1.0, -1.0])]
    >>> params, state = rule.step([torch.tensor([5.0, 0.0])], rule.init(params), params)
    >>> params, sorted(state[0])
    ([tensor([ 0.9000, -1.0000])], ['exp_avg', 'exp_avg_sq', 'step'])
    """

    lr: Scalar = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0.0
    amsgrad: bool = False
    decoupled_weight_decay: bool = False

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_lr(name, self.lr)
        check_betas(name, self.betas)
        check_at_least(name, eps=self.eps, weight_decay=self.weight_decay)

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * self.amsgrad
        return {"step": count(param)} | {name: torch.zeros_like(param) for name in names}

    def update(
        self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        counted = next_steps(states)
        return self.update_each(partial(self._update_one, Scratch()), grads, counted, params)

    def slope(
        self, grad: Shaped[Tensor, "*shape"], param: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        return decayed(
            super().slope(grad, param), param, 0.0 if self.decoupled_weight_decay else self.weight_decay
        )

    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        return self._update_one(Scratch(), grad, next_steps([state])[0], param)

    def _update_one(
        self,
        scratch: Scratch,
        grad: Shaped[Tensor, "*shape"],
        state: ParamState,
        param: Shaped[Tensor, "*shape"],
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        beta1, beta2 = self.betas
        step: Float[Tensor, ""] = state["step"]  # of this step already
        old_mean: Shaped[Tensor, "*shape"] = state["exp_avg"]
        old_square: Shaped[Tensor, "*shape"] = state["exp_avg_sq"]
        mean = torch.lerp(old_mean, grad, 1 - beta1)
        square = (old_square * beta2).addcmul_(grad, grad, value=1 - beta2)
        new: ParamState = {"step": step, "exp_avg": mean, "exp_avg_sq": square}
        if self.amsgrad:
            largest: Shaped[Tensor, "*shape"] = state["max_exp_avg_sq"]
            square = new["max_exp_avg_sq"] = torch.maximum(largest, square)
        # the decay comes first: what it shrinks is the parameter before the step
        start: Shaped[Tensor, "*shape"] = param
        if self.weight_decay and self.decoupled_weight_decay:
            start = shrunk(param, self.lr, self.weight_decay)
        move = param.addcdiv if start is param else start.addcdiv_
        if on_device(step):
            # the counter is not read: the step's sign and size go into the denominator
            down: Shaped[Tensor, "*one"] = (self.rate / (1 - beta1**step)).neg()
            root = (1 - beta2**step).sqrt() * down
            return move(mean, square.sqrt().div_(root).add_(self.eps / down)), new
        taken = step.item()
        size = cast(float, self.lr) / (1 - beta1**taken)
        bottom = scratch.scaled_root(square, (1 - beta2**taken) ** 0.5, self.eps)
        return move(mean, bottom, value=-size), new

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * self.amsgrad
        kept = [column(states, name) for name in names]
        kernel = "_fused_adamw_" if self.decoupled_weight_decay else "_fused_adam_"
        ready = ready_to_fuse(kernel, params, grads, *kept)
        fused = ready is not None
        capturable = not fused and on_device(states[0]["step"])
        torch_adam(
            params,
            grads if ready is None else ready,
            kept[0],
            kept[1],
            kept[2] if self.amsgrad else [],
            co_locate(states, params),
            foreach=not fused,
            fused=fused,
            capturable=capturable,
            has_complex=any_complex(params),
            decoupled_weight_decay=self.decoupled_weight_decay,
            amsgrad=self.amsgrad,
            beta1=self.betas[0],
            beta2=self.betas[1],
            lr=self.lr if fused or capturable else float(self.lr),  # torch's other kernels want a number
            weight_decay=self.weight_decay,
            eps=self.eps,
            maximize=self.maximize,
        )


@dataclass(frozen=True, kw_only=True)
class AdamW(Adam):
    """Adam with the decay beside the gradient, not in it (Loshchilov and Hutter, arXiv:1711.05101).

    ``p = p * (1 - lr * weight_decay)``, then Adam's step on the bare gradient.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> rule, params = AdamW(lr=0.1, weight_decay=0.5), {"w": torch.tensor([1.0])}
    >>> rule.step({"w": torch.tensor([0.0])}, rule.init(params), params)[0]
    {'w': tensor([0.9500])}
    """

    weight_decay: float = 1e-2

    # no argument: it is what makes this AdamW
    decoupled_weight_decay: bool = field(default=True, init=False)
