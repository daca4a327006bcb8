"""Memory in use, and the most that was."""

from __future__ import annotations

import os

import torch


def memory_in_use(device: torch.device | None) -> int:
    """Bytes in use now: the allocator's on a GPU, the process's resident set on a CPU."""
    if device is not None and device.type == "cuda":
        return torch.cuda.memory_allocated(device)
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class PeakMemory:
    """The most memory in use since this was made, above what was in use then."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        if device.type == "cuda":
            torch.cuda.init()
            torch.cuda.reset_peak_memory_stats(device)
        self._before = memory_in_use(device)

    def bytes(self) -> int:
        """Peak growth in bytes; on a CPU of the resident set, which keeps what was freed."""
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device) - self._before
        try:
            with open("/proc/self/status", encoding="ascii") as file:
                line = next(line for line in file if line.startswith("VmHWM"))
        except (OSError, StopIteration):
            return 0
        return max(0, int(line.split()[1]) * 1024 - self._before)
