"""numpy.fft: the transforms of torch.fft, on arrays."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from dataclasses import replace
from typing import Any

from typedtorch.shapes.dtypes import BIT, COMPLEX, FLOAT32, FLOAT64
from typedtorch.shapes.rule import RULES, rule
from typedtorch.shapes.rules.fft import fftfreq, fftshift, rfftfreq
from typedtorch.shapes.rules.forms import Function
from typedtorch.shapes.rules.numpy_dtypes import as_array, to_numpy
from typedtorch.shapes.tensor import Tensor, Undecided

_SINGLE = BIT["float16"] | FLOAT32 | BIT["complex64"]


def _transformed(word: str, a: Any, sizes: Any, axes: Any) -> Tensor:
    """The shape that torch gives; single precision stays so in numpy 2, in numpy 1 everything is double."""
    given = as_array(a)
    if given.dtype & COMPLEX and word.startswith(("rfft", "ihfft")):
        raise Undecided
    if isinstance(axes, (tuple, list)) and len({*axes}) < len(axes):
        raise Undecided  # numpy transforms an axis twice
    made = RULES[f"torch.fft.{word}"].function(replace(given, dtype=FLOAT32), sizes, axes)
    single, double = FLOAT32, FLOAT64
    if made.dtype & COMPLEX:
        single, double = BIT["complex64"], BIT["complex128"]
    return Tensor(made.shape, double | (single if given.dtype & _SINGLE else 0), library="numpy")


def _one(word: str) -> Function:
    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Tensor:
        return _transformed(word, a, n, axis)

    return transform


def _several(word: str, default: Any) -> Function:
    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, **settings: Any) -> Tensor:
        return _transformed(word, a, s, axes)

    return transform


_ONE = "@D:a B | @F:a B, 7 | @C:a B, None, 0 | @F:a B, axis=-1 | @F:a B, size:n | @F:a B, None, dim"
_MANY = "@D:a B C | @F:a B C, (7, 8), (-2, -1) | @F:a B C, None, (0, 1) | @C:a B C | @F:a B C, axes=(0, 2)"
for _word in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    rule(f"numpy.fft.{_word}", sample=_ONE.replace("@C:", "@F:") if _word in ("rfft", "ihfft") else _ONE)(
        _one(_word)
    )
for _word in ("fft", "ifft", "rfft", "irfft"):
    _sample = _MANY.replace("@C:", "@F:") if _word == "rfft" else _MANY
    rule(f"numpy.fft.{_word}2", sample=_sample)(_several(f"{_word}2", (-2, -1)))
    rule(f"numpy.fft.{_word}n", sample=_sample)(_several(f"{_word}n", None))


@rule("numpy.fft.fftshift", "numpy.fft.ifftshift", sample="@n:a b | @n:a b, 0 | @n:a b c, (0, 1)")
def shifted(x: Any, axes: Any = None) -> Tensor:
    return to_numpy(fftshift(as_array(x), axes))


@rule("numpy.fft.fftfreq", sample="size:n | 8, 0.5")
def frequencies(n: Any, d: Any = 1.0, **settings: Any) -> Tensor:
    return Tensor(fftfreq(n).shape, FLOAT64, library="numpy")


@rule("numpy.fft.rfftfreq", sample="size:n | 8, 0.5")
def half_frequencies(n: Any, d: Any = 1.0, **settings: Any) -> Tensor:
    return Tensor(rfftfreq(n).shape, FLOAT64, library="numpy")
