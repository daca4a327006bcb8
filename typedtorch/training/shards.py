"""The tensors of a checkpoint written by several processes, each its own part.

The files are those of ``torch.distributed.checkpoint``, which can read any part of a tensor from them: a
state loads into another number of processes, or whole into one. Beside them lies what a checkpoint always
has, with checksums for each of them. Their index is a pickle: here it is read by an unpickler that makes the
few classes an index consists of and refuses everything else.
"""

from __future__ import annotations

import io
import math
import os
import pickle
import re
import zlib
from collections.abc import Mapping
from pathlib import Path, PosixPath
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from typedtorch.training.checked import PART, Entry
from typedtorch.training.errors import CheckpointError, DamagedCheckpoint

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup
    from torch.distributed.checkpoint.metadata import Metadata

FOLDER, KEY = "shards", "shards"
INDEX = ".metadata"
_FILE = re.compile(r"__\d+_\d+\.distcp")
_CLASSES = {
    "torch.distributed.checkpoint.metadata": {
        "Metadata", "TensorStorageMetadata", "TensorProperties", "ChunkStorageMetadata", "MetadataIndex",
        "StorageMeta", "_MEM_FORMAT_ENCODING",
    },
    "torch.distributed.checkpoint.filesystem": {"_StorageInfo"},
    "torch": {"Size"},
    "torch.serialization": {"_get_layout"},
    "collections": {"OrderedDict"},
}  # fmt: skip
_PATH = {("pathlib", "PosixPath"), ("pathlib._local", "PosixPath")}  # where it is from in Python 3.13


def write_part(folder: Path, tensors: Mapping[str, Tensor], *, group: ProcessGroup | None = None) -> None:
    """Write this process's part of the tensors; every process has to take part.

    A tensor that every process has whole is written once; one that is divided (a ``DTensor``) by all of them.
    ``group`` is what they agree over; the group of all processes unless given.

    Raises:
        CheckpointError: in any process the disk refused.
    """
    from torch.distributed.checkpoint.api import CheckpointException  # noqa: PLC0415 - slow to import
    from torch.distributed.checkpoint.filesystem import FileSystemWriter  # noqa: PLC0415 - likewise
    from torch.distributed.checkpoint.state_dict_saver import save  # noqa: PLC0415 - likewise

    writer = FileSystemWriter(folder, sync_files=True)
    try:
        alone = not torch.distributed.is_initialized()
        save(dict(tensors), storage_writer=writer, process_group=group, no_dist=alone)
    except CheckpointException as error:
        first = next(iter(error.failures.values()))[0]
        found = getattr(first, "strerror", None) or str(first) or type(first).__name__
        raise CheckpointError(folder, "a complete write", found) from error


def entries(folder: Path, *, share: int = 0, of: int = 1) -> dict[str, dict[str, object]]:
    """Size and checksums of the files, or of every ``of``-th of them."""
    found = {}
    for name in sorted(p.name for p in folder.iterdir())[share::of]:
        os.chmod(folder / name, 0o644)  # torch's writer leaves it to the umask
        with open(folder / name, "rb") as file:
            sums, size = [], 0
            while part := file.read(PART):
                sums.append(zlib.crc32(part))
                size += len(part)
        found[name] = {"bytes": size, "part": PART, "crc32": sums}
    return found


class Shards:
    """What the processes wrote, every byte of it verified.

    Raises:
        DamagedCheckpoint: a file is missing, altered, or is none of a checkpoint's.
    """

    def __init__(self, folder: Path, files: object) -> None:
        self.folder = folder
        if not isinstance(files, dict) or INDEX not in files:
            raise DamagedCheckpoint(folder, f"the files of a checkpoint and {INDEX}", repr(files)[:80])
        for name, raw in files.items():
            if name != INDEX and not _FILE.fullmatch(str(name)):
                raise DamagedCheckpoint(folder, "names of a checkpoint's files", repr(name))
            _verify(folder / name, Entry.parse(folder / name, raw))
        self._size = sum(int(raw["bytes"]) for raw in files.values())
        self._files = set(files)
        self.metadata = self._read_index()

    def _read_index(self) -> Metadata:
        path = self.folder / INDEX
        try:
            found = _Unpickler(io.BytesIO(path.read_bytes())).load()
            claimed = sum(_bytes(entry) for entry in found.state_dict_metadata.values())
            named = {info.relative_path for info in found.storage_data.values()}
        except Exception as error:  # whatever a hostile pickle makes of itself
            raise DamagedCheckpoint(
                path, "the index of a checkpoint", f"{type(error).__name__}: {error}"
            ) from error
        if not named <= self._files:
            raise DamagedCheckpoint(
                path, "the files of this checkpoint", repr(sorted(named - self._files)[0])
            )
        if claimed > self._size:
            raise DamagedCheckpoint(path, f"tensors of {self._size} bytes", f"{claimed} bytes")
        return found  # type: ignore[no-any-return]  # a pickle is untyped

    def empty(self, device: str) -> dict[str, Tensor]:
        """Every tensor by its name: ``"meta"`` for the shapes alone."""
        entries: Mapping[str, Any] = self.metadata.state_dict_metadata
        return {
            name: torch.empty(entry.size, dtype=entry.properties.dtype, device=device)
            for name, entry in entries.items()
        }

    def read_into(self, tensors: dict[str, Tensor], *, alone: bool) -> None:
        """Fill ``tensors``, whole ones or parts, from wherever their bytes lie.

        Raises:
            DamagedCheckpoint: the files do not hold what the index says.
        """
        from torch.distributed.checkpoint.api import CheckpointException  # noqa: PLC0415 - slow to import
        from torch.distributed.checkpoint.filesystem import FileSystemReader  # noqa: PLC0415 - likewise
        from torch.distributed.checkpoint.metadata import StorageMeta  # noqa: PLC0415 - likewise
        from torch.distributed.checkpoint.state_dict_loader import load  # noqa: PLC0415 - likewise

        shards = self

        class Reader(FileSystemReader):
            def read_metadata(self, *_: object, **__: object) -> Metadata:
                shards.metadata.storage_meta = StorageMeta(load_id=self.load_id)
                return shards.metadata

        try:
            load(dict(tensors), storage_reader=Reader(self.folder), no_dist=alone)
        except (CheckpointException, RuntimeError, ValueError, pickle.UnpicklingError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise DamagedCheckpoint(self.folder, "the tensors of the index", reason) from error

    def whole(self) -> dict[str, Tensor]:
        """Every tensor, joined from its parts."""
        tensors = self.empty("cpu")
        self.read_into(tensors, alone=True)
        return tensors


def _bytes(entry: Any) -> int:
    size: int = math.prod(entry.size) * entry.properties.dtype.itemsize
    return size


def _verify(path: Path, entry: Entry) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor).st_size
            if found != entry.size:
                raise DamagedCheckpoint(path, f"{entry.size} bytes", f"{found} bytes")
            for i, wanted in enumerate(entry.sums):
                got = zlib.crc32(file.read(entry.part))
                if got != wanted:
                    where = f"from byte {i * entry.part}"
                    raise DamagedCheckpoint(path, f"crc32 {wanted:08x}", f"{got:08x}", where)
    except OSError as error:
        raise DamagedCheckpoint(path, "a readable regular file", error.strerror or repr(error)) from error


class _Unpickler(pickle.Unpickler):
    """Makes what an index consists of, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if name in _CLASSES.get(module, ()):
            return super().find_class(module, name)
        if (module, name) in _PATH:
            return PosixPath
        if module == "torch" and isinstance(getattr(torch, name, None), torch.dtype):
            return getattr(torch, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of an index")
