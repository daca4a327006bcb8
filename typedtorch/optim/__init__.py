"""Optimizers as pure rules and as ``torch.optim.Optimizer`` classes; schedules, clipping, groups."""

from typedtorch.optim import pure
from typedtorch.optim.clipping import Clipped, ClippedValues, clip_by_global_norm, clip_by_value, global_norm
from typedtorch.optim.ema import ema, ema_decay
from typedtorch.optim.facade import Facade
from typedtorch.optim.groups import decay_groups, is_matrix
from typedtorch.optim.optimizers import SGD, Adafactor, Adagrad, Adam, AdamW, Lion, Muon, RMSprop
from typedtorch.optim.schedules import (
    constant,
    inverse_sqrt,
    warmup_cosine,
    warmup_linear,
    warmup_stable_decay,
)

__all__ = [
    "SGD",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Clipped",
    "ClippedValues",
    "Facade",
    "Lion",
    "Muon",
    "RMSprop",
    "clip_by_global_norm",
    "clip_by_value",
    "constant",
    "decay_groups",
    "ema",
    "ema_decay",
    "global_norm",
    "inverse_sqrt",
    "is_matrix",
    "pure",
    "warmup_cosine",
    "warmup_linear",
    "warmup_stable_decay",
]
