"""When a checkpoint is written: now, or in a thread while training goes on, by one process or by all."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typedtorch.training import divided
from typedtorch.training.snapshot import copied

if TYPE_CHECKING:
    from torch import Tensor

    from typedtorch.training.distributed import Parallel
    from typedtorch.training.trainer import Trainer


class Saver:
    """Writes the checkpoints of one trainer; every process calls it at the same step."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._apart: Parallel | None = None
        self._stager: Any = None

    def save(self) -> Path | None:
        """Write a checkpoint of the present step; its path, where this process has written it already.

        Raises:
            CheckpointError: it could not be written, or one in the background before it could not.
        """
        if not self.trainer.parallel.divides:
            return self._save_whole()
        self.wait()
        if not self.trainer.settings.background_save:
            return self._divide()
        self._divide_in_background()
        return None

    def wrote(self, path: str) -> bool:
        """Whether a checkpoint lies in the store of this trainer, by the word of the first process."""
        store = self.trainer.store
        own = store is not None and Path(os.path.realpath(Path(path).parent)) == store.folder
        return bool(self.trainer.parallel.broadcast(own))

    def wait(self) -> None:
        """Until what is written in the background is on the disk.

        Raises:
            CheckpointError: it failed, in whichever process.
        """
        self.join()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if self.trainer.store is not None:
            self.trainer.store.wait()

    def join(self) -> None:
        """Until nothing is being written by all processes together, well or not."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _save_whole(self) -> Path | None:
        trainer = self.trainer
        state = trainer.snapshot.take()  # every process takes part
        store, step, background = trainer.store, trainer.step, trainer.settings.background_save

        def write() -> Path | None:
            if store is None:
                return None
            if background:
                store.save_in_background(step, state)
                return None
            return store.save(step, state)

        return trainer.parallel.by_first(write)

    def _divide(self) -> Path | None:
        trainer = self.trainer
        tensors, plain = divided.split(trainer)
        return divided.write(trainer.parallel, trainer.store, trainer.step, tensors, plain)

    def _divide_in_background(self) -> None:
        """Copy this process's part now and write it in a thread.

        The threads of the processes talk on a line of their own, so that what they say never meets what the
        training says.
        """
        trainer = self.trainer
        tensors, plain = divided.split(trainer)
        staged, kept = self._copied(tensors), copied(plain)
        apart = self._apart = self._apart or trainer.parallel.apart()
        store, step = trainer.store, trainer.step

        def work() -> None:
            try:
                divided.write(apart, store, step, staged, kept)
            except BaseException as error:
                self._failure = error

        self._thread = threading.Thread(target=work, name="typedtorch-save")
        self._thread.start()

    def _copied(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """In host memory; from a GPU in pinned memory, which the next copy uses again."""
        from torch.distributed.checkpoint.staging import BlockingAsyncStager  # noqa: PLC0415 - slow to import

        if self._stager is None:
            pinned = self.trainer.device.type == "cuda"
            self._stager = BlockingAsyncStager(cache_staged_state_dict=pinned)
        staged: dict[str, Tensor] = self._stager.stage(tensors)
        return staged
