"""The settings of ``typedtorch.train``, in frozen groups, and the flat names of them all.

Every field has one name in Python (``train(lr=1e-3)``) and on the command line (``--lr 1e-3``). A value that
is None depends on the device and is settled by :func:`resolve`.
"""

from __future__ import annotations

import dataclasses
import numbers
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, get_args, get_origin, get_type_hints

import torch

from typedtorch.training.distributed import ParallelName
from typedtorch.training.errors import ConfigError, told
from typedtorch.training.names import meant
from typedtorch.training.precision import PrecisionLike, plain_name
from typedtorch.training.settings import NonFinitePolicy

ScheduleName = Literal["cosine", "linear", "wsd", "constant"]


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The Transformer; sizes that are not given depend on the device."""

    layers: int | None = None
    """Blocks (4 on a CPU, 12 on a GPU)."""
    d_model: int | None = None
    """Width of the residual stream (128 / 1024)."""
    heads: int | None = None
    """Query heads (4 / 8)."""
    kv_heads: int | None = None
    """Key and value heads; as many as query heads unless given."""
    d_ff: int | None = None
    """Width of the feed-forward layers; about 8/3 of d_model unless given."""
    seq: int | None = None
    """Tokens of context (256 / 1024)."""
    dropout: float = 0.0
    """Probability of dropping an activation while training."""
    tie: bool = True
    """Use the embedding table as the unembedding."""


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """What data is read, and in what order."""

    data: str = "stdlib"
    """Text or tokens: a file, folder or glob (shards are joined); "stdlib" is Python's own sources."""
    token_dtype: Literal["uint8", "uint16", "uint32", "int32", "int64"] | None = None
    """What a raw file of tokens holds (uint16 unless given); says that the file is not text."""
    vocab: int | None = None
    """Tokens of the vocabulary, for files that do not say."""
    val_fraction: float = 0.05
    """Share of the tokens, at the end, held out for validation; 0 holds none out and evaluates nothing."""
    sampler: Literal["epochs", "uniform"] = "epochs"
    """Every window once per epoch in random order, or starts drawn uniformly."""
    prefetch: int | None = None
    """Batches read ahead by a thread (0 on a CPU, 4 on a GPU)."""


@dataclass(frozen=True, kw_only=True)
class OptimConfig:
    """AdamW, its schedule, and the limits on gradients."""

    lr: float | None = None
    """Peak learning rate (2e-3 / 6e-4)."""
    warmup: int | None = None
    """Steps of linear warm-up (a tenth of the steps, at most 200)."""
    schedule: ScheduleName = "cosine"
    """Shape of the learning rate after the warm-up."""
    final_lr: float = 0.05
    """The last learning rate, as a share of the peak."""
    weight_decay: float = 0.1
    """Decay of matrices; norms and biases have none."""
    beta1: float = 0.9
    """Decay of the first moment."""
    beta2: float = 0.95
    """Decay of the second moment."""
    clip: float = 1.0
    """Largest global norm of the gradients."""
    ema: float = 0.0
    """Decay of an average of the weights that is evaluated and sampled from; 0 keeps none."""


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """How long a run is, how often it reports and saves, and where it writes."""

    steps: int | None = None
    """Optimizer steps (1600 / 2000)."""
    batch: int | None = None
    """Sequences per step, over all processes (4 / 32)."""
    micro_batch: int | None = None
    """Sequences at a time in one process; the batch divided by the processes unless given."""
    seed: int = 0
    """Seed of the weights, the order of the data, dropout and sampling."""
    log_every: int | None = None
    """Steps between lines of figures (a fiftieth of the steps)."""
    eval_every: int | None = None
    """Steps between evaluations (a quarter of the steps)."""
    eval_tokens: int | None = None
    """Tokens per evaluation (100,000 / 2,000,000, or all that there are)."""
    sanity: int = 0
    """Batches of evaluation to try before the first step; 0 for none."""
    overfit: int = 0
    """Train on this many micro-batches over and over, to see whether it can learn at all; 0 trains on all."""
    save_every: int | None = None
    """Steps between checkpoints (half of the steps)."""
    keep: int = 2
    """Checkpoints kept."""
    out: str | None = None
    """Run folder; runs/<date>-<time> unless given."""
    resume: str = "never"
    """never; auto (the newest undamaged checkpoint of --out, or of the latest run); or a folder."""
    sample: int = 400
    """Tokens sampled at the end; 0 for none."""
    plot: bool = True
    """Draw the pictures of the report at the end."""
    profile: bool = False
    """Write profile/trace.json of a few steps (for Perfetto), and on a GPU profile/memory.pickle."""


