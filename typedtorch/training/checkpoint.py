"""Checkpoints that are whole or absent, and that are believed only after every byte was checked.

::

    checkpoints/step-00000100/model.safetensors   the weights
                              state.safetensors   every other tensor: optimizer, generators, averages
                              state.json          the shape of the state and its plain values
                              shards/             the tensors instead, where several processes hold parts
                              manifest.json       size and checksums of the files above; written last

A checkpoint is written into a folder with a temporary name, flushed, and renamed; nothing that has its final
name is ever changed. There is no pointer to the latest: it is the highest step whose manifest holds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from torch import Tensor

from typedtorch.data.files import fsync_folder, not_for_all
from typedtorch.training import divided, shards
from typedtorch.training.checked import CheckedFile, CheckedWriter
from typedtorch.training.errors import CheckpointError, DamagedCheckpoint
from typedtorch.training.staging import Staging
from typedtorch.training.tensorfile import read_tensors, write_tensors
from typedtorch.training.tree import Unserialisable, decode, encode

FORMAT = 2
_READABLE = (1, 2)  # 1 had one sha256 for each file
MANIFEST, MODEL, STATE, SKELETON = "manifest.json", "model.safetensors", "state.safetensors", "state.json"
_NAME = re.compile(r"step-(\d{8,})(?:\.(\d+))?")
_TEMPORARY = ".saving-"
_TRASH = ".removing-"
_ASIDE = "left-"

State = dict[str, Any]
Note = Callable[[str], None]


def _warn(text: str) -> None:
    """A warning at the line that asked for the checkpoint."""
    warnings.warn(text, stacklevel=3)


@dataclass(frozen=True, order=True)
class Saved:
    """One checkpoint in a folder; ``revision`` counts repeated saves of one step."""

    step: int
    revision: int
    path: Path

    @classmethod
    def parse(cls, path: Path) -> Saved | None:
        """What a folder's name says, or None for any other folder."""
        match = _NAME.fullmatch(path.name)
        return cls(int(match[1]), int(match[2] or 0), path) if match else None


