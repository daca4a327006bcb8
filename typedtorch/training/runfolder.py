"""The folder of one run: made once, held by one process."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typedtorch.data.files import write_atomically
from typedtorch.training.errors import RunFolderError

CONFIG, METRICS, SUMMARY, PICTURE, PANELS, PAGE, CHECKPOINTS, PROFILE = (
    "config.json", "metrics.jsonl", "summary.json", "loss.png", "report.png", "report.html", "checkpoints",
    "profile",
)  # fmt: skip


class RunFolder:
    """``config.json``, ``metrics.jsonl``, ``checkpoints/``, ``summary.json``, ``report.html``, pictures.

    Holds a lock that the operating system drops when the process ends, however it ends.

    Raises:
        RunFolderError: not a folder, not writable, or in use by another process.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.path / ".lock", "a+", encoding="ascii")  # noqa: SIM115 - held until close
        except OSError as error:
            found = error.strerror or repr(error)
            raise RunFolderError(self.path, "a folder that can be written", found) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.seek(0)
            holder = self._lock.read().strip() or "another process"
            self._lock.close()
            raise RunFolderError(
                self.path, "a run folder of its own", f"in use by process {holder}"
            ) from error
        try:
            self._lock.seek(0)
            self._lock.truncate()
            self._lock.write(str(os.getpid()))
            self._lock.flush()
        except OSError as error:
            with contextlib.suppress(OSError):  # closing writes once more
                self._lock.close()
            found = error.strerror or repr(error)
            raise RunFolderError(self.path, "a folder that can be written", found) from error

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        """Write one file, whole or not at all."""
        write_atomically(self.path / name, (json.dumps(value, indent=2) + "\n").encode())

    def close(self) -> None:
        """Let another process have the folder."""
        with contextlib.suppress(ValueError):
            self._lock.close()


def new_run_path(root: str | os.PathLike[str] = "runs") -> Path:
    """A folder name that is not taken: the date and the time."""
    stem = Path(root, time.strftime("%Y%m%d-%H%M%S"))
    path, n = stem, 1
    while path.exists():
        n += 1
        path = stem.with_name(f"{stem.name}-{n}")
    return path


def latest_run(root: str | os.PathLike[str] = "runs") -> Path | None:
    """The run folder with checkpoints that was started last."""
    found = [p for p in Path(root).glob("*") if (p / CHECKPOINTS).is_dir() and (p / CONFIG).is_file()]
    return max(found, key=lambda p: (p / CONFIG).stat().st_mtime, default=None)


def read_config(path: Path) -> dict[str, Any]:
    """The settings a run was started with.

    Raises:
        RunFolderError: missing or not readable as settings.
    """
    try:
        value = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        found = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise RunFolderError(path / CONFIG, "the settings of a run", found) from error
    settings = value.get("settings") if isinstance(value, dict) else None
    if not isinstance(settings, dict):
        found = "an object without" if isinstance(value, dict) else f"a {type(value).__name__}"
        raise RunFolderError(path / CONFIG, "an object with settings", found)
    return settings
