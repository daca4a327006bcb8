"""What token sources have in common: how they are read, sliced and closed, and what they refuse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import torch
from jaxtyping import Int64, Integer

from typedtorch.data.errors import DataError


class RowBuffer:
    """``batch`` rows of ``length`` tokens, as an array, as a tensor, and as the views ``preadv`` fills.

    Made once, used many times.
    """

    def __init__(self, rows: Integer[np.ndarray, "batch length"]) -> None:
        self.rows, self.tensor = rows, torch.from_numpy(rows)
        self.views: list[Sequence[memoryview]] = [[memoryview(row).cast("B")] for row in rows]


class Tokens(Protocol):
    """A readable sequence of token ids."""

    @property
    def name(self) -> str: ...
    @property
    def vocab(self) -> int: ...
    @property
    def separator(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[np.integer]: ...
    def __len__(self) -> int: ...
    def read(self, starts: Int64[np.ndarray, "batch"], out: RowBuffer, /) -> None: ...
    def fingerprint(self) -> str: ...


class OpenTokens(Tokens, Protocol):
    """What :func:`open_tokens` returns, wherever the tokens are: also sliced, closed, used in ``with``."""

    def slice(self, start: int, stop: int) -> Integer[np.ndarray, "tokens"]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Closing(ABC):
    """``with tokens:`` closes them at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let the tokens go."""


def check_open(tokens: Tokens, closed: bool) -> None:
    """Refuse to read what was closed.

    Raises:
        DataError: they are.
    """
    if closed:
        raise DataError(tokens.name, "open tokens", "closed ones")


def check_slice(tokens: Tokens, start: int, stop: int) -> None:
    """Refuse a slice that does not lie in ``tokens``.

    Raises:
        DataError: it ends before it starts, or outside.
    """
    if not 0 <= start <= stop <= len(tokens):
        raise DataError(tokens.name, f"a slice within 0 to {len(tokens)}", f"{start} to {stop}")


def check_bounds(tokens: Tokens, starts: np.ndarray, length: int) -> None:
    """Refuse windows that do not lie in ``tokens``.

    Raises:
        DataError: naming the first that does not.
    """
    low, high = int(starts.min(initial=0)), int(starts.max(initial=0))
    if low < 0 or high + length > len(tokens):
        where = low if low < 0 else high
        raise DataError(
            tokens.name, f"starts from 0 to {len(tokens) - length} for {length} tokens", f"start {where}"
        )
