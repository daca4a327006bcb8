"""``account``: what a module or function costs, from its annotations alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

import torch

from typedtorch.accounting import annotations as an
from typedtorch.accounting import sizes as sz
from typedtorch.accounting.answers import Account
from typedtorch.accounting.arguments import setup_of
from typedtorch.accounting.attempts import guesses
from typedtorch.accounting.checks import sizes_of, validated
from typedtorch.accounting.errors import SizeError
from typedtorch.accounting.losses import Loss
from typedtorch.accounting.optimizers import OptimizerSpec
from typedtorch.accounting.program import Call
from typedtorch.accounting.stage import RunPhase, Setup
from typedtorch.accounting.target import Target, target_of


@overload
def account(
    target: Callable[..., Any],
    /,
    *examples: Any,
    sizes: Mapping[str, int | tuple[int, ...]] | None = None,
    optimizer: OptimizerSpec = None,
    loss: Loss = "sum",
    autocast: torch.dtype | None = None,
    dtype: torch.dtype | None = None,
    accumulate: int = 1,
    checkpoint: str | tuple[str, ...] = (),
    phase: RunPhase = "train",
    requires_grad: str | tuple[str, ...] | None = None,
    strict: bool = False,
    on: torch.device | str = "cpu",
    **axes: int | tuple[int, ...],
) -> Account: ...


@overload  # sizes alone, unpacked from a mapping
def account(target: Callable[..., Any], /, *examples: Any, **axes: int) -> Account: ...


def account(  # type: ignore[misc]  # no axis is called "optimizer"
    target: Callable[..., Any],
    /,
    *examples: Any,
    sizes: Mapping[str, int | tuple[int, ...]] | None = None,
    optimizer: OptimizerSpec = None,
    loss: Loss = "sum",
    autocast: torch.dtype | None = None,
    dtype: torch.dtype | None = None,
    accumulate: int = 1,
    checkpoint: str | tuple[str, ...] = (),
    phase: RunPhase = "train",
    requires_grad: str | tuple[str, ...] | None = None,
    strict: bool = False,
    on: torch.device | str = "cpu",
    **axes: int | tuple[int, ...],
) -> Account:
    """Parameters, FLOPs, bytes and time of a training step, from annotations; nothing is allocated.

    ``target`` is a module, an annotated function, or a constructor whose integer arguments are sizes.
    ``examples`` stand in for missing annotations; where some of a function's ask for gradients, those alone
    get them.  ``axes`` are the sizes by name (``sizes=`` for names
    that are also parameters here); with none at all the account holds formulas only.

    ``optimizer`` is a name (``"adamw"``, ``"adamw:fused"``), a class, a factory or an existing optimizer;
    with one, two steps run: the second has the optimizer's state from the start.  ``loss`` turns the
    output into the scalar that is differentiated.  ``checkpoint`` names modules (or ``"blocks"``) whose
    forward is run again in the backward; ``accumulate`` is the number of micro-batches to a step.
    ``on`` is the kind of device whose operators are recorded.

    Raises:
        SizeError: an axis without a size, with a wrong or a contradicting one.
        AnnotationError: a parameter does not say its axes.
        DataDependentError: a shape depends on values.
        UncountedError: with ``strict``, an operator has no FLOP formula.

    >>> from torch import nn, Tensor
    >>> from jaxtyping import Float
    >>> class Wide(nn.Module):
    ...     def __init__(self, d_model: int, d_ff: int) -> None:
    ...         super().__init__()
    ...         self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
    ...     def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
    ...         return self.down(self.up(x).relu())
    >>> a = account(Wide(64, 256), batch=8)
    >>> a.flops.forward, a.flops.backward, a.parameters.total
    (524288, 786432, 33088)
    """
    setup = setup_of(
        phase=phase, loss=loss, optimizer=optimizer, autocast=autocast, dtype=dtype, accumulate=accumulate,
        checkpoint=checkpoint, requires_grad=requires_grad, on=on,
    )  # fmt: skip
    given = validated(sizes_of(sizes, axes))
    return _bound(target_of(target, examples, given), given, setup, optimizer, bool(strict))


def _bound(
    found: Target, given: dict[str, Any], setup: Setup, optimizer: OptimizerSpec, strict: bool
) -> Account:
    """Settle every size that can be, and complain about those given that cannot be right."""
    if found.constructor is not None:
        return _constructed(found, given, setup, optimizer, strict)
    call = found.call({})
    known = dict(sz.from_examples(call))
    needed = sz.needed(call)
    own = sz.of_module(call.module, [*needed, *given])
    sz.contradictions(given, own, f"{type(call.module).__name__} was built with")
    sz.contradictions(given, known, "the example inputs have")
    variadic = _variadic(call)
    sz.check_names(given, [*needed, *variadic, *known, *own], found.name)
    bound = {**known, **{n: s for n, s in own.items() if n in needed}, **given}
    bound = sz.settle(call, bound, setup, sz.free_size)
    missing = [n for n in needed if n not in bound]
    try:
        return Account(
            found, bound, tuple(missing), setup=setup, optimizer=optimizer, strict=strict, several=variadic
        )
    except SizeError as error:
        culprit = sz.culprit(call, bound, given, setup)
        if culprit is None:
            raise
        name, size = culprit
        raise SizeError(
            f"axis {name!r} was given as {given[name]}, but {found.name} runs with {name}={size} "
            f"only: {error}"
        ) from error


def _constructed(
    found: Target, given: dict[str, Any], setup: Setup, optimizer: OptimizerSpec, strict: bool
) -> Account:
    unbuilt = [name for name in found.arguments if name not in given]
    if unbuilt:
        inputs, several = _inputs_of(found, given, unbuilt)
        if inputs:
            sz.check_names(given, [*found.arguments, *inputs, *several], found.name)
        unbuilt += [n for n in inputs if n not in given and n not in unbuilt]
        return Account(
            found, given, tuple(unbuilt), setup=setup, optimizer=optimizer, strict=strict, several=several
        )
    call = found.call(given)
    needed = sz.needed(call)
    own = sz.of_module(call.module, needed)
    wanted = {n: s for n, s in given.items() if n in needed}
    sz.contradictions(wanted, own, f"{type(call.module).__name__} was built with")
    variadic = _variadic(call)
    sz.check_names(given, [*found.arguments, *needed, *variadic], found.name)
    bound = sz.settle(call, {**own, **given}, setup, sz.free_size)
    missing = [n for n in needed if n not in bound]
    return Account(
        found, bound, tuple(missing), setup=setup, optimizer=optimizer, strict=strict, several=variadic
    )


def _inputs_of(found: Target, given: dict[str, Any], unbuilt: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Axes of the inputs of what a constructor makes, learnt by making one at some size, and names that
    may stand for several.
    """
    for guess in guesses(unbuilt):
        try:
            call = found.call({**given, **guess})
        except SizeError:
            continue  # the formula's own attempts will say why
        return sz.needed(call), _variadic(call)
    return [], ()


def _variadic(call: Call) -> tuple[str, ...]:
    return tuple(dict.fromkeys(n for p in call.parameters for n in an.variadic_names(p.spec)))
