"""Where each sample starts: pure functions of its index, so the state is three integers.

A sampler maps the global sample index 0, 1, 2, ... to a start in the token file. Nothing is stored or
shuffled in memory: resuming anywhere costs nothing, and which process reads which index changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Int64, UInt64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_ROUNDS = 6


class Sampler(Protocol):
    """Sample indices to starts; ``windows`` is how many different starts there are."""

    @property
    def seed(self) -> int: ...
    @property
    def windows(self) -> int: ...
    def starts(self, index: Int64[np.ndarray, "batch"], /) -> Int64[np.ndarray, "batch"]: ...


def mix(x: UInt64[np.ndarray, "..."], /) -> UInt64[np.ndarray, "..."]:
    """Scramble 64-bit integers: the finaliser of SplitMix64 (Steele, Lea, Flood 2014)."""
    x = x + _GOLDEN
    x = (x ^ (x >> _S30)) * _MIX1
    x = (x ^ (x >> _S27)) * _MIX2
    mixed: np.ndarray = x ^ (x >> _S31)
    return mixed


def _key(*parts: int) -> np.ndarray:
    key = np.zeros(1, np.uint64)
    for part in parts:
        key = mix(key ^ np.array([part & (1 << 64) - 1], np.uint64))
    return key


def _windows(count: int, seq: int, windows: int) -> int:
    if windows < 1:
        raise ValueError(
            f"tokens: expected at least {seq + 1} (seq {seq} and the shifted target), got {count}"
        )
    return windows


@dataclass(frozen=True)
class UniformStarts:
    """Starts drawn uniformly from every position that has ``seq`` tokens and one more after it.

    >>> starts = UniformStarts(count=6, seq=3, seed=0).starts(np.arange(1000))
    >>> starts.min(), starts.max()  # the windows 0..3 and 2..5: both ends are reached
    (np.int64(0), np.int64(2))

    Raises:
        ValueError: ``seq`` is not at least 1, or there are fewer than ``seq + 1`` tokens.
    """

    count: int
    seq: int
    seed: int

    def __post_init__(self) -> None:
        if self.seq < 1:
            raise ValueError(f"seq: expected at least 1, got {self.seq}")
        _windows(self.count, self.seq, self.windows)

    @property
    def windows(self) -> int:
        """How many starts there are."""
        return self.count - self.seq

    def starts(self, index: Int64[np.ndarray, "batch"], /) -> Int64[np.ndarray, "batch"]:
        """The start of each sample."""
        # The bias of the modulus is below windows / 2**64.
        hashed = mix(index.astype(np.uint64) ^ _key(self.seed, 1))
        return (hashed % np.uint64(self.windows)).astype(np.int64)


@dataclass(frozen=True)
class EpochStarts:
    """Every window of ``seq`` tokens exactly once per epoch, each epoch in its own random order.

    The order is a permutation computed index by index (a Feistel network over the next power of four with
    cycle walking: Black and Rogaway 2002), so it needs no memory however long the file is.

    >>> sampler = EpochStarts(count=41, seq=4, seed=7)
    >>> first, second = sampler.starts(np.arange(10)), sampler.starts(np.arange(10, 20))
    >>> sorted(first.tolist()) == sorted(second.tolist()) == list(range(0, 40, 4))
    True
    >>> first.tolist() != second.tolist()
    True

    Raises:
        ValueError: ``seq`` is not at least 1, or there are fewer than ``seq + 1`` tokens.
    """

    count: int
    seq: int
    seed: int

    def __post_init__(self) -> None:
        if self.seq < 1:
            raise ValueError(f"seq: expected at least 1, got {self.seq}")
        _windows(self.count, self.seq, self.windows)

    @property
    def windows(self) -> int:
        """How many windows an epoch has."""
        return (self.count - 1) // self.seq

    def starts(self, index: Int64[np.ndarray, "batch"], /) -> Int64[np.ndarray, "batch"]:
        """The start of each sample; index ``epoch * windows + i`` is place ``i`` of that epoch."""
        epoch, place = np.divmod(index, self.windows)
        result = np.empty_like(index)
        for each in range(int(epoch.min()), int(epoch.max()) + 1) if index.size else ():
            here = epoch == each
            result[here] = permute(place[here], self.windows, _key(self.seed, 2, each))
        return result * self.seq


def permute(
    index: Int64[np.ndarray, "batch"], size: int, key: UInt64[np.ndarray, "1"]
) -> Int64[np.ndarray, "batch"]:
    """A keyed permutation of ``range(size)``, evaluated at ``index``."""
    half = np.uint64(max(1, ((size - 1).bit_length() + 1) // 2))
    mask = np.uint64((1 << int(half)) - 1)
    keys = [mix(key + np.uint64(r)) for r in range(_ROUNDS)]
    x = index.astype(np.uint64)
    todo = np.arange(len(x))
    while todo.size:  # the network permutes a domain of at most 4 * size; walk until inside
        y = x[todo]
        left, right = y >> half, y & mask
        for k in keys:
            left, right = right, left ^ (mix(right ^ k) & mask)
        x[todo] = (left << half) | right
        todo = todo[x[todo] >= np.uint64(size)]
    return x.astype(np.int64)
