"""Apply gradients to parameters: corrected, joined, clipped, and only where they are finite."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn
from torch.optim import Optimizer

from typedtorch.optim import clip_by_global_norm
from typedtorch.training.beside import trained_beside
from typedtorch.training.distributed import Parallel
from typedtorch.training.errors import ConfigError
from typedtorch.training.restore import named_plainly
from typedtorch.training.step import Accumulated, correction, not_zero


class Outcome(NamedTuple):
    """What one step did; numbers on a CPU, tensors on a GPU, which nothing waits for."""

    loss: Float[Tensor, ""] | float
    norm: Float[Tensor, ""] | float
    problem: str
    """Why the step was not applied; empty where it was (or where only the GPU knows yet)."""
    is_fault: bool = True
    """Whether that is a fault: a batch in which nothing counts is none."""


class Applier:
    """Steps an optimizer with the gradients a step accumulated: those of its parameters, and no others.

    Which of them have a gradient may change from step to step (layers that are unfrozen one by one).

    Raises:
        ConfigError: no parameter of the optimizer is one of the model; or, of several processes, one is not.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Optimizer,
        *,
        clip: float,
        scaler: torch.amp.GradScaler | None,
        parallel: Parallel,
        device: torch.device,
    ) -> None:
        self.optimizer, self.clip, self.scaler, self.parallel = optimizer, clip, scaler, parallel
        stepped, own = set(self._trained()), {id(param): param for param in model.parameters()}
        if not stepped & own.keys():
            kind = type(optimizer).__name__
            raise ConfigError(f"optimizer: expected parameters of the model, but the {kind} has none of them")
        if parallel.world > 1 and (others := trained_beside(model, optimizer)):
            got = f"{len(others)} that are not its own, whose gradients would not be joined"
            raise ConfigError(f"optimizer: expected parameters of the model, got {got}; put them into it")
        self._names = {id(param): name for name, param in named_plainly(model)}
        self._left = [param for number, param in own.items() if number not in stepped]
        # fused kernels can leave parameters alone where a tensor on the device says so
        self._asynchronous = device.type == "cuda" and getattr(optimizer, "_step_supports_amp_scaling", False)

    def _trained(self) -> dict[int, Tensor]:
        """The optimizer's parameters, each once: torch allows one to be named twice in a group."""
        return {id(param): param for group in self.optimizer.param_groups for param in group["params"]}

    def clear(self) -> None:
        """Throw all gradients away, also those of the model's parameters that the optimizer leaves alone."""
        self.optimizer.zero_grad()
        for param in self._left:
            param.grad = None

    def apply(self, found: Accumulated) -> Outcome:
        """One optimizer step, or a reason why not; the gradients are thrown away."""
        try:
            return self._applied(found)
        finally:
            self.clear()

    def _applied(self, found: Accumulated) -> Outcome:
        if self.parallel.world > 1:
            found = self._joined(found)
        waits = self.scaler is not None or not self._asynchronous or not isinstance(found.items, Tensor)
        if waits and not float(found.items):
            return Outcome(0.0, 0.0, "no item in the batch counts", is_fault=False)
        if self.scaler is not None:
            self.scaler.unscale_(self.optimizer)
        grads = [p.grad for p in self._trained().values() if p.grad is not None]
        factor = correction(found.expected, found.items, found.total.dtype)
        if factor is not None:
            torch._foreach_mul_(grads, factor)
        clipped = clip_by_global_norm(grads, self.clip)
        loss = found.total / not_zero(found.items)
        if self.scaler is not None:
            return self._scaled_step(loss, clipped.norm)
        if self._asynchronous:
            good = clipped.finite & loss.isfinite()
            self._guarded_step(good & (found.items > 0) if isinstance(found.items, Tensor) else good)
            return Outcome(loss.detach(), clipped.norm, "")
        return self._checked_step(loss.item(), clipped.norm.item())

    def _checked_step(self, loss: float, norm: float) -> Outcome:
        if math.isfinite(norm) and math.isfinite(loss):
            self.optimizer.step()
            return Outcome(loss, norm, "")
        return Outcome(loss, norm, self._name_the_bad(loss))

    def _guarded_step(self, good: Bool[Tensor, ""]) -> None:
        guarded: Any = self.optimizer
        guarded.grad_scale, guarded.found_inf = None, (~good).float()
        try:
            self.optimizer.step()
        finally:
            del guarded.grad_scale, guarded.found_inf

    def _scaled_step(self, loss: Float[Tensor, ""], norm: Float[Tensor, ""]) -> Outcome:
        assert self.scaler is not None
        before = self.scaler.get_scale()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        overflowed = self.scaler.get_scale() < before
        problem = "a gradient overflowed float16; the loss scale was halved" if overflowed else ""
        return Outcome(loss.item(), norm.item(), problem)

    def _joined(self, found: Accumulated) -> Accumulated:
        """Loss and count over all processes; gradients were joined by the backward pass already."""
        items = torch.as_tensor(found.items, dtype=torch.float64, device=found.total.device)
        total, count = self.parallel.sum(torch.stack([found.total.double(), items]))
        # on a GPU the count stays there: reading it would wait for the device
        exact = torch.promote_types(found.total.dtype, torch.float32)
        return Accumulated(total.to(exact), count if count.is_cuda else float(count), found.expected)

    def _name_the_bad(self, loss: float) -> str:
        bad = next((p for p in self._trained().values() if not _finite(p.grad)), None)
        if bad is None or bad.grad is None:
            return f"the loss is {loss}" if not math.isfinite(loss) else "the gradients' norm overflows"
        name = self._names.get(id(bad), "a parameter beside the model")
        what = "nan" if bool(bad.grad.isnan().any()) else "inf"
        return f"the loss is {loss:.6g}, the gradient of {name} has {what}"


def _finite(grad: Shaped[Tensor, "*shape"] | None) -> bool:
    return grad is None or bool(grad.isfinite().all())
