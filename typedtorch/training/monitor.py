"""Callbacks that watch the machine: utilisation of the device, a profile, a snapshot of its memory."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from typedtorch.training.callbacks import Callback
from typedtorch.training.trainer import Trainer


class DeviceMonitor(Callback):
    """Logs utilisation, power and memory of the GPU; does nothing where ``pynvml`` is not installed.

    The memory is that in use on the whole device, by other processes too; the run's own is in every record.
    """

    def __init__(self) -> None:
        self._nvml: Any = None
        self._handle: Any = None

    def on_start(self, trainer: Trainer, /) -> None:
        """Find the device."""
        if trainer.device.type != "cuda":
            return
        try:
            self._nvml = importlib.import_module("pynvml")
            self._nvml.nvmlInit()
            self._handle = self._nvml.nvmlDeviceGetHandleByIndex(trainer.device.index or 0)
        except Exception:  # no NVML, or none that answers: there is less to log
            self._nvml = self._handle = None

    def on_log(self, trainer: Trainer, record: Mapping[str, object], /) -> None:
        """One record of its own at the same step."""
        if self._handle is not None:
            used = self._nvml.nvmlDeviceGetUtilizationRates(self._handle).gpu / 100
            watts = self._nvml.nvmlDeviceGetPowerUsage(self._handle) / 1000
            memory = self._nvml.nvmlDeviceGetMemoryInfo(self._handle).used
            figures = {"utilisation": used, "watts": watts, "device_memory": memory}
            trainer.loggers.log({"step": record["step"], **figures})


class Profile(Callback):
    """Writes ``trace.json`` (open it in Perfetto) of a few steps, and on a GPU ``memory.pickle``.

    The trace holds ``steps`` steps and begins with step number ``first`` of this process (steps before a
    resume do not count), or with the last step where the run is shorter. The memory snapshot is for
    https://pytorch.org/memory_viz.

    Raises:
        ValueError: ``first`` or ``steps`` is less than 1.
    """

    def __init__(self, folder: str | Path, *, first: int = 5, steps: int = 3) -> None:
        if first < 1 or steps < 1:
            raise ValueError(f"profile: expected first and steps of at least 1, got {first} and {steps}")
        self.folder, self.first, self.steps = Path(folder), first, steps
        self._profiler: torch.profiler.profile | None = None
        self._after = 0

    def on_start(self, trainer: Trainer, /) -> None:
        """Begin at once where the first step is to be seen."""
        left = trainer.settings.steps - trainer.step
        self._after = trainer.step + max(1, min(self.first, left)) - 1
        if left > 0 and self._after == trainer.step:
            self._begin(trainer)

    def on_step(self, trainer: Trainer, /) -> None:
        """Begin before the first step, end after the last."""
        if self._profiler is not None and trainer.step >= self._after + self.steps:
            self._end(trainer)
        elif trainer.step == self._after:
            self._begin(trainer)

    def on_end(self, trainer: Trainer, /) -> None:
        """Write what there is where the run ended before."""
        self._end(trainer)

    def _begin(self, trainer: Trainer) -> None:
        activities = [torch.profiler.ProfilerActivity.CPU]
        if trainer.device.type == "cuda":
            activities.append(torch.profiler.ProfilerActivity.CUDA)
            torch.cuda.memory._record_memory_history()
        self._profiler = torch.profiler.profile(activities=activities, record_shapes=True)
        self._profiler.start()

    def _end(self, trainer: Trainer) -> None:
        if self._profiler is None:
            return
        profiler, self._profiler = self._profiler, None
        profiler.stop()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            profiler.export_chrome_trace(str(self.folder / "trace.json"))
        except OSError as error:  # training is worth more than its picture
            trainer.display.note(f"the profile could not be written: {error}")
        if trainer.device.type == "cuda":
            torch.cuda.memory._dump_snapshot(str(self.folder / "memory.pickle"))
            torch.cuda.memory._record_memory_history(enabled=None)
