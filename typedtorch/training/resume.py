"""Which folder a run writes to, which checkpoint it begins from, and what changed in between."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typedtorch.training import runfolder
from typedtorch.training.checkpoint import CheckpointStore, Saved, State
from typedtorch.training.config import MachineConfig, TrainConfig
from typedtorch.training.distributed import launched
from typedtorch.training.errors import ConfigError

# choices that belong to the machine rather than to the run: settled anew where it is resumed
_BY_MACHINE = ("precision", "compile", "prefetch", "micro_batch", "device", "parallel")
_PLACES = ("out", "resume")


@dataclass(frozen=True)
class Resumption:
    """The run folder, the settings to use, and where to begin."""

    path: Path
    config: TrainConfig
    resuming: bool
    checkpoint: Path | None = None
    """A particular checkpoint; None for the newest that holds."""
    configured: bool = False
    """Whether the settings are those of the folder: a run may have ended before its first checkpoint."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """What was given now and differs from what was stored: the name, and the change in words."""

    def load(self, store: CheckpointStore, *, whole: bool = True) -> tuple[Path, State]:
        """The checkpoint to begin from, verified; ``whole`` as in :func:`load_checkpoint`.

        Raises:
            DamagedCheckpoint: the one asked for, or every one there is.
        """
        if self.checkpoint is not None:
            return self.checkpoint, store.load(self.checkpoint, whole=whole)
        return store.latest(whole=whole)

    def stored(self, settled: TrainConfig, asked: TrainConfig) -> dict[str, Any]:
        """The settings to write down: settled, but for what each machine decides for itself."""
        given = asked.flat()
        kept = {**settled.flat(), **{name: given[name] for name in _BY_MACHINE}}
        return {name: value for name, value in kept.items() if name not in _PLACES}


def plan(asked: TrainConfig, explicit: Iterable[str]) -> Resumption:
    """Decide where to begin.

    Settings that were given now win over those of the run that is resumed, which win over the defaults.

    Raises:
        ConfigError: nothing to resume, or the folder already holds a run.
    """
    if asked.run.out == "":
        raise ConfigError("out: expected a folder, got an empty name")
    if asked.run.resume == "never":
        return _fresh(asked)
    found, checkpoint = _find(asked)
    path = found or Path(asked.run.out or "")
    if found is None and not (path / runfolder.CONFIG).exists():
        return Resumption(path, asked, resuming=False)
    stored = runfolder.read_config(path)
    given = asked.given(explicit)
    merged = {**stored, **given}
    if "parallel" not in given and not launched():  # what several processes trained goes on in one
        merged["parallel"] = MachineConfig().parallel
    changes = {
        name: f"{name}: {stored[name]!r} -> {value!r}"
        for name, value in given.items()
        if name not in _PLACES and name in stored and stored[name] != value
    }
    return Resumption(path, TrainConfig.from_flat(merged), found is not None, checkpoint, True, changes)


def _fresh(asked: TrainConfig) -> Resumption:
    path = _as_folder("out", asked.run.out) if asked.run.out else runfolder.new_run_path()
    if _has_checkpoints(path):
        raise ConfigError(f"out: {path} already holds a run: resume it (--resume), or name another folder")
    return Resumption(path, asked, resuming=False)


def _find(asked: TrainConfig) -> tuple[Path | None, Path | None]:
    """The run folder to resume and a particular checkpoint in it; no folder where ``out`` begins anew."""
    wanted = asked.run.resume
    if wanted == "auto":
        if asked.run.out is None:
            latest = runfolder.latest_run()
            if latest is None:
                raise ConfigError("resume: there is no run in runs/ to resume; name one with --out")
            return latest, None
        out = _as_folder("out", asked.run.out)
        return (out if _has_checkpoints(out) else None), None
    path = _as_folder("resume", wanted)
    if Saved.parse(path) is not None and os.path.isdir(path):
        return path.parent.parent, path
    if _has_checkpoints(path):
        return path, None
    if not os.path.exists(path):
        raise ConfigError(f"resume: expected auto, or a run folder that is there, got {wanted!r}")
    wanted, found = "a run folder with a checkpoint", f"none in {path / runfolder.CHECKPOINTS}"
    raise ConfigError(f"resume: expected {wanted}, found {found} (--resume --out {path} begins at step 0)")


def _has_checkpoints(path: Path) -> bool:
    checkpoints = path / runfolder.CHECKPOINTS
    return os.path.isdir(checkpoints) and any(Saved.parse(each) for each in checkpoints.iterdir())


def _as_folder(setting: str, name: str) -> Path:
    """The path, which is a folder or is not there, and below no file."""
    path = Path(name)
    for each in (path, *path.parents):
        if os.path.exists(each) and not os.path.isdir(each):
            raise ConfigError(f"{setting}: expected a folder, {each} is a file")
    return path
