"""What every update rule shares: the form of a step, and the checks at its boundary.

A rule is a frozen value that holds hyperparameters and nothing else.  State is passed in and
returned; its names are torch's, so a state moves freely between this module and ``torch.optim``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, cast, overload

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from typedtorch.optim.pure.layout import walkable

ParamState: TypeAlias = dict[str, Tensor]
Scalar: TypeAlias = float | Tensor
UpdateOne: TypeAlias = Callable[
    [Shaped[Tensor, "*shape"], ParamState, Shaped[Tensor, "*shape"]],
    tuple[Shaped[Tensor, "*shape"], ParamState],
]


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """An update rule: ``init(params) -> state`` and ``step(grads, state, params) -> (params, state)``.

    Parameters are a list, or a mapping from names; gradients and states have the same form.
    A gradient may be None: its parameter and state stay as they are.

    Subclasses say what the state of one parameter is, how one parameter moves, and how many
    are moved in place.
    """

    maximize: bool = False
    lr: Scalar = 1e-3

    @property
    def rate(self) -> float | Shaped[Tensor, "*one"]:
        """The learning rate: a number, or a tensor of one element that a schedule writes into."""
        return self.lr

    @overload
    def init(self, params: Mapping[str, Tensor]) -> dict[str, ParamState]: ...
    @overload
    def init(self, params: Iterable[Tensor]) -> list[ParamState]: ...
    def init(
        self, params: Mapping[str, Tensor] | Iterable[Tensor]
    ) -> dict[str, ParamState] | list[ParamState]:
        """The state before the first step.

        Raises:
            TypeError: ``params`` is one tensor, or holds something else than tensors.
        """
        if isinstance(params, Tensor):
            raise TypeError("init: expected a list of parameters, or a mapping from names, got one tensor")
        with torch.no_grad():
            if isinstance(params, Mapping):
                return {name: self.init_one(_tensor(name, param)) for name, param in params.items()}
            return [self.init_one(_tensor(i, param)) for i, param in enumerate(params)]

    @overload
    def step(
        self,
        grads: Mapping[str, Tensor | None],
        state: Mapping[str, ParamState],
        params: Mapping[str, Tensor],
        *,
        donate: bool = False,
        fused: bool = False,
    ) -> tuple[dict[str, Tensor], dict[str, ParamState]]: ...
    @overload
    def step(
        self,
        grads: Sequence[Tensor | None],
        state: Sequence[ParamState],
        params: Sequence[Tensor],
        *,
        donate: bool = False,
        fused: bool = False,
    ) -> tuple[list[Tensor], list[ParamState]]: ...
    def step(
        self,
        grads: Mapping[str, Tensor | None] | Sequence[Tensor | None],
        state: Mapping[str, ParamState] | Sequence[ParamState],
        params: Mapping[str, Tensor] | Sequence[Tensor],
        *,
        donate: bool = False,
        fused: bool = False,
    ) -> tuple[dict[str, Tensor], dict[str, ParamState]] | tuple[list[Tensor], list[ParamState]]:
        """One update, through which no gradient flows.

        Args:
            grads: one gradient, or None, per parameter.
            state: what :meth:`init` or the step before returned.
            params: the parameters; the new ones require a gradient where these do.
            donate: give ``state`` and ``params`` up: they are updated in place by torch's fused
                or foreach kernels and returned (which may overwrite gradients, as torch's foreach SGD
                does with Nesterov momentum).  Without it nothing that came in is changed, and
                the result is bitwise that of torch's for-loop.
            fused: copy ``state`` and ``params`` once and run those kernels on the copy: faster than
                the pure step, equal to it up to rounding; nothing that came in is changed.

        Raises:
            ValueError: gradients, state and parameters do not belong together, naming the first that differs.
        """
        if isinstance(params, Mapping):
            named_grads = cast("Mapping[str, Tensor | None]", grads)
            named_state = cast("Mapping[str, ParamState]", state)
            names = list(params)
            _check_names(names, named_grads, named_state)
            with torch.no_grad():
                moved, states = self._step(
                    names,
                    [named_grads[name] for name in names],
                    [named_state[name] for name in names],
                    list(params.values()),
                    donate,
                    fused,
                )
            return dict(zip(names, moved, strict=True)), dict(zip(names, states, strict=True))
        listed_grads = cast("Sequence[Tensor | None]", grads)
        listed_state = cast("Sequence[ParamState]", state)
        if not len(listed_grads) == len(listed_state) == len(params):
            raise ValueError(
                f"step: {len(params)} parameters, but {len(listed_grads)} gradients "
                f"and {len(listed_state)} states"
            )
        with torch.no_grad():
            return self._step(None, listed_grads, listed_state, params, donate, fused)

    def _step(
        self,
        names: Sequence[str] | None,
        grads: Sequence[Tensor | None],
        states: Sequence[ParamState],
        params: Sequence[Tensor],
        donate: bool,
        fused: bool,
    ) -> tuple[list[Tensor], list[ParamState]]:
        live = [i for i, grad in enumerate(grads) if grad is not None]
        for i in live:
            _check_gradient(i if names is None else names[i], cast(Tensor, grads[i]), params[i])
        some_grads = [cast(Tensor, grads[i]) for i in live]
        some_states, some_params = [states[i] for i in live], [params[i] for i in live]
        if donate:
            if live:
                self.update_in_place(some_grads, some_states, some_params)
            return list(params), list(states)
        new_params, new_states = list(params), list(states)
        if not live:
            return new_params, new_states
        update = self.update_copies if fused else self.update
        for i, (param, state) in zip(live, update(some_grads, some_states, some_params), strict=True):
            new_params[i] = param.requires_grad_() if params[i].requires_grad else param
            new_states[i] = state
        return new_params, new_states

    @abstractmethod
    def init_one(self, param: Shaped[Tensor, "*shape"]) -> ParamState:
        """The state of one parameter before its first step."""

    @abstractmethod
    def update_one(
        self, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
    ) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
        """One parameter's step, out of place; complex numbers and :meth:`slope` are dealt with already."""

    @abstractmethod
    def update_in_place(self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]) -> None:
        """Everybody's step by torch's fastest kernels, in the given storage; a state may gain entries."""

    def slope(
        self, grad: Shaped[Tensor, "*shape"], param: Shaped[Tensor, "*shape"]
    ) -> Shaped[Tensor, "*shape"]:
        """The gradient a rule goes by: negated to maximise; a decay that belongs into it comes in here."""
        return -grad if self.maximize else grad

    def update(
        self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        """Everybody's step, out of place, one after the other."""
        return self.update_each(self.update_one, grads, states, params)

    def update_copies(
        self, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        """Everybody's step by torch's fastest kernels, on one copy of the parameters and states."""
        new_params = [param.clone() for param in params]
        new_states = [{name: value.clone() for name, value in state.items()} for state in states]
        self.update_in_place(grads, new_states, new_params)
        return list(zip(new_params, new_states, strict=True))

    def update_each(
        self, one: UpdateOne, grads: list[Tensor], states: list[ParamState], params: list[Tensor]
    ) -> list[tuple[Tensor, ParamState]]:
        """``one`` applied to each parameter, with :meth:`slope` and complex numbers taken care of."""
        return [
            _as_real(one, self.slope(grad, param), state, param)
            for grad, state, param in zip(grads, states, params, strict=True)
        ]


def _as_real(
    one: UpdateOne, grad: Shaped[Tensor, "*shape"], state: ParamState, param: Shaped[Tensor, "*shape"]
) -> tuple[Shaped[Tensor, "*shape"], ParamState]:
    if not param.is_complex():
        return one(grad, state, param)
    # a complex parameter is two real ones, as in torch
    new, moved = one(as_pairs(grad), {name: as_pairs(t) for name, t in state.items()}, as_pairs(param))
    back = {name: _as_complex(t, param.ndim) for name, t in moved.items()}
    result: Shaped[Tensor, "*shape"] = torch.view_as_complex(new)
    return result, back


def _as_complex(pairs: Shaped[Tensor, "*pairs"], ndim: int) -> Shaped[Tensor, "*shape"]:
    """Pairs of real numbers as complex ones of ``ndim`` axes; a counter as it is."""
    result: Shaped[Tensor, "*shape"] = torch.view_as_complex(pairs) if pairs.ndim > ndim else pairs
    return result


def as_pairs(x: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*pairs"]:
    """Complex numbers as pairs of real ones, in the same memory; real numbers as they are."""
    return torch.view_as_real(x) if x.is_complex() else x


def column(states: Sequence[ParamState], name: str) -> list[Tensor]:
    """One entry of every parameter's state."""
    return [state[name] for state in states]


def next_step(state: ParamState) -> Float[Tensor, ""]:
    """The step count with the present step in it."""
    step: Float[Tensor, ""] = state["step"]
    return step + 1


def next_steps(states: Sequence[ParamState]) -> list[ParamState]:
    """The states with the present step counted, by one kernel for all; the rest of each as it was."""
    if not states:
        return []
    steps = column(states, "step")
    steps = [step + 1 for step in steps] if of_many(steps[0]) else list(torch._foreach_add(steps, 1))
    return [{**state, "step": step} for state, step in zip(states, steps, strict=True)]


def shrunk(
    param: Shaped[Tensor, "*shape"], lr: float | Shaped[Tensor, "*one"], weight_decay: float
) -> Shaped[Tensor, "*shape"]:
    """``param * (1 - lr * weight_decay)``: a decay beside the gradient."""
    return param * (1 - lr * weight_decay)


def any_complex(params: Sequence[Tensor]) -> bool:
    """Whether some parameter is complex, as torch's functional optimizers want to know."""
    return any(param.is_complex() for param in params)


def decayed(
    grad: Shaped[Tensor, "*shape"], param: Shaped[Tensor, "*shape"], weight_decay: float
) -> Shaped[Tensor, "*shape"]:
    """``grad + weight_decay * param``, complex numbers as such: torch, too, splits them only afterwards."""
    return grad.add(param, alpha=weight_decay) if weight_decay else grad


def count(param: Shaped[Tensor, "*shape"]) -> Float[Tensor, ""]:
    """A step counter at 0, on the parameter's device, in the dtype torch's optimizers give it."""
    dtype = torch.float64 if torch.get_default_dtype() == torch.float64 else torch.float32
    return torch.zeros((), dtype=dtype, device=param.device)


def can_fuse(params: Sequence[Tensor], kernel: str) -> bool:
    """Whether torch has one kernel for all of an update, for these dtypes, devices and kinds of tensor."""
    if torch.compiler.is_compiling():
        return False
    sorts = {(type(param), param.dtype, param.device) for param in params}  # mostly a single one
    return all(
        dtype.is_floating_point and _has_kernel(kind.__name__, kernel, device.type)
        for kind, dtype, device in sorts
    )


def ready_to_fuse(
    kernel: str, params: Sequence[Tensor], grads: Sequence[Tensor], *kept: Sequence[Tensor]
) -> list[Tensor] | None:
    """The gradients as torch's one kernel for all of an update can take them, or None where it cannot run."""
    return walkable(params, grads, *kept) if can_fuse(params, kernel) else None


@cache
def _has_kernel(kind: str, kernel: str, device: str) -> bool:
    if device not in _DISPATCH:
        return False
    if kind == "FakeTensor":  # stands for a tensor on a machine that may be another one
        return True
    if kind == "DTensor" and kernel not in ("_fused_adam_", "_fused_adamw_"):
        return False  # torch knows how to shard these two only
    # releases differ in which device has which kernel
    exists: bool = torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{kernel}", _DISPATCH[device])
    return exists and kind in ("Tensor", "Parameter", "DTensor")


_DISPATCH = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS", "xpu": "XPU"}


def co_locate(states: Sequence[ParamState], params: Sequence[Tensor]) -> list[Float[Tensor, ""]]:
    """The step counters, each moved to its parameter's device (a state from torch may hold it on the CPU)."""
    for state, param in zip(states, params, strict=True):
        step: Float[Tensor, ""] = state["step"]
        if step.device != param.device:
            state["step"] = step.to(param.device)
    return column(states, "step")


def number(x: Float[Tensor, ""]) -> float:
    """The value of a scalar tensor, of one that is divided between processes the joint one.

    A norm over a divided tensor (a ``DTensor``) is pending until somebody joins it; ``item`` does not, and
    gives each process what it has of it.
    """
    join = getattr(x, "full_tensor", None)
    whole: Float[Tensor, ""] = x if join is None else join()
    return float(whole.item())


def on_device(step: Float[Tensor, ""]) -> bool:
    """Whether a step count must stay a tensor: reading it would stop a GPU, or a compiler."""
    return torch.compiler.is_compiling() or step.device.type != "cpu" or of_many(step)


def of_many(x: Shaped[Tensor, "*shape"]) -> bool:
    """Whether a tensor stands for many under ``torch.vmap``: no one value can be read, or memory written."""
    return not torch.compiler.is_compiling() and torch._C._functorch.is_batchedtensor(x)


def _tensor(name: int | str, param: object) -> Shaped[Tensor, "*shape"]:
    if not isinstance(param, Tensor):
        hint = "; flatten it: {'layer.weight': ...}" if isinstance(param, Mapping) else ""
        raise TypeError(f"init: expected a tensor as parameter {name!r}, got {type(param).__name__}{hint}")
    return param


def _check_names(
    names: Sequence[str], grads: Mapping[str, Tensor | None], state: Mapping[str, ParamState]
) -> None:
    for what, mapping in (("gradient", grads), ("state", state)):
        for name in names:
            if name not in mapping:
                raise ValueError(f"step: parameter {name!r} has no {what} (a gradient may be None)")
        if len(mapping) != len(names):
            extra = next(name for name in mapping if name not in set(names))
            raise ValueError(f"step: {what} {extra!r} belongs to no parameter")


def _check_gradient(name: int | str, grad: Shaped[Tensor, "*given"], param: Shaped[Tensor, "*shape"]) -> None:
    if grad.shape != param.shape:
        raise ValueError(
            f"step: the gradient of parameter {name!r} is {tuple(grad.shape)}, "
            f"the parameter {tuple(param.shape)}"
        )
    if grad.is_sparse:
        raise ValueError(
            f"step: the gradient of parameter {name!r} is sparse; make it dense (grad.to_dense())"
        )
