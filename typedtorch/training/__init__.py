"""Training: a small loop made of parts, one complete state, checkpoints that are whole or absent."""

import importlib.util

if importlib.util.find_spec("rich") is None:
    raise ModuleNotFoundError("typedtorch.training needs rich: pip install 'typedtorch[train]'", name="rich")

from typedtorch.training import threads as threads

# isort: split  (the threads are told how to wait before anything below imports torch)
from typedtorch.training.adapters import TensorBoard, WeightsAndBiases
from typedtorch.training.callbacks import Callback, EarlyStop, Hooks
from typedtorch.training.checkpoint import CheckpointStore, consolidate, load_checkpoint
from typedtorch.training.config import TrainConfig
from typedtorch.training.console import Console
from typedtorch.training.distributed import Parallel, join
from typedtorch.training.errors import (
    CallbackError,
    CheckpointError,
    CheckpointMismatch,
    ConfigError,
    DamagedCheckpoint,
    Interrupted,
    NonFiniteError,
    OutOfMemory,
    RunFolderError,
)
from typedtorch.training.finder import RateTest, find_learning_rate
from typedtorch.training.job import TrainResult, train
from typedtorch.training.loggers import JsonLines, Logger
from typedtorch.training.monitor import DeviceMonitor, Profile
from typedtorch.training.protocols import FitResult
from typedtorch.training.seed import seed_everything
from typedtorch.training.settings import LoopSettings
from typedtorch.training.step import LossFunction, LossSum
from typedtorch.training.trainer import Trainer

__all__ = [
    "Callback",
    "CallbackError",
    "CheckpointError",
    "CheckpointMismatch",
    "CheckpointStore",
    "ConfigError",
    "Console",
    "DamagedCheckpoint",
    "DeviceMonitor",
    "EarlyStop",
    "FitResult",
    "Hooks",
    "Interrupted",
    "JsonLines",
    "Logger",
    "LoopSettings",
    "LossFunction",
    "LossSum",
    "NonFiniteError",
    "OutOfMemory",
    "Parallel",
    "Profile",
    "RateTest",
    "RunFolderError",
    "TensorBoard",
    "TrainConfig",
    "TrainResult",
    "Trainer",
    "WeightsAndBiases",
    "consolidate",
    "find_learning_rate",
    "join",
    "load_checkpoint",
    "seed_everything",
    "train",
]
