"""Stochastic gradient descent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch.optim.sgd import sgd as torch_sgd

from typedtorch.optim.pure.base import ParamState, Rule, Scalar, decayed, ready_to_fuse
from typedtorch.optim.pure.checks import check_at_least, check_lr


@dataclass(frozen=True, kw_only=True)
class SGD(Rule):
    """Gradient descent, with momentum as torch defines it.

    With ``g = grad + weight_decay * p``::

        buffer = momentum * buffer + (1 - dampening) * g        (the first buffer is g itself)
        p = p - lr * (g + momentum * buffer  if nesterov else  buffer)

    State per parameter: ``momentum_buffer`` after the first step, nothing without momentum.

    Raises:
        ValueError: a hyperparameter out of range, or nesterov without momentum or with dampening.

    >>> rule, params = SGD(lr=0.5, momentum=0.9), [torch.tensor([1.0])]
    >>> state = rule.init(params)
    >>> for _ in range(2):
    ...     params, state = rule.step([torch.tensor([1.0])], state, params)
    >>> params, state
    ([tensor([-0.4500])], [{'momentum_buffer': tensor([1.9000])}])
    """

    lr: Scalar = 1e-3
    momentum: float = 0.0
    dampening: float = 0.0
    weight_decay: float = 0.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        check_lr("SGD", self.lr)
        check_at_least("SGD", momentum=self.momentum, weight_decay=self.weight_decay)
        if self.nesterov and (self.momentum <= 0 or self.dampening != 0):
            raise ValueError(
                f"SGD: nesterov needs momentum > 0 and dampening 0, got {self.momentum} and {self.dampening}"
            )

    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        return {}

    def update(
        self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        # linear in the numbers, so torch does not split complex ones here
        return [
            self.update_one(self.slope(grad, param), state, param)
            for grad, state, param in zip(grads, states, params, strict=True)
        ]

    def slope(
        self, grad: Shaped[Tensor, "*shape"], param: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        return decayed(super().slope(grad, param), param, self.weight_decay)

    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        if not self.momentum:
            return self._move(param, grad), state
        old: Shaped[Tensor, "*shape"] | None = state.get("momentum_buffer")
        kept = 1 - self.dampening
        buffer = grad.clone() if old is None else (old * self.momentum).add_(grad, alpha=kept)
        direction = grad.add(buffer, alpha=self.momentum) if self.nesterov else buffer
        return self._move(param, direction), {"momentum_buffer": buffer}

    def _move(
        self, param: Shaped[Tensor, "*shape"], direction: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        lr = self.rate
        if isinstance(lr, Tensor) and torch.compiler.is_compiling():
            moved: Shaped[Tensor, "*shape"] = param + direction * -lr
            return moved
        return param.add(direction, alpha=-cast(float, lr))

    def update_copies(
        self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        # torch's foreach kernel adds Nesterov's momentum to the gradients themselves
        own = [grad.clone() for grad in grads] if self.nesterov else grads
        return super().update_copies(own, states, params)

    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        buffers = [state.get("momentum_buffer") for state in states]
        ready = None if any(map(_mistaken, params)) else self._ready(grads, buffers, params)
        fused = ready is not None
        if ready is None:
            ready = [_written(grad) for grad in grads] if self.nesterov else grads
        torch_sgd(
            params,
            ready,
            buffers,
            fused=fused,
            foreach=not fused,
            weight_decay=self.weight_decay,
            momentum=self.momentum,
            lr=cast(float, self.lr),
            dampening=self.dampening,
            nesterov=self.nesterov,
            maximize=self.maximize,
        )
        if self.momentum:
            for state, buffer in zip(states, buffers, strict=True):
                assert buffer is not None
                state["momentum_buffer"] = buffer

    def _ready(
        self, grads: list[Tensor], buffers: Sequence[Tensor | None], params: list[Tensor]
    ) -> list[Tensor] | None:
        """The gradients for the fused kernel, which starts all buffers or none."""
        started = [buffer for buffer in buffers if buffer is not None]
        if len(started) not in (0, len(buffers)):
            return None
        return ready_to_fuse("_fused_sgd_", params, grads, *([started] if started else []))


def _written(grad: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    """A gradient that Nesterov's momentum may be added to: an expanded one has fewer places than numbers."""
    expanded = any(stride == 0 and size > 1 for stride, size in zip(grad.stride(), grad.shape, strict=True))
    return grad.clone() if expanded else grad


def _mistaken(param: Shaped[Tensor, "*shape"]) -> bool:
    """torch's fused kernel for half precision on the CPU moves 16 numbers and more wrongly (2.13)."""
    return param.device.type == "cpu" and param.dtype in (torch.float16, torch.bfloat16)
