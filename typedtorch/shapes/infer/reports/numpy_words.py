"""Hints about numpy arrays, in numpy's words: ``x[..., None]`` is what torch calls ``x.unsqueeze(-1)``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from typedtorch.shapes.infer.values.values import Tensor, Value

_NUMBER = r"(-?\d+)"
_WORDS = {
    "keepdim=": "keepdims=",
    ".mT": ".swapaxes(-2, -1)",
    ".float()": ".astype(np.float32)",
    ".long()": ".astype(np.int64)",
    ".bool()": ".astype(bool)",
}
_ONLY_TORCH = (".unbind(", ".movedim(", ".flatten(", "contiguous()", "torch.", "enable_gqa")


def worded(hint: str | None, values: Iterable[Value]) -> str | None:
    """A hint in the words of the library that its tensors belong to; None where that has none for it.

    >>> array = Tensor((3, 4), library="numpy")
    >>> worded("w.unsqueeze(-1) is (n, 1), which fits", [array])
    'w[..., None] is (n, 1), which fits'
    >>> worded("keepdim=True, or unsqueeze(-2), keeps the axis of size 1", [array])
    'keepdims=True, or [..., None, :], keeps the axis of size 1'
    >>> worded("transpose(-2, -1) swaps them", [array]), worded("q is (a, b, d): k @ q.mT fits", [array])
    ('swapaxes(-2, -1) swaps them', 'q is (a, b, d): k @ q.swapaxes(-2, -1) fits')
    >>> worded("w.unsqueeze(-1) is (n, 1), which fits", [Tensor((3, 4))])
    'w.unsqueeze(-1) is (n, 1), which fits'
    """
    libraries = {value.library for value in values if isinstance(value, Tensor)}
    if hint is None or libraries != {"numpy"}:
        return hint
    if any(word in hint for word in _ONLY_TORCH):
        return None
    hint = re.sub(rf"\.?\bunsqueeze\({_NUMBER}\)", lambda found: _index(int(found[1])), hint)
    hint = re.sub(rf"\btranspose\({_NUMBER}, {_NUMBER}\)", r"swapaxes(\1, \2)", hint)
    hint = re.sub(rf"\bdim={_NUMBER}", r"axis=\1", hint)
    for torch_word, word in _WORDS.items():
        hint = hint.replace(torch_word, word)
    return hint


def _index(place: int) -> str:
    """The index that puts an axis of size 1 at a place."""
    parts = ["...", "None", *[":"] * (-1 - place)] if place < 0 else [*[":"] * place, "None"]
    return f"[{', '.join(parts)}]"