@dataclass(frozen=True, kw_only=True)
class MachineConfig:
    """What a run computes on, and what it does about faults."""

    device: str = "auto"
    """cpu, cuda, cuda:1, ...; auto takes a GPU where there is one."""
    precision: Literal["auto", "fp32", "bf16", "fp16", "fp8"] = "auto"
    """Dtype of matrix products; auto is fp32 on a CPU, bf16 on a GPU that has it; fp8 is for the blocks."""
    compile: bool | None = None
    """Use torch.compile (by default on a GPU only)."""
    deterministic: bool = False
    """Refuse operators that do not repeat bit for bit."""
    recompute: bool = False
    """Activation checkpointing: keep the input of each block and compute the rest again."""
    parallel: ParallelName = "auto"
    """How processes share the work under torchrun; auto is ddp."""
    background_save: bool = False
    """Write checkpoints in a thread while training goes on."""
    nonfinite: NonFinitePolicy = "raise"
    """After a NaN or infinite loss or gradient, whose step is never applied: raise, skip or rollback."""
    spike: float = 0.0
    """Report a loss this many standard deviations above the recent ones; 0 reports none."""
    halve_on_oom: bool = False
    """When memory runs out: halve the micro-batch, keep the batch, and go on."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """All settings of ``typedtorch.train``, in five groups; every setting has one flat name.

    >>> config = TrainConfig().override(lr=1e-3, layers=2)
    >>> config.optim.lr, config.model.layers
    (0.001, 2)
    >>> TrainConfig().override(layer=2)
    Traceback (most recent call last):
    typedtorch.training.errors.ConfigError: unknown setting 'layer'; did you mean 'layers'?
    """

    model: ModelConfig = field(default_factory=ModelConfig)
    data: DataConfig = field(default_factory=DataConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
    run: RunConfig = field(default_factory=RunConfig)
    machine: MachineConfig = field(default_factory=MachineConfig)

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(TrainConfig).items():
            if not isinstance(found := getattr(self, name), kind):
                raise ConfigError(f"{name}: expected a {kind.__name__}, got {told(found)}")

    def override(self, **values: Any) -> TrainConfig:
        """A copy with some settings, by their flat names, replaced.

        Raises:
            ConfigError: a name that does not exist, or a value of another type.
        """
        groups: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            group = GROUP_OF.get(name)
            if group is None:
                close = meant(name, GROUP_OF)
                hint = f"; did you mean {close!r}?" if close else f"; there are {', '.join(GROUP_OF)}"
                raise ConfigError(f"unknown setting {name!r}{hint}")
            plain, hint = _plain(value), get_type_hints(type(getattr(self, group)))[name]
            if name == "resume" and isinstance(plain, bool):
                plain = "auto" if plain else "never"
            if name == "precision":
                plain = plain_name(value)
            if not _is_a(plain, hint):
                raise ConfigError(f"{name}: expected {_told(hint)}, got {value!r:.80}")
            groups.setdefault(group, {})[name] = plain
        changed = {g: dataclasses.replace(getattr(self, g), **v) for g, v in groups.items()}
        return dataclasses.replace(self, **changed)

    def given(self, names: Iterable[str] = ()) -> dict[str, Any]:
        """The settings that differ from the defaults, and those of ``names``, by their flat names."""
        defaults = TrainConfig().flat()
        return {k: v for k, v in self.flat().items() if v != defaults[k] or k in names}

    def flat(self) -> dict[str, Any]:
        """Every setting by its flat name."""
        return {name: getattr(getattr(self, group), name) for name, group in GROUP_OF.items()}

    @classmethod
    def from_flat(cls, values: Mapping[str, Any]) -> TrainConfig:
        """The inverse of :meth:`flat`, from a file that may hold anything.

        Raises:
            ConfigError: a name that does not exist, or a value of another type.
        """
        return cls().override(**values)


def _plain(value: object) -> object:
    """A path or a device as text, and any library's integer or real number as Python's."""
    match value:
        case os.PathLike():
            return os.fspath(value)
        case torch.device():
            return str(value)
        case bool():
            return value
        case numbers.Integral():
            return int(value)
        case numbers.Real():
            return float(value)
    return value


def _told(hint: Any) -> str:
    """A setting's type in words."""
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(repr, get_args(hint)))}"
    if get_args(hint):
        return " or ".join(_told(each) for each in get_args(hint))
    return "None" if hint is type(None) else str(hint.__name__)


def _is_a(value: object, hint: Any) -> bool:
    """Whether a plain value is of a setting's type."""
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_args(hint):
        return any(_is_a(value, each) for each in get_args(hint))
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is hint


GROUP_OF = {
    inner.name: outer.name
    for outer in dataclasses.fields(TrainConfig)
    for inner in dataclasses.fields(outer.default_factory)  # type: ignore[arg-type]  # the groups' classes
}
"""Flat name of each setting -> the group that holds it."""


Place = str | os.PathLike[str]


class Overrides(TypedDict, total=False):
    """The flat names, for type checkers: what ``typedtorch.train`` takes as keywords.

    Paths, devices and dtypes may be objects as well, and ``resume=True`` is ``"auto"``.
    """

    layers: int | None
    d_model: int | None
    heads: int | None
    kv_heads: int | None
    d_ff: int | None
    seq: int | None
    dropout: float
    tie: bool
    data: Place
    token_dtype: Literal["uint8", "uint16", "uint32", "int32", "int64"] | None
    vocab: int | None
    val_fraction: float
    sampler: Literal["epochs", "uniform"]
    prefetch: int | None
    lr: float | None
    warmup: int | None
    schedule: ScheduleName
    final_lr: float
    weight_decay: float
    beta1: float
    beta2: float
    clip: float
    ema: float
    steps: int | None
    batch: int | None
    micro_batch: int | None
    seed: int
    log_every: int | None
    eval_every: int | None
    eval_tokens: int | None
    sanity: int
    overfit: int
    save_every: int | None
    keep: int
    out: Place | None
    resume: Place | bool
    sample: int
    plot: bool
    profile: bool
    device: str | torch.device
    precision: PrecisionLike | Literal["auto"]
    compile: bool | None
    deterministic: bool
    recompute: bool
    parallel: ParallelName
    background_save: bool
    nonfinite: NonFinitePolicy
    spike: float
    halve_on_oom: bool