class CheckpointStore:
    """The checkpoints of one run; ``note`` is told of damaged ones, which is a warning unless given.

    >>> import tempfile, torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = CheckpointStore(folder)
    ...     _ = store.save(3, {"model": {"w": torch.ones(2)}, "counters": {"step": 3}})
    ...     store.latest()[1]
    {'model': {'w': tensor([1., 1.])}, 'counters': {'step': 3}}

    Raises:
        ValueError: ``keep`` is less than 1.
        CheckpointError: the folder cannot be created or written to.
    """

    def __init__(self, folder: str | os.PathLike[str], *, keep: int = 2, note: Note = _warn) -> None:
        if keep < 1:
            raise ValueError(f"keep: expected at least 1 checkpoint, got {keep}")
        self.folder, self.keep, self._note = Path(os.path.realpath(folder)), keep, note
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._staging = Staging()
        self._prepare()

    def _prepare(self) -> None:
        """Create the folder, prove now that it can be written, sweep what a killed process left."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe = self.folder / f".probe-{os.getpid()}"
            probe.write_bytes(b"x")
            probe.unlink()
        except OSError as error:
            found = error.strerror or repr(error)
            raise CheckpointError(self.folder, "a folder that can be written", found) from error
        for entry in self.folder.iterdir():
            if entry.name.startswith((_TEMPORARY, _TRASH)):
                shutil.rmtree(entry, ignore_errors=True)

    def saved(self, *, before: int | None = None) -> list[Saved]:
        """Every checkpoint with a final name, up to step ``before``, oldest first; not yet verified."""
        found = [Saved.parse(path) for path in self.folder.iterdir() if not path.is_symlink()]
        return sorted(each for each in found if each is not None and (before is None or each.step <= before))

    def forget_after(self, path: str | os.PathLike[str]) -> None:
        """Remove the checkpoints after this one: the run goes on from here on another way."""
        for each in self._after(Path(path)):
            self._remove(each.path)

    def set_aside_after(self, path: str | os.PathLike[str]) -> list[Path]:
        """Rename the checkpoints after this one, so that none of them is the newest; where they now are."""
        moved = []
        for each in self._after(Path(path)):
            place, n = self.folder / f"{_ASIDE}{each.path.name}", 1
            while place.exists():
                n += 1
                place = self.folder / f"{_ASIDE}{each.path.name}-{n}"
            os.rename(each.path, place)
            moved.append(place)
        return moved

    def _after(self, path: Path) -> list[Saved]:
        here = Saved.parse(path)
        if here is None or os.path.realpath(path.parent) != str(self.folder):
            return []  # it lies elsewhere, and says nothing about those here
        key = (here.step, here.revision)
        return [each for each in self.saved() if (each.step, each.revision) > key]

    # --- writing

    def save(self, step: int, state: State, *, beside: Path | None = None) -> Path:
        """Write the state of ``step`` and prune; returns the new folder.

        ``beside`` is a folder of files on the same disk that becomes part of the checkpoint, as ``shards``.

        Raises:
            CheckpointError: the state holds what cannot be saved, or the disk refused; older ones are kept.
        """
        self.wait()
        return self._save(step, *_split(self.folder, state), beside)

    def place_for_shards(self, step: int) -> Path:
        """Where several processes may write before :meth:`save`; swept at the next start."""
        return self.folder / f"{_TEMPORARY}{os.getpid()}-{step:08d}-shards"

    def save_in_background(self, step: int, state: State) -> None:
        """Copy the state now and write it in a thread; a failure is raised by the next save or wait.

        The memory of the copy is kept for the next one: fresh memory costs several times the copying.

        Raises:
            CheckpointError: the previous background save failed.
        """
        self.wait()
        skeleton, tensors = _split(self.folder, state)
        copied = self._staging.copy(tensors)

        def work() -> None:
            try:
                self._save(step, skeleton, copied)
            except BaseException as error:
                self._failure = error

        self._thread = threading.Thread(target=work, name="typedtorch-save")
        self._thread.start()

    def wait(self) -> None:
        """Until the background save is on the disk.

        Raises:
            CheckpointError: it failed.
        """
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _save(
        self, step: int, skeleton: object, tensors: Mapping[str, Tensor], beside: Path | None = None
    ) -> Path:
        temporary = self.folder / f"{_TEMPORARY}{os.getpid()}-{step:08d}"
        try:
            final = self._write(step, temporary, skeleton, tensors, beside)
        except (OSError, TypeError) as error:
            full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            found = (error.strerror if isinstance(error, OSError) else None) or str(error)
            hint = "the disk is full; older checkpoints are untouched" if full else ""
            raise CheckpointError(temporary, "a complete write", found, hint) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        self._prune(final)
        return final

    def _write(
        self,
        step: int,
        temporary: Path,
        skeleton: object,
        tensors: Mapping[str, Tensor],
        beside: Path | None,
    ) -> Path:
        temporary.mkdir(mode=0o755)
        if beside is not None:
            fsync_folder(beside)
            os.rename(beside, temporary / shards.FOLDER)
        model = {name: t for name, t in tensors.items() if name.startswith("model/")}
        rest = {name: t for name, t in tensors.items() if name not in model}
        weights = {name.removeprefix("model/"): t for name, t in model.items()}
        files = {
            MODEL: _write_file(temporary / MODEL, lambda writer: write_tensors(writer, weights)),
            STATE: _write_file(temporary / STATE, lambda writer: write_tensors(writer, rest)),
            SKELETON: _write_json(temporary / SKELETON, skeleton),
        }
        body = {"format": FORMAT, "step": step, "files": files}
        _write_json(temporary / MANIFEST, {**body, "sha256": _digest(body)})
        fsync_folder(temporary)
        final = self._free_name(step)
        os.rename(temporary, final)
        fsync_folder(self.folder)
        return final

    def _free_name(self, step: int) -> Path:
        taken = [each.revision for each in self.saved() if each.step == step]
        revision = f".{max(taken) + 1}" if taken else ""
        return self.folder / f"step-{step:08d}{revision}"

    def _prune(self, newest: Path) -> None:
        """Remove all but the last ``keep``; the one just written counts, so one that holds always stays."""
        others = [each for each in self.saved() if each.path != newest]
        for old in others[: max(0, len(others) + 1 - self.keep)]:
            self._remove(old.path)

    def _remove(self, path: Path) -> None:
        trash = self.folder / f"{_TRASH}{path.name}"
        with contextlib.suppress(OSError):  # not worth stopping for; swept at the next start
            os.rename(path, trash)
            shutil.rmtree(trash)

    # --- reading

    def load(self, path: str | os.PathLike[str], *, whole: bool = True) -> State:
        """One checkpoint, every byte of it verified; see :func:`load_checkpoint`.

        Raises:
            DamagedCheckpoint: a file is missing, truncated or altered.
            CheckpointError: another version of the format.
        """
        return load_checkpoint(path, whole=whole)

    def latest(self, *, whole: bool = True, before: int | None = None) -> tuple[Path, State]:
        """The newest undamaged checkpoint, up to step ``before``; ``note`` is told of damaged ones.

        Raises:
            DamagedCheckpoint: there are checkpoints, all of them damaged.
            CheckpointError: there is none.
        """
        candidates = list(reversed(self.saved(before=before)))
        if not candidates:
            raise CheckpointError(self.folder, "a checkpoint", "none")
        failures = []
        for each in candidates:
            try:
                return each.path, load_checkpoint(each.path, whole=whole)
            except DamagedCheckpoint as error:
                failures.append(error)
                self._note(f"damaged checkpoint passed over: {error}")
        raise DamagedCheckpoint(
            self.folder, "an undamaged checkpoint", f"{len(failures)} damaged", str(failures[0])
        )


def load_checkpoint(path: str | os.PathLike[str], *, whole: bool = True) -> State:
    """Read one checkpoint folder; see :meth:`CheckpointStore.load`.

    Where several processes wrote their parts these are joined; unless ``whole``, their tensors then are on
    the ``meta`` device and every process reads the part it needs.

    >>> import tempfile, torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = CheckpointStore(folder).save(3, {"model": {"w": torch.ones(2)}, "counters": {"step": 3}})
    ...     load_checkpoint(path)["counters"]
    {'step': 3}

    Raises:
        DamagedCheckpoint: a file is missing, truncated or altered.
        CheckpointError: another version of the format.
    """
    folder = Path(path)
    files = read_manifest(folder)["files"]
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(CheckedFile(folder / name, files[name])) for name in files}
        skeleton = opened[SKELETON].read_bytes()
        tensors = {f"model/{name}": tensor for name, tensor in read_tensors(opened[MODEL]).items()}
        tensors |= read_tensors(opened[STATE])
    try:
        state = decode(json.loads(skeleton), tensors)
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedCheckpoint(folder / SKELETON, "a saved state", str(error)) from error
    if not isinstance(state, dict):
        raise DamagedCheckpoint(folder / SKELETON, "a saved state", type(state).__name__)
    if shards.KEY not in state:
        return state
    try:
        return divided.join(state, folder) if whole else divided.outline(state, folder)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedCheckpoint(folder / SKELETON, "the state of several processes", repr(error)) from error


def consolidate(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Path:
    """Write a checkpoint that several processes wrote in parts into ``folder`` as an ordinary one.

    >>> import tempfile, torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = CheckpointStore(f"{folder}/parts").save(3, {"model": {"w": torch.ones(2)}})
    ...     whole = consolidate(parts, f"{folder}/whole")
    ...     whole.name, sorted(path.name for path in whole.iterdir())
    ('step-00000003', ['manifest.json', 'model.safetensors', 'state.json', 'state.safetensors'])

    Raises:
        DamagedCheckpoint: the checkpoint is damaged.
        CheckpointError: ``folder`` cannot be written.
    """
    return CheckpointStore(folder).save(int(read_manifest(Path(path))["step"]), load_checkpoint(path))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest, believed only where its own checksum holds.

    Raises:
        DamagedCheckpoint: missing, unreadable, or altered.
        CheckpointError: a format this version does not read.
    """
    path = folder / MANIFEST
    try:
        body = json.loads(path.read_bytes())
        claimed = body.pop("sha256")
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise DamagedCheckpoint(path, "a manifest", f"{type(error).__name__}: {error}") from error
    if claimed != _digest(body):
        raise DamagedCheckpoint(path, f"sha256 {str(claimed)[:16]}…", f"{_digest(body)[:16]}…")
    if body.get("format") not in _READABLE:
        found = body.get("format")
        newer = isinstance(found, int) and found > FORMAT
        old = "no longer read; load it with the version that wrote it"
        hint = "written by a newer typedtorch" if newer else old
        wanted = " or ".join(map(str, _READABLE))
        raise CheckpointError(path, f"format {wanted}", f"format {found}", hint)
    files = body.get("files")
    if not isinstance(files, dict) or set(files) != {MODEL, STATE, SKELETON}:
        raise DamagedCheckpoint(path, f"{MODEL}, {STATE}, {SKELETON}", repr(files)[:200])
    return dict(body)


def _split(folder: Path, state: State) -> tuple[object, dict[str, Tensor]]:
    try:
        return encode(state)
    except Unserialisable as error:
        raise CheckpointError(folder, "tensors and plain values", str(error)) from error


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _write_file(path: Path, write: Callable[[CheckedWriter], None]) -> dict[str, object]:
    with _durable(path) as file:
        writer = CheckedWriter(file)
        write(writer)
    return writer.entry()


def _write_json(path: Path, value: object) -> dict[str, object]:
    data = json.dumps(value, allow_nan=False).encode()
    return _write_file(path, lambda writer: writer.write(data))


@contextlib.contextmanager
def _durable(path: Path) -> Iterator[BinaryIO]:
    with open(path, "xb", opener=not_for_all) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
