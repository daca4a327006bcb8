"""torch.fft: transforms along axes, and the spectrum's helpers."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, COMPLEX, FLOAT32, INTEGRAL, NOT_COMPLEX, to_float
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import Function, axes_of, counted, flag, is_size, literal, need
from typedtorch.shapes.rules.promotion import dtype_of, mask_of, result_type, to_complex, to_real, want
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    entry_size,
    replaced,
    show,
)

_ONE = "D:a B | F:a B, 7 | C:a B, None, 0 | F:a B, dim=-1 | F:a B, size:n"
_MANY = "D:a B C | F:a B C, (7, 8) | F:a B C, None, (0, 1) | C:a B C"


def _complex_out(mask: int) -> int:
    return to_complex(to_float(mask))  # what has no complex counterpart is refused


def _real_out(mask: int) -> int:
    return to_real(to_float(mask))


def _half(size: Size) -> Size:
    return size // 2 + 1


def _whole(size: Size) -> Size:
    return 2 * (size - 1)


def _checked(input: Any, allowed: int = ANY) -> int:
    return want(
        need(input),
        allowed & ~dtypes.BFLOAT16,
        "input",
        "a real dtype of 32 bits or more" if allowed != ANY else "a dtype of 32 bits or more",
    )


def _one(result: Any, last: Any, allowed: int = ANY) -> Function:
    """A transform along one axis; ``n`` pads or cuts it."""

    def transform(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
        mask = result(_checked(input, allowed))
        if n is UNKNOWN:
            n = unknown()
        try:
            place = axis_index(need(input).shape, literal(dim), name(input, "input"))
        except Undecided:
            return input.of((ANY_AXES,), mask)
        if not input.shape:
            raise ShapeError(f"{name(input, 'input')} has no axes")
        size = entry_size(input.shape[place])
        made = last(size, n)
        if (isinstance(made, int) and made < 1) or (size == 0 if n is None else isinstance(n, int) and n < 1):
            raise ShapeError(f"a transform of {size if n is None else n} points")
        return input.of(replaced(input.shape, place, made), mask)

    return transform


def _full(size: Size, n: Any) -> Size:
    return size if n is None else n


def _onesided(size: Size, n: Any) -> Size:
    return _half(size if n is None else n)


def _twosided(size: Size, n: Any) -> Size:
    return _whole(size) if n is None else n


rule("torch.fft.fft", "torch.fft.ifft", sample=_ONE)(_one(_complex_out, _full))
rule("torch.fft.rfft", "torch.fft.ihfft", sample=_ONE.replace("C:", "F:"))(
    _one(_complex_out, _onesided, NOT_COMPLEX)
)
rule("torch.fft.irfft", "torch.fft.hfft", sample=_ONE)(_one(_real_out, _twosided))


def _many(result: Any, last: Any, default: Any, allowed: int = ANY) -> Function:
    """A transform along several axes; only the last of them is one-sided."""

    def transform(
        input: Any, s: Any = None, dim: Any = default, norm: Any = None, *, out: Any = None
    ) -> Tensor:
        mask = result(_checked(input, allowed))
        tensor, who = need(input), name(input, "input")
        if s is UNKNOWN or dim is UNKNOWN:
            return tensor.of((ANY_AXES,), mask)
        s = None if s is None else counted(s)
        if dim is None:
            dims = list(range(-len(s), 0)) if s is not None else list(range(-len(tensor.sizes()), 0))
        else:
            dims = [dim] if is_size(dim) else counted(dim)
        if s is not None and len(s) != len(dims):
            raise ShapeError(f"s={tuple(s)} has {len(s)} numbers and dim={tuple(dims)} {len(dims)}")
        if not dims and last is not _full:
            raise ShapeError("a transform of real numbers is over one axis at least")
        if tensor.rank is not None and len(dims) > len(tensor.shape):
            raise ShapeError(f"{who} has shape {show(tensor.shape)}, the transform is over {len(dims)} axes")
        try:
            places = axes_of(tensor.shape, dims, who)
        except Undecided:
            return tensor.of((ANY_AXES,), mask)
        shape: list[Entry] = list(tensor.shape)
        for i, place in enumerate(places):
            given = None if s is None or s[i] == -1 else s[i] if is_size(s[i]) else unknown()
            size = entry_size(shape[place])
            made = (last if i == len(places) - 1 else _full)(size, given)
            if (isinstance(made, int) and made < 1) or 0 in (size if given is None else given, made):
                raise ShapeError(f"a transform of {size if given is None else given} points")
            shape[place] = made
        return tensor.of(shape, mask)

    return transform


for _suffix, _default, _sample in (
    ("2", (-2, -1), _MANY.replace("None, (0, 1)", "None, (0, -1)")),
    ("n", None, _MANY),
):
    rule(f"torch.fft.fft{_suffix}", f"torch.fft.ifft{_suffix}", sample=_sample)(
        _many(_complex_out, _full, _default)
    )
    rule(f"torch.fft.rfft{_suffix}", f"torch.fft.ihfft{_suffix}", sample=_sample.replace("C:", "F:"))(
        _many(_complex_out, _onesided, _default, NOT_COMPLEX)
    )
    rule(f"torch.fft.irfft{_suffix}", f"torch.fft.hfft{_suffix}", sample=_sample)(
        _many(_real_out, _twosided, _default)
    )


@rule("torch.fft.fftshift", "torch.fft.ifftshift", sample="n:a b | n:a b, 0 | n:a b c, (0, 1)")
def fftshift(input: Any, dim: Any = None) -> Tensor:
    if dim is not None:
        given = [dim] if is_size(dim) else dim
        for one in given:
            if need(input).rank is not None and isinstance(one, int):
                axis_index(input.shape, one, name(input, "input"))
    return need(input).of(input.shape, mask_of(input))


@rule("torch.fft.fftfreq", sample="size:n | 8, 0.5")
def fftfreq(n: Any, d: Any = 1.0, *, dtype: Any = None, **settings: Any) -> Tensor:
    return Tensor((n if is_size(n) else unknown(),), dtype_of(dtype, FLOAT32))


@rule("torch.fft.rfftfreq", sample="size:n | 8, 0.5")
def rfftfreq(n: Any, d: Any = 1.0, *, dtype: Any = None, **settings: Any) -> Tensor:
    return Tensor((_half(n) if is_size(n) else unknown(),), dtype_of(dtype, FLOAT32))


@rule(
    "torch.stft",
    "torch.Tensor.stft",
    sample="F:b 64, 16, return_complex=True | F:64, 16, 8, return_complex=True | "
    "F:b 64, 16, center=False, return_complex=True | F:b 64, 16, onesided=False, return_complex=False | "
    "C:64, 16 | F:64, 16, win_length=12, window=F:12, return_complex=True",
)
def stft(
    input: Any,
    n_fft: Any,
    hop_length: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: Any = True,
    pad_mode: Any = "reflect",
    normalized: Any = False,
    onesided: Any = None,
    return_complex: Any = None,
    **settings: Any,
) -> Tensor:
    """``(..., time) -> (..., n_fft // 2 + 1, frames)``; real and imaginary part as a last axis on request."""
    tensor, who = need(input), name(input, "input")
    mask = want(tensor, ~INTEGRAL, "input", "a floating dtype")
    if tensor.rank not in (None, 1, 2):
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted (time,) or (batch, time)")
    half, as_complex = _spectrum(mask, window, onesided, return_complex)
    _check_window(window, n_fft if win_length is None else win_length)
    _check_lengths(n_fft, hop_length, win_length)
    if not is_size(n_fft) or tensor.rank is None:
        raise Undecided
    hop: Size = n_fft // 4 if hop_length is None else hop_length if is_size(hop_length) else unknown()
    length = entry_size(tensor.shape[-1])
    if center is UNKNOWN:
        length = unknown()
    elif center:
        if isinstance(length, int) and isinstance(n_fft, int) and n_fft // 2 >= length:
            raise ShapeError(f"{who} has {length} samples, too few to be padded by {n_fft // 2}")
        length = length + 2 * (n_fft // 2)
    if isinstance(length, int) and isinstance(n_fft, int) and n_fft > length:
        raise ShapeError(f"{who} has {length} samples, fewer than n_fft={n_fft}")
    frames = (length - n_fft) // hop + 1
    shape = (*tensor.shape[:-1], _half(n_fft) if half else n_fft, frames)
    if isinstance(window, Tensor):
        mask = result_type(tensor.of((1,), mask), window)
    return tensor.of(shape, to_complex(mask)) if as_complex else tensor.of((*shape, 2), to_real(mask))


def _check_lengths(n_fft: Any, hop_length: Any, win_length: Any) -> None:
    """A window is not longer than the transform, and goes forward.

    Raises:
        ShapeError: it is, or does not.
    """
    if isinstance(hop_length, int) and hop_length < 1:
        raise ShapeError(f"hop_length={hop_length}, wanted at least 1")
    if isinstance(n_fft, int) and isinstance(win_length, int) and not 0 < win_length <= n_fft:
        raise ShapeError(f"win_length={win_length}, wanted 1 to n_fft={n_fft}")


def _check_window(window: Any, length: Any) -> None:
    if not isinstance(window, Tensor) or window.rank is None or not is_size(length):
        return
    if len(window.shape) != 1 or same(window.sizes()[0], length) is False:
        raise ShapeError(f"{name(window, 'window')} has shape {show(window.shape)}, wanted ({length},)")


def _spectrum(mask: int, window: Any, onesided: Any, return_complex: Any) -> tuple[bool, bool]:
    """Whether half of the frequencies are given, and whether as complex numbers.

    Raises:
        Undecided: it depends on what is unknown, or is not allowed.
    """
    kinds = [mask] if window is None else [mask, mask_of(need(window))]
    if any(kind & COMPLEX for kind in kinds):
        if all(kind & ~COMPLEX for kind in kinds) or onesided not in (None, False):
            raise Undecided  # of some real and some complex dtypes; or half of what has no other half
        return False, return_complex is None or flag(return_complex)
    return onesided is None or flag(onesided), flag(return_complex)


@rule(
    "torch.istft",
    "torch.Tensor.istft",
    sample="C:b 9 5, 16, window=F:16 | C:9 5, 16, 4, window=F:16 | C:b 9 5, 16, length=30, window=F:16",
)
def istft(
    input: Any,
    n_fft: Any,
    hop_length: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: Any = True,
    normalized: Any = False,
    onesided: Any = None,
    length: Any = None,
    return_complex: Any = False,
) -> Tensor:
    """``(..., n_fft // 2 + 1, frames) -> (..., time)``."""
    tensor, who = need(input), name(input, "input")
    mask = want(tensor, COMPLEX, "input", "a complex dtype")
    if tensor.rank is None or (isinstance(window, Tensor) and mask_of(window) & COMPLEX):
        raise Undecided
    if len(tensor.shape) not in (2, 3):
        raise ShapeError(
            f"{who} has shape {show(tensor.shape)}, wanted (frequencies, frames) after the batch"
        )
    rows, frames = tensor.sizes()[-2:]
    half = onesided is None or onesided is True
    whole = onesided is None or onesided is False
    if is_size(n_fft):
        wanted = [n for n, on in ((_half(n_fft), half), (n_fft, whole)) if on]
        if wanted and all(same(rows, n) is False for n in wanted):
            raise ShapeError(f"{who} has {rows} frequencies, wanted {wanted[0]} for n_fft={n_fft}")
    _check_window(window, n_fft if win_length is None else win_length)
    _check_lengths(n_fft, hop_length, win_length)
    halved = is_size(n_fft) and same(rows, n_fft) is False if whole else True
    if return_complex is True and onesided in (None, True) and halved:
        raise ShapeError("return_complex=True and half of the frequencies: the other half is not its mirror")
    time = _time(n_fft, hop_length, frames, center) if length is None else length
    if time == 0:
        raise ShapeError(f"{who} has {frames} frames, too few for a sample")
    made = (*tensor.shape[:-2], time if is_size(time) else unknown())
    back = tensor.of(made, mask if flag(return_complex) else to_real(mask))
    return back if window is None else back.of(made, result_type(back, window))


def _time(n_fft: Any, hop_length: Any, frames: Size, center: Any) -> Size:
    if not is_size(n_fft) or not isinstance(center, bool):
        return unknown()
    hop = n_fft // 4 if hop_length is None else hop_length
    if not is_size(hop):
        return unknown()
    whole: Size = n_fft + hop * (frames - 1)
    return whole - 2 * (n_fft // 2) if center else whole
