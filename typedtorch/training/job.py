"""``typedtorch.train``: the whole job, from settings to a trained model in a run folder."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack, cast

import torch
from torch import nn
from torch.optim import Optimizer

from typedtorch.training import runfolder
from typedtorch.training.assemble import (
    Corpus,
    language_model_loss,
    make_batches,
    make_model,
    make_schedule,
    open_corpus,
    recompute_blocks,
)
from typedtorch.training.callbacks import Hooks
from typedtorch.training.checkpoint import CheckpointStore, State
from typedtorch.training.config import Overrides, TrainConfig
from typedtorch.training.console import Console, RunFacts
from typedtorch.training.distributed import Parallel, join
from typedtorch.training.ending import Ending
from typedtorch.training.errors import ConfigError, told
from typedtorch.training.evaluate import Evaluator
from typedtorch.training.given import HOOKS, several
from typedtorch.training.loggers import JsonLines, Logger, rewind
from typedtorch.training.monitor import DeviceMonitor, Profile
from typedtorch.training.own import OptimizerLike, Own, decided_anew
from typedtorch.training.precision import Precision
from typedtorch.training.predict import Prediction, predict
from typedtorch.training.protocols import Evaluate, FitResult, ModelT
from typedtorch.training.resolve import find_device, resolve, settled
from typedtorch.training.resume import Resumption, plan
from typedtorch.training.runfolder import RunFolder
from typedtorch.training.seed import deterministic, seed_everything
from typedtorch.training.settings import LoopSettings
from typedtorch.training.step import AnyLoss, BatchT, LossFunction
from typedtorch.training.trainer import Trainer
from typedtorch.training.usage import PeakMemory


@dataclass(frozen=True)
class TrainResult:
    """How a run of :func:`train` ended, and what it made."""

    step: int
    """Optimizer steps done, those before a resume included."""
    stopped: str
    """Why it ended; ``"steps"`` where all were done."""
    loss: float
    """Training loss of the last steps, nats per token (or the loss's own unit)."""
    val_loss: float | None
    """Validation loss at the end, in the same unit; None without validation."""
    folder: Path
    """The run folder."""
    model: nn.Module
    """The trained model."""
    sample: str = ""
    """Text drawn from the model at the end; empty where none was asked for."""
    summary: dict[str, Any] = field(default_factory=dict)
    """What ``summary.json`` holds."""


def train(
    config: TrainConfig | None = None,
    *,
    model: ModelT | None = None,
    loss: LossFunction[ModelT, BatchT] | None = None,
    batches: Iterable[BatchT] | None = None,
    optimizer: OptimizerLike[ModelT] | None = None,
    evaluate: Evaluate[ModelT] | None = None,
    callbacks: Iterable[Hooks] = (),
    loggers: Iterable[Logger] = (),
    console: Console | None = None,
    **overrides: Unpack[Overrides],
) -> TrainResult:
    """Train, by default a byte-level Transformer on the Python standard library's own sources.

    Every setting of :class:`~typedtorch.training.TrainConfig` is a keyword: ``train(steps=100, lr=1e-3)``.
    A ``model``, ``loss`` (see :class:`~typedtorch.training.LossSum`), ``batches`` (any iterable) or
    ``optimizer`` of your own replaces the built-in part, and a setting of that part is refused beside it. An
    optimizer's class, or a ``functools.partial`` of one, takes the settings ``lr``, ``weight_decay`` and
    ``beta1``, ``beta2`` (unless given, its own defaults) and follows the schedule; an optimizer, or what a
    function from the model returns, is left as it is.  With ``batches`` of your own there is validation only
    where ``evaluate`` is given, and without a ``loss`` it is the cross-entropy of pairs (inputs, targets).

    Writes a run folder: ``config.json``, ``metrics.jsonl``, ``checkpoints/``, ``summary.json``,
    ``report.html`` (one file with everything in it), ``loss.png``, ``report.png``.

    >>> import io, tempfile
    >>> settings = {"steps": 6, "lr": 0.1, "device": "cpu", "plot": False}
    >>> pairs = [(torch.randn(8, 4), torch.randint(2, (8,))) for _ in range(4)]
    >>> with tempfile.TemporaryDirectory() as folder, Console(io.StringIO()) as quiet:
    ...     result = train(model=nn.Linear(4, 2), batches=pairs, out=folder, console=quiet, **settings)
    ...     result.step, sorted(path.name for path in Path(folder, "checkpoints").iterdir())
    (6, ['step-00000003', 'step-00000006'])

    Raises:
        ConfigError: an unknown, impossible or superfluous setting, or nothing to resume.
        DataError: the data is missing, empty, too short or damaged.
        RunFolderError: the run folder cannot be used.
        CheckpointMismatch: the checkpoint is of another model, data or configuration.
        Interrupted: a signal (SIGTERM, SIGINT or SIGHUP) stopped the run after a checkpoint was saved.
    """
    if config is not None and not isinstance(config, TrainConfig):
        raise ConfigError(f"config: expected a TrainConfig, or settings as keywords, got {told(config)}")
    if console is not None and not isinstance(console, Console):
        raise ConfigError(f"console: expected a Console, got {told(console)}")
    own = Own(model, loss, batches, optimizer, evaluate, callbacks, loggers)
    asked = TrainConfig.from_flat({**(config or TrainConfig()).flat(), **overrides})
    given = asked.given(overrides)
    own.check(given)
    resumption = plan(asked, overrides)
    asked = resumption.config if resumption.configured else own.settle(resumption.config, given)
    parallel, device = join(asked.machine.parallel, find_device(asked.machine.device))
    try:
        settled = resolve(asked, device, parallel.world)
        with console or Console(quiet=parallel.rank != 0) as shown:
            job = _Job(settled, asked, resumption, device, parallel, shown)
            with deterministic(settled.machine.deterministic):
                return job.run(own)
    finally:
        parallel.close()


@dataclass
class _Job:
    """One run, step by step: the data and the model are made before the first file is written."""

    config: TrainConfig
    asked: TrainConfig
    resumption: Resumption
    device: torch.device
    parallel: Parallel
    console: Console
    began: float = field(default_factory=time.perf_counter)

    def run(self, own: Own) -> TrainResult:
        config = self.config
        seed_everything(config.run.seed)
        corpus = open_corpus(config, self.console.note) if own.batches is None else None
        memory = PeakMemory(self.device)
        plain = own.model if own.model is not None else make_model(config, self._vocab(corpus))
        plain = plain.to(self.device)
        self._precision.prepare(plain, self.device)  # before it is predicted what it costs
        optimizer = self._optimizer(own, plain)
        prediction = self._predict(plain, optimizer, own)
        trainer = self._trainer(own, corpus, plain, optimizer, prediction)
        if not config.machine.compile:  # what is compiled shows its operators to nobody
            memory.attach(trainer)
        ending = Ending(config, corpus, prediction, memory, self.console, self.parallel, self.device)
        ending.banner(trainer, plain, self.resumption.path)
        folder = self._open_folder(trainer) if self.parallel.rank == 0 else None
        try:
            self._restore(trainer, folder)
            fitted = trainer.fit()
            return self._finish(ending, trainer, plain, folder, fitted)
        finally:
            if folder is not None:
                folder.close()

    # --- the parts

    def _vocab(self, corpus: Corpus | None) -> int:
        found = corpus.train.vocab if corpus is not None else 256
        return max(self.config.data.vocab or 0, found)

    def _optimizer(self, own: Own, model: nn.Module) -> Optimizer:
        if self.parallel.reads_parts and isinstance(own.optimizer, Optimizer):
            raise ConfigError(
                "optimizer: with parallel fsdp expected its class or a function from the model to it, got "
                f"a {type(own.optimizer).__name__} with the parameters from before they were divided"
            )
        return own.make_optimizer(model, self.config, self.device)

    def _predict(self, model: nn.Module, optimizer: Optimizer, own: Own) -> Prediction | None:
        run = self.config.run
        if own.batches is not None or own.loss is not None or self.parallel.rank != 0:
            return None
        return predict(
            model,
            optimizer,
            micro_batch=settled(run.micro_batch),
            seq=settled(self.config.model.seq),
            accumulate=self._accumulate,
            dtype=self._precision.compute_dtype,
            recompute=self.config.machine.recompute,
            averaged=bool(self.config.optim.ema),
            sharing=self.parallel.sharing,
            world=self.parallel.world,
        )

    @property
    def _accumulate(self) -> int:
        """Micro-batches of each process in a step."""
        run = self.config.run
        return settled(run.batch) // (settled(run.micro_batch) * self.parallel.world)

    @property
    def _precision(self) -> Precision:
        name = self.config.machine.precision
        return Precision.of("fp32" if name == "auto" else name)

    def _trainer(
        self,
        own: Own,
        corpus: Corpus | None,
        plain: nn.Module,
        optimizer: Optimizer,
        prediction: Prediction | None,
    ) -> Trainer:
        config = self.config
        if config.machine.recompute:
            recompute_blocks(plain)
        loss: AnyLoss = own.loss or language_model_loss
        model = self.parallel.wrap(plain)
        if self.parallel.reads_parts:  # dividing the model gave it other parameters
            optimizer = self._optimizer(own, model)
        optimizer = self.parallel.optimizer(optimizer)
        if config.machine.compile:
            loss = torch.compile(loss)
        if own.batches is None:
            assert corpus is not None
            batches: Any = make_batches(corpus, config, self.parallel, self.device)
        else:
            batches = own.batches
        self._set_facts(prediction)
        return Trainer(
            model, loss, batches, optimizer, self._loop(),
            schedule=make_schedule(config) if own.schedules else None,
            evaluate=own.evaluate or self._evaluator(corpus, loss),
            loggers=own.loggers, callbacks=self._callbacks(own), display=self.console, parallel=self.parallel,
            identity=self._identity(corpus),
        )  # fmt: skip

    def _callbacks(self, own: Own) -> list[Hooks]:
        """The user's own, and what the settings and the machine add."""
        added: list[Hooks] = [DeviceMonitor()] if self.device.type == "cuda" else []
        if self.config.run.profile and self.parallel.rank == 0:
            added.append(Profile(self.resumption.path / runfolder.PROFILE))
        return [*cast("list[Hooks]", several("callbacks", own.callbacks, HOOKS)), *added]

    def _set_facts(self, prediction: Prediction | None) -> None:
        peak = prediction.peak if prediction else None
        self.console.facts = RunFacts(
            steps=settled(self.config.run.steps),
            flops_per_token=prediction.flops_per_token if prediction else None,
            peak_flops=peak.flops * self.parallel.world if peak else None,
            device=self.device,
        )

    def _loop(self) -> LoopSettings:
        run, machine, optim = self.config.run, self.config.machine, self.config.optim
        return LoopSettings(
            steps=settled(run.steps),
            accumulate=self._accumulate,
            clip=optim.clip,
            precision=self._precision.name,
            ema=optim.ema,
            log_every=settled(run.log_every),
            eval_every=settled(run.eval_every),
            save_every=settled(run.save_every),
            sanity=run.sanity,
            overfit=run.overfit,
            background_save=machine.background_save,
            nonfinite=machine.nonfinite,
            spike=machine.spike,
            halve_on_oom=machine.halve_on_oom,
        )

    def _evaluator(self, corpus: Corpus | None, loss: AnyLoss) -> Evaluator | None:
        if corpus is None or corpus.held_out is None:
            return None
        config = self.config
        seq = settled(config.model.seq)
        return Evaluator(
            loss=loss,
            tokens=corpus.held_out,
            seq=seq,
            batch=settled(config.run.micro_batch),
            windows=self._eval_windows(len(corpus.held_out), seq),
            device=self.device,
            autocast=self._precision.autocast(self.device),
            parallel=self.parallel,
        )

    def _eval_windows(self, held_out: int, seq: int) -> int:
        """A multiple of the batch, so that how it is divided changes nothing."""
        batch = settled(self.config.run.batch)
        wanted = min(settled(self.config.run.eval_tokens) // seq, (held_out - 1) // seq)
        return batch * max(1, wanted // batch)

    def _identity(self, corpus: Corpus | None) -> dict[str, Any]:
        """What has to be the same for a checkpoint to continue: anything else may change, and is noted."""
        names = ("layers", "d_model", "heads", "kv_heads", "d_ff", "seq", "tie", "batch", "seed", "sampler")
        flat = self.config.flat()
        data = corpus.train.fingerprint() if corpus is not None else "own"
        return {**{name: flat[name] for name in names}, "data": data}

    # --- the folder

    def _open_folder(self, trainer: Trainer) -> RunFolder:
        folder = RunFolder(self.resumption.path)
        trainer.store = CheckpointStore(
            folder / runfolder.CHECKPOINTS, keep=self.config.run.keep, note=self.console.note
        )
        return folder

    def _restore(self, trainer: Trainer, folder: RunFolder | None) -> None:
        path, state = self._checkpoint(trainer) if self.resumption.resuming else ("", None)
        if state is not None:
            keep = decided_anew(self.resumption.changes) & trainer.optimizer.param_groups[0].keys()
            trainer.load_state_dict(state, path=path, keep=keep)
            self.console.note(f"resumed from {path} at step {trainer.step}")
            self._note_changes()
            if trainer.store is not None and self.resumption.checkpoint is not None:
                for place in trainer.store.set_aside_after(path):
                    self.console.note(f"  set aside, the run continues from an earlier step: {place}")
        elif self.asked.run.resume != "never":
            by = ", with the settings that are there" if self.resumption.configured else ""
            self.console.note(f"nothing to resume in {self.resumption.path}: the run begins at step 0{by}")
            self._note_changes()
        # only now: settings that do not fit the checkpoint must not replace those that do
        if folder is not None:
            settings = self.resumption.stored(self.config, self.asked)
            folder.write_json(runfolder.CONFIG, {"settings": settings, "resolved": self.config.flat()})
            rewind(folder / runfolder.METRICS, trainer.step, evaluates=trainer.catches_up)
            trainer.loggers.loggers.insert(0, JsonLines(folder / runfolder.METRICS))

    def _note_changes(self) -> None:
        for line in self.resumption.changes.values():
            self.console.note(f"  changed: {line}")

    def _checkpoint(self, trainer: Trainer) -> tuple[str, State]:
        """The checkpoint to begin from, read by the first process."""

        def read() -> tuple[str, State]:
            assert trainer.store is not None  # the first process has it
            path, state = self.resumption.load(trainer.store, whole=not self.parallel.reads_parts)
            return str(path), state

        found: tuple[str, State] = self.parallel.broadcast(self.parallel.by_first(read))
        return found

    def _finish(
        self, ending: Ending, trainer: Trainer, plain: nn.Module, folder: RunFolder | None, fitted: FitResult
    ) -> TrainResult:
        self.console.end_line()
        last = fitted.losses[-20:]
        loss = math.fsum(last) / len(last) if last else math.nan
        final = fitted.evaluations[max(fitted.evaluations)] if fitted.evaluations else {}
        result = {
            "loss": loss,
            "val_loss": final.get("loss"),
            "seconds": time.perf_counter() - self.began,
            "stopped": fitted.stopped,
        }
        sample, summary = ending.close(trainer, plain, folder, result)
        return TrainResult(
            fitted.step, fitted.stopped, loss, final.get("loss"), self.resumption.path, plain, sample, summary
        )
