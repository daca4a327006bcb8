"""Muon."""

import math
from dataclasses import dataclass
from typing import Literal, cast

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from typedtorch.optim.pure.base import ParamState, Rule, Scalar, shrunk
from typedtorch.optim.pure.checks import check_at_least, check_lr


@dataclass(frozen=True, kw_only=True)
class Muon(Rule):
    """Momentum, orthogonalised: for the matrices inside a network, not its embeddings, norms and biases.

    Jordan et al., kellerjordan.github.io/posts/muon, as torch has it::

        buffer = lerp(buffer, g, 1 - momentum)
        u = orthogonalise(lerp(g, buffer, momentum)  if nesterov else  buffer)
        p = p * (1 - lr * weight_decay) - lr * ratio * u

    ``ratio`` is ``sqrt(max(1, rows / columns))``, or ``0.2 * sqrt(max(rows, columns))`` with
    ``adjust_lr_fn="match_rms_adamw"`` (Liu et al., arXiv:2502.16982), which makes AdamW's rates fit.

    State per parameter: ``momentum_buffer``.

    Raises:
        ValueError: a hyperparameter out of range, or a parameter that is not a real matrix.

    >>> rule, params = Muon(lr=0.1, weight_decay=0.0), [torch.zeros(2, 2)]
    >>> params, _ = rule.step([torch.diag(torch.tensor([3.0, 3.0]))], rule.init(params), params)
    >>> bool(params[0][0, 0] < -0.05), params[0][0, 1].item()
    (True, 0.0)
    """

    lr: Scalar = 1e-3
    weight_decay: float = 0.1
    momentum: float = 0.95
    nesterov: bool = True
    ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315)
    eps: float = 1e-7
    ns_steps: int = 5
    adjust_lr_fn: Literal["original", "match_rms_adamw"] | None = None

    def __post_init__(self) -> None:
        check_lr("Muon", self.lr)
        check_at_least("Muon", momentum=self.momentum, weight_decay=self.weight_decay)
        if self.adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(
                f"Muon: adjust_lr_fn is 'original' or 'match_rms_adamw', got {self.adjust_lr_fn!r}"
            )
        if len(self.ns_coefficients) != 3 or not 0 <= self.ns_steps < 100:
            raise ValueError(
                "Muon: ns_coefficients are three numbers and ns_steps is in [0, 100), "
                f"got {self.ns_coefficients} and {self.ns_steps}"
            )

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        if param.ndim != 2 or param.is_complex():
            raise ValueError(
                f"Muon: parameters are real matrices, got {param.dtype} of shape {tuple(param.shape)}; "
                "give the others to AdamW"
            )
        return {"momentum_buffer": torch.zeros_like(param)}

    def update_one(
        self, grad: Shaped[Tensor, "rows columns"], state: ParamState, param: Shaped[Tensor, "rows columns"]
    ) -> tuple[Shaped[Tensor, "rows columns"], ParamState]:
        old: Shaped[Tensor, "rows columns"] = state["momentum_buffer"]
        buffer = torch.lerp(old, grad, 1 - self.momentum)
        update, size = self._direction(grad, buffer), self._size(param)
        start = shrunk(param, self.lr, self.weight_decay)
        return start.add_(update, alpha=-size), {"momentum_buffer": buffer}

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        for grad, state, param in zip(grads, states, params, strict=True):
            self._update_in_place(grad, state["momentum_buffer"], param)

    def _update_in_place(
        self,
        grad: Shaped[Tensor, "rows columns"],
        buffer: Shaped[Tensor, "rows columns"],
        param: Shaped[Tensor, "rows columns"],
    ) -> None:
        signed = -grad if self.maximize else grad
        update = self._direction(signed, buffer.lerp_(signed, 1 - self.momentum))
        param.mul_(1 - self.rate * self.weight_decay).add_(update, alpha=-self._size(param))

    def _direction(
        self, grad: Shaped[Tensor, "rows columns"], buffer: Shaped[Tensor, "rows columns"]
    ) -> Shaped[Tensor, "rows columns"]:
        mixed = grad.lerp(buffer, self.momentum) if self.nesterov else buffer
        return orthogonalise(mixed, self.ns_coefficients, steps=self.ns_steps, eps=self.eps)

    def _size(self, param: Shaped[Tensor, "rows columns"]) -> float:
        rows, columns = param.shape
        if self.adjust_lr_fn == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, columns))
        else:
            ratio = math.sqrt(max(1, rows / columns))
        return cast(float, self.lr) * ratio


def orthogonalise(
    matrix: Float[Tensor, "rows columns"],
    coefficients: tuple[float, float, float],
    *,
    steps: int,
    eps: float,
) -> Float[Tensor, "rows columns"]:
    """Singular values moved near 1 by Newton-Schulz steps ``x <- a*x + b*(x x')x + c*(x x')(x x')x``.

    Computed in bfloat16, in which it is also returned.  The coefficients trade exactness for speed:
    the values end between about 0.7 and 1.2.

    As in torch, a bfloat16 ``matrix`` is itself divided by its norm, which for a momentum buffer
    without nesterov rescales the buffer.

    >>> x = orthogonalise(torch.tensor([[4.0, 0.0], [0.0, 2.0]]), (2.0, -1.5, 0.5), steps=9, eps=1e-7)
    >>> x.diagonal().round()
    tensor([1., 1.], dtype=torch.bfloat16)
    """
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.T if tall else x
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x
