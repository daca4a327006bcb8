"""The real operator of a rule: what torch makes of the same arguments."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import types
import warnings
from typing import Any

import torch
from sampling import Call, tensors_in

from typedtorch.shapes import dtypes
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import ATTRIBUTES, LAYERS, RULES, Layer, Rule, spelled
from typedtorch.shapes.rule import lints as collect_lints
from typedtorch.shapes.size import Poly
from typedtorch.shapes.tensor import UNKNOWN, Dtype, Pack, Scalar, ShapeError, Tensor, Undecided

TORCH_DTYPE = {bit: getattr(torch, n) for n, bit in dtypes.BIT.items() if hasattr(torch, n)}
MASK = {t: bit for bit, t in TORCH_DTYPE.items()}
TABLES = {"function": RULES, "attribute": ATTRIBUTES, "layer": LAYERS}


@functools.cache
def resolve(name: str) -> Any:
    """The object a public name stands for; None where the installed version lacks it."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found
    return None


class Refused(Exception):
    """The real operator raised."""


def realise(value: Any, device: str, fill: int) -> Any:
    match value:
        case Tensor(library="numpy"):
            import numpy as np

            return np.full(value.shape, fill, dtype=dtypes.NAMES[value.dtype.bit_length() - 1])
        case Tensor():
            shape = tuple(e for e in value.shape if isinstance(e, int))
            return torch.full(shape, fill, dtype=TORCH_DTYPE[value.dtype], device=device)
        case Dtype():
            return TORCH_DTYPE[value.mask]
        case list() | tuple():
            return type(value)(realise(v, device, fill) for v in value)
    return value


def describe(value: Any) -> Any:
    """A real result as a rule would give it."""
    if isinstance(value, torch.Tensor):
        return Tensor(tuple(value.shape), MASK[value.dtype])
    if isinstance(value, torch.dtype):
        return Dtype(MASK[value])
    if isinstance(value, types.GeneratorType):
        return tuple(describe(v) for v in value)
    if type(value).__module__ == "numpy":
        return Tensor(
            tuple(value.shape), dtypes.BIT.get(str(value.dtype), dtypes.BIT["other"]), library="numpy"
        )
    if isinstance(value, (list, tuple)):
        return tuple(describe(v) for v in value)
    if isinstance(value, dict):
        return tuple(describe(v) for v in value.values())
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    return UNKNOWN


def _numpy_dtypes(value: Any) -> Any:
    if isinstance(value, Dtype):
        return dtypes.show(value.mask)
    if isinstance(value, list):
        return [_numpy_dtypes(v) for v in value]
    return {k: _numpy_dtypes(v) for k, v in value.items()} if isinstance(value, dict) else value


def run_real(row: Rule, kind: str, call: Call, device: str, fill: int) -> Any:
    """Call the real operator.

    Raises:
        Refused: it raised.
    """
    target = resolve(row.name)
    if row.name.startswith("numpy."):
        call = Call(*(_numpy_dtypes(v) for v in (call.args, call.kwargs)))
    args, kwargs = (
        realise(call.args, device, fill),
        {k: realise(v, device, fill) for k, v in call.kwargs.items()},
    )
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()), torch.no_grad():
            warnings.simplefilter("ignore")
            if kind == "attribute":
                return describe(getattr(args[0], row.name.rpartition(".")[2]))
            if kind == "layer":
                module = target(*args, **kwargs)
                assert call.forward is not None
                if isinstance(module, torch.nn.Module):
                    # as a user would cast the whole model to what it is fed with
                    floats = [
                        t.dtype
                        for t in tensors_in(call.forward)
                        if t.dtype & (dtypes.FLOATING | dtypes.COMPLEX)
                    ]
                    cast = TORCH_DTYPE[floats[0]] if floats and "dtype" not in kwargs else None
                    module = module.to(device, cast).eval()
                forward = realise(call.forward.args, device, fill)
                named = {k: realise(v, device, fill) for k, v in call.forward.kwargs.items()}
                return describe(module(*forward, **named))
            return describe(target(*args, **kwargs))
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {str(error)[:300]}") from error


def run_rule(row: Rule, kind: str, call: Call) -> Any:
    """Call the rule as the engine does, but let a mistake of the rule show."""
    with collect_lints():
        args, kwargs = spelled(row.function, tuple(call.args), call.kwargs)
        made = row.function(*args, **kwargs)
        if kind == "layer":
            assert isinstance(made, Layer)
            assert call.forward is not None
            return made.forward(*call.forward.args, **call.forward.kwargs)
        return made


def real_outcomes(row: Rule, kind: str, call: Call) -> list[Any]:
    """What the real operator answers on the meta device and, where that is not the last word, on the CPU."""
    found: list[Any] = []
    for device, fill in (("meta", 1), ("cpu", 1), ("cpu", 0)):
        try:
            found.append(run_real(row, kind, call, device, fill))
        except Refused as error:
            found.append(error)
        yield_early = device == "meta" and not isinstance(found[0], Refused)
        if yield_early:
            break
    return found


# --- comparing --------------------------------------------------------------------------------------


def covers(answer: Any, real: Any) -> bool:
    """Whether what a rule says is true of what really came out."""
    if answer is UNKNOWN or real is UNKNOWN or isinstance(answer, Scalar):
        return True
    if isinstance(answer, dict):
        return covers(tuple(answer.values()), tuple(real.values()) if isinstance(real, dict) else real)
    if isinstance(answer, Tensor):
        return (
            isinstance(real, Tensor)
            and shape_covers(answer.shape, real.shape)
            and not real.dtype & ~answer.dtype
        )
    if isinstance(answer, Dtype):
        return isinstance(real, Dtype) and not real.mask & ~answer.mask
    if isinstance(answer, tuple) and any(isinstance(a, Pack) for a in answer):
        return isinstance(real, (tuple, list)) and shape_covers(answer, tuple(real))
    if isinstance(answer, (tuple, list)):
        return (
            isinstance(real, (tuple, list))
            and len(answer) == len(real)
            and all(covers(a, r) for a, r in zip(answer, real, strict=True))
        )
    if isinstance(answer, Poly):
        return same(answer, real) is not False if isinstance(real, (int, Poly)) else False
    return bool(answer == real)


def shape_covers(answer: tuple[Any, ...], real: tuple[Any, ...]) -> bool:
    at = next((i for i, e in enumerate(answer) if isinstance(e, Pack)), None)
    if at is None:
        return len(answer) == len(real) and all(covers(a, r) for a, r in zip(answer, real, strict=True))
    last = max(i for i, e in enumerate(answer) if isinstance(e, Pack))
    tail = answer[last + 1 :]
    return (
        len(real) >= at + len(tail)
        and all(covers(a, r) for a, r in zip(answer[:at], real, strict=False))
        and all(covers(a, r) for a, r in zip(reversed(tail), reversed(real), strict=False))
    )


def informative(answer: Any) -> bool:
    """Whether it says anything about a shape."""
    if isinstance(answer, Tensor):
        return not any(isinstance(e, Pack) for e in answer.shape)
    if isinstance(answer, (tuple, list)):
        return all(informative(a) for a in answer)
    return answer is not UNKNOWN


__all__ = [
    "UNKNOWN",
    "Refused",
    "ShapeError",
    "Undecided",
    "covers",
    "informative",
    "real_outcomes",
    "run_rule",
]
