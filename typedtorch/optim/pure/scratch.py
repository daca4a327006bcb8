"""Memory for what a step computes and throws away: fresh memory costs more than the arithmetic."""

from typing import TypeAlias

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from typedtorch.optim.pure.base import of_many

_WIDTH = 1024
Room: TypeAlias = tuple[Shaped[Tensor, "*shape"], Shaped[Tensor, "rows width"]]


class Scratch:
    """Temporaries of one step, shared by the parameters of a shape.

    >>> Scratch().scaled_root(torch.tensor([4.0, 9.0]), 2.0, 0.5)
    tensor([1.5000, 2.0000])
    """

    def __init__(self) -> None:
        self._rooms: dict[object, Room | None] = {}
        self._rows: dict[object, Float[Tensor, "width"]] = {}

    def scaled_root(
        self, x: Shaped[Tensor, "*shape"], divisor: float, added: float
    ) -> Shaped[Tensor, "*shape"]:
        """``sqrt(x) / divisor + added``, rounded after each operation; it holds until the next call."""
        key = x.shape, x.stride(), x.dtype
        room = self._rooms[key] if key in self._rooms else self._rooms.setdefault(key, _room(x))
        if room is None or type(x) not in _PLAIN or of_many(x):
            return x.sqrt().div_(divisor).add_(added)
        root, rows = room
        torch.sqrt(x, out=root)
        # one pass in place of two, bit for bit; a row of equal numbers stays in the nearest cache
        torch.addcdiv(self._row(added, x.dtype), rows, self._row(divisor, x.dtype), out=rows)
        return root

    def _row(self, value: float, dtype: torch.dtype) -> Float[Tensor, "width"]:
        key = value, dtype
        if key not in self._rows:
            self._rows[key] = torch.full((_WIDTH,), value, dtype=dtype)
        return self._rows[key]


_PLAIN = (Tensor, nn.Parameter)


def _room(x: Shaped[Tensor, "*shape"]) -> Room | None:
    """Memory like ``x`` and the same in rows; none in half precision, where two operations round twice."""
    if x.dtype not in (torch.float32, torch.float64) or x.device.type != "cpu" or not x.is_contiguous():
        return None
    rows = torch.zeros(-(-x.numel() // _WIDTH), _WIDTH, dtype=x.dtype)
    return rows.view(-1)[: x.numel()].view(x.shape), rows
