"""Every random generator a run draws from: seeded in one call, captured and restored in one call."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

RngState = dict[str, Any]


def seed_everything(seed: int) -> None:
    """Seed torch (CPU and every GPU), numpy's global generator and ``random``.

    >>> seed_everything(1); a = torch.rand(2), np.random.rand(), random.random()
    >>> seed_everything(1); b = torch.rand(2), np.random.rand(), random.random()
    >>> torch.equal(a[0], b[0]) and a[1:] == b[1:]
    True

    Raises:
        ValueError: ``seed`` is not in 0 .. 2**32 - 1 (what numpy takes).
    """
    if not 0 <= seed < 1 << 32:
        raise ValueError(f"seed: expected 0 to 2**32 - 1, got {seed}")
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def capture_rng() -> RngState:
    """The state of every generator, as plain values and tensors."""
    state: RngState = {
        "torch": torch.get_rng_state(),
        "numpy": np.random.get_state(),
        "python": random.getstate(),
    }
    if torch.cuda.is_initialized():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def restore_rng(state: RngState) -> None:
    """Put every captured generator back; GPU states are used where there are as many GPUs."""
    torch.set_rng_state(state["torch"].clone())  # torch reads it as a struct: it has to be aligned
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])
    if "cuda" in state and torch.cuda.is_available() and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(state["cuda"])


@contextlib.contextmanager
def deterministic(wanted: bool) -> Iterator[None]:
    """Inside, where ``wanted``, torch refuses operators that do not repeat bit for bit; afterwards as before.

    >>> with deterministic(True):
    ...     torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    before = torch.are_deterministic_algorithms_enabled()
    warning = torch.is_deterministic_algorithms_warn_only_enabled()
    if wanted:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS starts
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warning)
