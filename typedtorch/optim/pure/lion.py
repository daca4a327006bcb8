"""Lion."""

from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Shaped
from torch import Tensor

from typedtorch.optim.pure.base import ParamState, Rule, Scalar, as_pairs, column, shrunk
from typedtorch.optim.pure.checks import check_at_least, check_betas, check_lr


@dataclass(frozen=True, kw_only=True)
class Lion(Rule):
    """Steps of one size, by the sign of a momentum (Chen et al., arXiv:2302.06675, algorithm 2).

    ::

        p = p * (1 - lr * weight_decay) - lr * sign(beta1 * m + (1 - beta1) * g)
        m = beta2 * m + (1 - beta2) * g

    Rates are 3 to 10 times smaller than Adam's, decays as much larger.
    State per parameter: ``exp_avg``, 4 bytes per float32 parameter.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> rule, params = Lion(lr=0.25), [torch.tensor([1.0, 1.0, 1.0])]
    >>> params, state = rule.step([torch.tensor([7.0, 0.0, -0.1])], rule.init(params), params)
    >>> params
    [tensor([0.7500, 1.0000, 1.2500])]
    """

    lr: Scalar = 1e-4
    betas: tuple[float, float] = (0.9, 0.99)
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        check_lr("Lion", self.lr)
        check_betas("Lion", self.betas)
        check_at_least("Lion", weight_decay=self.weight_decay)

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        return {"exp_avg": torch.zeros_like(param)}

    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        beta1, beta2 = self.betas
        mean: Shaped[Tensor, "*shape"] = state["exp_avg"]
        sign = (mean * beta1).add_(grad, alpha=1 - beta1).sign_()
        decayed = shrunk(param, self.lr, self.weight_decay) if self.weight_decay else param
        return self._move(decayed, sign), {"exp_avg": (mean * beta2).add_(grad, alpha=1 - beta2)}

    def _move(
        self, param: Shaped[Tensor, "*shape"], sign: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        lr = self.rate
        if isinstance(lr, Tensor):
            return param.sub(sign.mul_(lr))
        return param.add(sign, alpha=-lr)

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        beta1, beta2 = self.betas
        means = list(map(as_pairs, column(states, "exp_avg")))
        slopes, weights = list(map(as_pairs, grads)), list(map(as_pairs, params))
        if self.maximize:
            slopes = list(torch._foreach_neg(slopes))
        signs = list(torch._foreach_mul(means, beta1))
        torch._foreach_add_(signs, slopes, alpha=1 - beta1)
        torch._foreach_sign_(signs)
        if self.weight_decay:
            torch._foreach_mul_(weights, cast(float, 1 - self.rate * self.weight_decay))
        torch._foreach_mul_(signs, self.rate)
        torch._foreach_sub_(weights, signs)
        torch._foreach_mul_(means, beta2)
        torch._foreach_add_(means, slopes, alpha=1 - beta2)
