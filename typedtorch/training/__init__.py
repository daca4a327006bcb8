"""Training: a small loop made of parts, one complete state, checkpoints that are whole or absent."""

from typedtorch.training.callbacks import Callback, EarlyStop
from typedtorch.training.checkpoint import CheckpointStore, load_checkpoint
from typedtorch.training.config import TrainConfig
from typedtorch.training.console import Console
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
from typedtorch.training.job import TrainResult, train
from typedtorch.training.loggers import JsonLines, Logger
from typedtorch.training.seed import seed_everything
from typedtorch.training.settings import LoopSettings
from typedtorch.training.step import LossSum
from typedtorch.training.trainer import FitResult, Trainer

__all__ = [
    "Callback",
    "CallbackError",
    "CheckpointError",
    "CheckpointMismatch",
    "CheckpointStore",
    "ConfigError",
    "Console",
    "DamagedCheckpoint",
    "EarlyStop",
    "FitResult",
    "Interrupted",
    "JsonLines",
    "Logger",
    "LoopSettings",
    "LossSum",
    "NonFiniteError",
    "OutOfMemory",
    "RunFolderError",
    "TrainConfig",
    "TrainResult",
    "Trainer",
    "load_checkpoint",
    "seed_everything",
    "train",
]
