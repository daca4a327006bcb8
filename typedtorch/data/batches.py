"""Batches for next-token prediction: inputs, and the same tokens shifted by one as targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int64, Integer
from torch import Tensor

from typedtorch.data.samplers import Sampler
from typedtorch.data.tokens import RowBuffer, Tokens

_BLOCK = 4096  # starts computed at a time; a derived cache, never saved
_FARTHEST = 1 << 62  # an index is 64 bits


class Batch(NamedTuple):
    """Inputs of a language model, and the next token at each position: ``(batch, seq)`` each, int64."""

    inputs: Integer[Tensor, "batch seq"]
    targets: Integer[Tensor, "batch seq"]


def row_buffer(batch: int, seq: int, dtype: np.dtype[np.integer], *, pinned: bool = False) -> RowBuffer:
    """Room for ``batch`` windows of ``seq + 1`` tokens; pinned, the GPU can copy from it on its own.

    >>> from typedtorch.data import MemoryTokens
    >>> tokens = MemoryTokens(np.arange(10, dtype=np.uint8), vocab=10)
    >>> room = row_buffer(2, 3, tokens.dtype)
    >>> get_batch(tokens, [0, 5], seq=3, out=room).targets.tolist(), room.rows.tolist()
    ([[1, 2, 3], [6, 7, 8]], [[0, 1, 2, 3], [5, 6, 7, 8]])
    """
    if not pinned:
        return RowBuffer(np.ndarray((batch, seq + 1), dtype))
    pin = torch.empty(batch, (seq + 1) * dtype.itemsize, dtype=torch.uint8, pin_memory=True)
    return RowBuffer(pin.numpy().view(dtype))


def get_batch(
    tokens: Tokens,
    starts: Int64[np.ndarray, "batch"] | Sequence[int],
    seq: int,
    *,
    device: torch.device | str = "cpu",
    out: RowBuffer | None = None,
) -> Batch:
    """Read one batch: ``inputs[b, t] = tokens[starts[b] + t]`` and ``targets[b, t] = inputs[b, t + 1]``.

    The window crosses to ``device`` as it is stored and becomes int64 there. ``out`` (from
    :func:`row_buffer`) saves an allocation per call.

    >>> from typedtorch.data import MemoryTokens
    >>> tokens = MemoryTokens(np.arange(10, dtype=np.uint8), vocab=10)
    >>> get_batch(tokens, np.array([0, 5]), seq=3)
    Batch(inputs=tensor([[0, 1, 2],
            [5, 6, 7]]), targets=tensor([[1, 2, 3],
            [6, 7, 8]]))

    Raises:
        ValueError: ``seq`` is not at least 1, a start is no whole number, the starts are no list of them, or
            ``out`` is of another size or dtype.
        TypeError: ``tokens`` is an array: :class:`MemoryTokens` makes tokens of one.
        DataError: a start outside the tokens, an id outside the vocabulary, or a file that shrank.
    """
    if not hasattr(tokens, "read"):  # an array, which does not say its vocabulary
        raise TypeError(f"get_batch: tokens are a {type(tokens).__name__}; pass MemoryTokens(tokens)")
    if seq < 1:
        raise ValueError(f"get_batch: seq is at least 1, got {seq}")
    given = np.asarray(starts)
    if given.ndim != 1:
        raise ValueError(f"get_batch: starts are one-dimensional, one for each row, got {given.shape}")
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"get_batch: starts are whole numbers, got {given.ravel()[0]}")
    where: Int64[np.ndarray, "batch"] = given.astype(np.int64, copy=False)
    out = out or row_buffer(len(where), seq, tokens.dtype)
    if out.rows.shape != (len(where), seq + 1) or out.rows.dtype != tokens.dtype:
        wanted = f"{tokens.dtype} of {(len(where), seq + 1)}"
        raise ValueError(f"get_batch: out is {out.rows.dtype} of {out.rows.shape}, wanted {wanted}")
    tokens.read(where, out)
    return as_batch(out, torch.device(device))


def as_batch(rows: RowBuffer, device: torch.device) -> Batch:
    """The filled buffer as int64 inputs and targets on ``device``; the copy may still be under way."""
    if device.type == "cpu":  # numpy's cast wakes no second thread for 10 microseconds of work
        window = torch.from_numpy(rows.rows.astype(np.int64))
    else:
        window = rows.tensor.to(device, non_blocking=True).to(torch.int64)
    return Batch(window[:, :-1], window[:, 1:])


@dataclass(frozen=True)
class Shard:
    """Which part of each global batch this process reads.

    Raises:
        ValueError: ``rank`` is not in 0 .. world - 1.
    """

    rank: int = 0
    world: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.rank < self.world:
            raise ValueError(f"Shard: rank is from 0 to {self.world - 1}, got {self.rank}")


class TokenBatches:
    """An endless, resumable stream of batches.

    ``position`` counts samples over all processes; process ``rank`` of ``world`` reads the samples
    ``position + rank * batch`` to ``position + (rank + 1) * batch``, so the order of the data does not depend
    on how many processes share it. The whole state is three integers: seed, windows, position.

    >>> from typedtorch.data import EpochStarts, MemoryTokens
    >>> tokens = MemoryTokens(np.arange(9, dtype=np.uint8), vocab=9)
    >>> batches = TokenBatches(tokens, EpochStarts(9, seq=2, seed=0), batch=2, seq=2)
    >>> [sorted(next(batches).inputs[:, 0].tolist()) for _ in range(2)], batches.state_dict()["position"]
    ([[2, 6], [0, 4]], 4)

    Raises:
        ValueError: ``batch`` or ``seq`` is not at least 1, or the sampler's windows are of another ``seq``.
    """

    endless = True
    """No process has to ask the others whether they still have a batch."""

    def __init__(
        self,
        tokens: Tokens,
        sampler: Sampler,
        *,
        batch: int,
        seq: int,
        shard: Shard = Shard(),
        device: torch.device | str = "cpu",
    ) -> None:
        if batch < 1 or seq < 1:
            raise ValueError(f"TokenBatches: batch and seq are at least 1, got {batch} and {seq}")
        windows = getattr(sampler, "seq", seq)  # a sampler of your own need not say
        if windows != seq:
            raise ValueError(f"TokenBatches: seq is {seq}, and the sampler's windows are of {windows}")
        self.tokens, self.sampler, self.batch, self.seq, self.shard = tokens, sampler, batch, seq, shard
        self.device, self.position = torch.device(device), 0
        self._slot = row_buffer(batch, seq, tokens.dtype)
        self._block, self._starts = -1, np.empty(0, np.int64)

    def __iter__(self) -> TokenBatches:
        return self

    def __next__(self) -> Batch:
        batch = self.fill(self.position, self._slot)
        self.position += self.stride
        return as_batch(batch, self.device)

    @property
    def stride(self) -> int:
        """Samples that all processes together take per batch."""
        return self.batch * self.shard.world

    def fill(self, position: int, slot: RowBuffer) -> RowBuffer:
        """Read the batch at ``position`` into ``slot``."""
        self.tokens.read(self._at(position + self.shard.rank * self.batch), slot)
        return slot

    def _at(self, first: int) -> Int64[np.ndarray, "batch"]:
        block, inside = divmod(first, _BLOCK)
        if block != self._block:
            index = np.arange(block * _BLOCK, (block + 1) * _BLOCK + self.batch)
            self._block, self._starts = block, self.sampler.starts(index)
        return self._starts[inside : inside + self.batch]

    def state_dict(self) -> dict[str, int]:
        """Seed, number of windows and position."""
        return {"seed": self.sampler.seed, "windows": self.sampler.windows, "position": self.position}

    def problems(self, state: object) -> list[str]:
        """What keeps a saved position from meaning the same samples here, one line each."""
        if not isinstance(state, Mapping):
            return [f"data: expected a saved position, found a {type(state).__name__}"]
        here = self.state_dict()
        found = [
            f"data {key}: the saved position is for {state.get(key)!r:.80}, this data has {here[key]}"
            for key in ("seed", "windows")
            if type(state.get(key)) is not int or state[key] != here[key]
        ]
        position = state.get("position")
        if type(position) is not int or not 0 <= position < _FARTHEST:
            found.append(f"data position: expected a count of samples, found {position!r:.80}")
        return found

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Continue where ``state`` was taken.

        Raises:
            ValueError: the state belongs to another seed or another amount of data.
        """
        for problem in self.problems(state):
            raise ValueError(problem)
        self.position = state["position"]

    def halve(self, drawn: int) -> bool:
        """Make the batches half as large, and take back the last ``drawn``; False where one row is left."""
        if self.batch % 2:
            return False
        self.position -= drawn * self.stride
        self.batch //= 2
        self._slot = row_buffer(self.batch, self.seq, self.tokens.dtype)
        self._block = -1
        return True
