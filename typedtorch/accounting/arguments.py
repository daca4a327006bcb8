"""What may be said to :func:`account` beside target and sizes, checked before anything runs."""

from __future__ import annotations

from typing import Any, get_args

import torch

from typedtorch.accounting import losses, optimizers
from typedtorch.accounting.checks import counts, meant, one_of, shown, whole
from typedtorch.accounting.devices import near
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.stage import RunPhase, Setup

_AUTOCAST = (torch.bfloat16, torch.float16)


def setup_of(
    *,
    on: Any,
    phase: Any,
    loss: Any,
    optimizer: Any,
    autocast: Any,
    dtype: Any,
    accumulate: Any,
    checkpoint: Any,
    requires_grad: Any,
) -> Setup:
    """The setup of a step.

    Raises:
        AccountingError: an argument of another kind than wanted.
    """
    counts("account", accumulate=accumulate)
    one_of(f"phase={phase!r}", phase, get_args(RunPhase))
    losses.check_name(loss)
    optimizers.check(optimizer)
    if autocast is not None and autocast not in _AUTOCAST:
        raise AccountingError(
            f"autocast={shown(autocast)}: wanted torch.bfloat16 or torch.float16{_torchs(autocast)}"
        )
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise AccountingError(
            f"dtype={shown(dtype)}: wanted a floating-point dtype of torch, which parameters are cast to"
            + _torchs(dtype)
        )
    return Setup(
        phase=phase, loss=loss, autocast=autocast, dtype=dtype, accumulate=whole(accumulate) or 1,
        checkpoint=_names("checkpoint", checkpoint, "paths of modules"),
        requires_grad=None if requires_grad is None else _names("requires_grad", requires_grad, "parameters"),
        device=_device(on),
    )  # fmt: skip


def _torchs(name: Any) -> str:
    """What a text may stand for."""
    long = {"bf16": "bfloat16", "fp16": "float16", "half": "float16", "fp32": "float32", "fp64": "float64"}
    plain = name.lower().removeprefix("torch.") if isinstance(name, str) else ""
    found = getattr(torch, long.get(plain, plain), None) if plain else None
    return f"; did you mean {found}?" if isinstance(found, torch.dtype) else ""


def _names(what: str, given: Any, kind: str) -> tuple[str, ...]:
    """One name or several."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, (tuple, list, set, frozenset)) and all(isinstance(name, str) for name in given):
        return tuple(given)
    raise AccountingError(f"{what}={shown(given)}: wanted a name or a tuple of names, {kind}")


def _device(on: Any) -> torch.device:
    """The kind of device whose operators are recorded."""
    wanted = "wanted the kind of device whose operators are recorded, 'cpu', 'cuda' or 'meta'"
    if not isinstance(on, (str, torch.device)):
        raise AccountingError(f"on={shown(on)}: {wanted}")
    try:
        where = torch.device(on)
    except RuntimeError:
        part = near(str(on))
        hint = f"; the time on a part is .time({part[0]!r}) of what account gives" if part else ""
        kind = str(on).rstrip("0123456789:")
        likely = "did you mean 'cuda'? " if kind == "gpu" else meant(kind, ("cpu", "cuda", "meta"))
        raise AccountingError(f"on={on!r}: {likely}{wanted}{hint}") from None
    usable = where.type in ("cpu", "meta") or (
        where.type == "cuda"
        and torch.cuda.is_available()
        and (where.index is None or where.index < torch.cuda.device_count())
    )
    if not usable:
        raise AccountingError(
            f"on={str(on)!r}: this torch has no such device; on='cpu' records the CPU's operators"
        )
    return where
