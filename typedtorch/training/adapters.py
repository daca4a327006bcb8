"""Loggers that hand each record to TensorBoard or to Weights & Biases, where those are installed."""

from __future__ import annotations

import importlib
import os
from typing import Any

from typedtorch.training.errors import ConfigError
from typedtorch.training.loggers import Record


def _needed(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(f"this logger needs {package}: pip install {package}") from error


def _numbers(record: Record) -> dict[str, float]:
    """The figures of a record, but for the step they belong to."""
    return {
        key: float(value)
        for key, value in record.items()
        if key != "step" and isinstance(value, int | float) and not isinstance(value, bool)
    }


class TensorBoard:
    """Writes every number of a record as a scalar at its step.

    Raises:
        ConfigError: tensorboard is not installed.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._writer = _needed("torch.utils.tensorboard", "tensorboard").SummaryWriter(os.fspath(folder))

    def log(self, record: Record, /) -> None:
        """One scalar per number."""
        for name, value in _numbers(record).items():
            self._writer.add_scalar(name, value, record["step"])

    def close(self) -> None:
        """Flush and close the event file."""
        self._writer.close()


class WeightsAndBiases:
    """Sends every number of a record to a run of Weights & Biases; offline unless ``mode`` says otherwise.

    Raises:
        ConfigError: wandb is not installed.
    """

    def __init__(self, project: str, *, mode: str = "offline", **options: Any) -> None:
        self._run = _needed("wandb", "wandb").init(project=project, mode=mode, **options)

    def log(self, record: Record, /) -> None:
        """One call per record."""
        self._run.log(_numbers(record), step=record["step"])

    def close(self) -> None:
        """Finish the run."""
        self._run.finish()
