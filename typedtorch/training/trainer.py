"""The loop: batches in, steps applied, figures out; everything it needs to continue is one state."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.optim import Optimizer

from typedtorch.nn.modes import begin_training, modes_kept
from typedtorch.training.agreement import Agreement
from typedtorch.training.apply import Applier
from typedtorch.training.callbacks import Callbacks, Hooks
from typedtorch.training.checkpoint import CheckpointStore, State
from typedtorch.training.distributed import Parallel
from typedtorch.training.ema import Ema
from typedtorch.training.errors import Interrupted, NonFiniteError
from typedtorch.training.evaluate import as_figures
from typedtorch.training.faults import Faults, is_out_of_memory
from typedtorch.training.figures import Meter
from typedtorch.training.given import as_stoppable, check_parts, check_rate
from typedtorch.training.loggers import Logger, SafeLoggers
from typedtorch.training.precision import Precision
from typedtorch.training.protocols import After, Display, Evaluate, FitResult, ModelT, Quiet, Schedule, Stop
from typedtorch.training.rates import scale_groups, set_rate
from typedtorch.training.saving import Saver
from typedtorch.training.settings import LoopSettings
from typedtorch.training.signals import SignalWatch
from typedtorch.training.snapshot import Snapshot, copied
from typedtorch.training.sources import Repeated, as_source, batch_items
from typedtorch.training.step import Accumulated, BatchesEnded, BatchT, LossFunction, accumulate_gradients
from typedtorch.training.usage import memory_in_use

Probe = Callable[["Trainer", Callable[[], None]], None]


class Trainer:
    """Trains ``model`` by ``loss`` on ``batches`` with ``optimizer``.

    >>> model = nn.Linear(2, 1)
    >>> data = [(torch.randn(8, 2), torch.ones(8, 1))]
    >>> def loss(model, batch):
    ...     return nn.functional.mse_loss(model(batch[0]), batch[1])
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> trainer = Trainer(model, loss, data, optimizer, LoopSettings(steps=50))
    >>> result = trainer.fit()
    >>> result.step, result.losses[-1] < result.losses[0]
    (50, True)

    Args:
        model: on its device already.
        loss: ``loss(model, batch)``: a mean, or a :class:`LossSum`, which adds up exactly over micro-batches.
        batches: an iterable, begun again when it ends, or a source that saves its own position.
        optimizer: any ``torch.optim.Optimizer`` over the model's parameters.
        settings: how long, how often, what to do about faults.
        schedule: step to learning rate, which groups scale (:func:`scale_groups`). None leaves them alone.
        evaluate: the model's figures by name, ``loss`` the main one; without gradients, in evaluation mode.
        store: where checkpoints go; None saves none.
        loggers, callbacks, display: see :class:`Logger`, :class:`Callback` and :class:`Console`.
        parallel: this process among several (:func:`join`); None for a run of one process.
        identity: plain values saved with each checkpoint and compared on resume (configuration, data).

    Raises:
        ConfigError, TypeError: no parameter of the optimizer is the model's; a part is of a wrong type.
    """

    def __init__(
        self,
        model: ModelT,
        loss: LossFunction[ModelT, BatchT],
        batches: Iterable[BatchT],
        optimizer: Optimizer,
        settings: LoopSettings,
        *,
        schedule: Schedule | None = None,
        evaluate: Evaluate[ModelT] | None = None,
        store: CheckpointStore | None = None,
        loggers: Iterable[Logger] = (),
        callbacks: Iterable[Hooks] = (),
        display: Display | None = None,
        parallel: Parallel | None = None,
        identity: Mapping[str, Any] | None = None,
    ) -> None:
        check_parts(model, loss, optimizer, settings, schedule, store)
        if schedule is not None:
            scale_groups(optimizer)
        self.device = next((p.device for p in model.parameters()), torch.device("cpu"))
        self.parallel = parallel or Parallel()
        self.model: nn.Module = model
        self.loss: LossFunction[Any, Any] = loss
        self.settings, self.optimizer, self.schedule = settings, optimizer, schedule
        self.source = as_source(batches, self.device)
        if settings.overfit:
            self.source = Repeated(self.source, settings.overfit)
        self.store, self.display, self.evaluate = store, display or Quiet(), as_stoppable(evaluate)
        self.loggers = SafeLoggers(loggers if self.parallel.rank == 0 else (), self.display.note)
        self.callbacks = Callbacks(callbacks)
        precision = Precision.of(settings.precision)
        precision.prepare(model, self.device)
        self.scaler = precision.scaler(self.device)
        self._autocast = precision.autocast(self.device)
        self.ema = Ema(model, settings.ema) if settings.ema else None
        self.applier = Applier(
            model,
            optimizer,
            clip=settings.clip,
            scaler=self.scaler,
            parallel=self.parallel,
            device=self.device,
        )
        self.snapshot, self.saver = Snapshot(self, identity or {}), Saver(self)
        self.meter, self.accumulate = Meter(self.device), settings.accumulate
        self.step = self.skipped = self.rollbacks = 0
        self.should_stop, self.result = "", FitResult(0, "")
        self.faults, self.kept = Faults(self), set[str]()
        self._evaluated_at, self._saved_at, self._lr = -1, -1, float("nan")
        self.waited, self.items, self.drawn = 0.0, 0, 0
        self._agreed_to_stop = self._agreed_to_save = False
        self._divisor = self.parallel.divisor(self.device)
        self._agreement = Agreement(self.parallel, self.device)
        self.probe: Probe | None = None  # takes the next step in place of the trainer, to measure it

    # --- the loop

    def fit(self) -> FitResult:
        """Train until the steps are done, a callback stops it, the batches end, or a signal comes.

        Raises:
            Interrupted: SIGTERM or SIGINT; the step was finished and a checkpoint saved.
            NonFiniteError: a NaN or infinite loss or gradient, by the policy in the settings.
            CallbackError: a callback raised.
            CheckpointError: a checkpoint could not be written.
        """
        self.result = FitResult(self.step, "")
        with SignalWatch(self.settings.handle_signals) as watch, self._closing():
            self.callbacks.call("on_start", self)
            begin_training(self.model)
            self.applier.clear()  # a backward pass before the run is none of its steps
            if self.settings.sanity:
                self._try_evaluation()
            self.meter.begin()
            if self.catches_up:
                self.run_evaluation(lambda: watch.stop is not None)
            while not self._done(watch):
                before = self.step
                if self.probe is None:
                    self._one_step()
                else:
                    self.probe(self, self._one_step)
                if self.parallel.world > 1:
                    self._agree(watch)
                if self.step == before + 1:  # else it was rolled back, is to be taken again, or had no batch
                    self._after_step(watch)
            self._finish(watch)
        self.result.step, self.result.stopped = self.step, self.should_stop or "steps"
        if watch.stop is not None:
            raise Interrupted(watch.stop, self.step)
        return self.result

    def _done(self, watch: SignalWatch) -> bool:
        if self.step >= self.settings.steps:
            return True
        # several processes stop together: what one of them was told is agreed upon in _agree
        wanted = bool(self.should_stop) or watch.stop is not None
        return wanted if self.parallel.world == 1 else self._agreed_to_stop

    def _one_step(self) -> None:
        if self.schedule is not None:
            self._set_rate(self.schedule(self.step))
        clock = self.meter.clock
        clock.start()
        try:
            found = self._gradients()
        except BatchesEnded:
            self.should_stop, self._agreed_to_stop = "the batches ended", True
            self.applier.clear()
            return
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            self.faults.out_of_memory(error)
            return
        clock.computed(self.waited)
        outcome = self.applier.apply(found)
        clock.updated()
        self.step += 1
        self.meter.add(outcome.loss, outcome.norm, self.items, self.waited)
        self.waited, self.items, self.drawn = 0.0, 0, 0
        if outcome.problem:
            self.faults.not_applied(outcome)
            return
        self.faults.in_a_row = 0
        if self.ema is not None:
            self.ema.update()

    def _gradients(self) -> Accumulated:
        """The gradients of one step, summed over its micro-batches."""
        draw = self._draw
        if self.parallel.world > 1 and not getattr(self.source, "endless", False):
            draw = self._agreement.drawn(draw, self.accumulate)
        return accumulate_gradients(
            self.loss,
            self.model,
            draw,
            self.accumulate,
            autocast=self._autocast,
            backward=self._backward,
            around=self._around,
            divisor=self._divisor,
        )

    def _draw(self) -> Any:
        began = time.perf_counter()
        try:
            batch = next(self.source)
        except StopIteration:
            raise BatchesEnded from None
        self.waited += time.perf_counter() - began
        self.drawn += 1
        self.items += batch_items(batch) * self.parallel.world
        return batch

    def _around(self, last: bool) -> contextlib.AbstractContextManager[None]:
        return self.parallel.micro_batch(self.model, last=last)

    def _backward(self, loss: Float[Tensor, ""]) -> None:
        whole = loss * self.parallel.world if self.parallel.world > 1 else loss
        (whole if self.scaler is None else self.scaler.scale(whole)).backward()

    def _set_rate(self, rate: float) -> None:
        check_rate(rate, self.step)
        self._lr = rate
        set_rate(self.optimizer, rate)

    @property
    def lr(self) -> float:
        """The learning rate of the last step."""
        return self._lr if self.schedule is not None else float(self.optimizer.param_groups[0]["lr"])

    def _after_step(self, watch: SignalWatch) -> None:
        if self.callbacks.on_step:
            self.callbacks.call("on_step", self)
        settings, step = self.settings, self.step
        if step % settings.log_every == 0:
            self.log()
            if self.step != step:  # what the figures showed was gone back from
                return
        if settings.eval_every and step % settings.eval_every == 0 and self._evaluated_at != step:
            self.run_evaluation(lambda: watch.stop is not None)
        asked = watch.save if self.parallel.world == 1 else self._agreed_to_save
        if asked or (settings.save_every and step % settings.save_every == 0):
            watch.save = self._agreed_to_save = False
            self.save()

    def _agree(self, watch: SignalWatch) -> None:
        """Let all processes do at the same step what any of them was asked to do."""
        agreed = self._agreement.ask(
            stop=watch.stop is not None, ended=bool(self.should_stop), save=watch.save
        )
        if agreed is None:
            return
        if agreed.stop and watch.stop is None:
            watch.stop = int(signal.SIGTERM)
        if agreed.ended and not self.should_stop:
            self.should_stop = "another process ended"
        self._agreed_to_stop, self._agreed_to_save = agreed.stop or agreed.ended, agreed.save

    @property
    def catches_up(self) -> bool:
        """Whether :meth:`fit` begins by evaluating: an earlier run may have been stopped just before it."""
        every = self.settings.eval_every
        return bool(every and self.step and self.step % every == 0)

    def _finish(self, watch: SignalWatch) -> None:
        self.log(wait=True)
        stopped = watch.stop is not None if self.parallel.world == 1 else self._agreed_to_stop
        if not stopped and self._evaluated_at != self.step:
            self.run_evaluation(lambda: watch.stop is not None)
        if self._saved_at != self.step:
            self.save()
        self.saver.wait()
        self.callbacks.call("on_end", self)

    @contextlib.contextmanager
    def _closing(self) -> Any:
        try:
            yield
        finally:
            self.saver.join()  # before the processes part
            self.loggers.close()
            close = getattr(self.source, "close", None)
            if callable(close):
                close()

    # --- figures, evaluation, checkpoints

    def log(self, *, wait: bool = False) -> None:
        """Log the figures that are ready; with ``wait``, also those still on the device."""
        self.meter.close_stretch(self.step, self.lr)
        for figures in self.meter.ready(wait=wait):
            self.result.losses += figures.losses
            self.result.figures.append(dataclasses.replace(figures, losses=(), norms=()))
            record = {**figures.record(), "skipped": self.skipped, "memory": memory_in_use(self.device)}
            self.loggers.log(record)
            if self.parallel.rank == 0:
                self.display.figures(figures)
            self.callbacks.call("on_log", self, record)
            self.faults.look(figures)

    def run_evaluation(self, stop: Stop = lambda: False) -> Mapping[str, float]:
        """Evaluate now; the random generators are restored, so that training goes on as without it."""
        if self.evaluate is None or self._evaluated_at == self.step:
            return {}
        with self._evaluating():
            figures = as_figures(self.evaluate(self.model, stop))
        if figures:
            self._evaluated_at = self.step
            self.result.evaluations[self.step] = figures
            self.loggers.log({"step": self.step, **{f"val_{k}": v for k, v in figures.items()}})
            if self.parallel.rank == 0:
                self.display.note(f"step {self.step}: validation {_listed(figures)}")
            self.callbacks.evaluated(self, figures)
        return figures

    def _try_evaluation(self) -> None:
        """Evaluate a few batches, so that an error in evaluation shows before hours of training."""
        if self.evaluate is not None:
            with self._evaluating():
                self.evaluate(self.model, After(self.settings.sanity))

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Evaluation mode, averaged weights, no gradients; afterwards everything is as before."""
        began = time.perf_counter()
        averaged = self.ema.swapped() if self.ema is not None else contextlib.nullcontext()
        try:
            with modes_kept(self.model), torch.no_grad(), averaged, self.snapshot.generators_kept():
                self.model.eval()
                yield
        finally:
            self.meter.pause(time.perf_counter() - began)

    def save(self) -> Path | None:
        """Write a checkpoint of the current step."""
        began = time.perf_counter()
        path = self.saver.save()
        self._saved_at = self.step
        self.meter.pause(time.perf_counter() - began)
        if path is not None:
            self.callbacks.call("on_save", self, path)
        return path

    def state_dict(self) -> State:
        """The whole state, from which :meth:`load_state_dict` continues bit for bit."""
        return self.snapshot.take()

    def detached_state(self) -> State:
        """A copy of the whole state, which further steps do not change."""
        state: State = copied(self.snapshot.take())
        return state

    def step_once(self, rate: float) -> float:
        """One optimizer step at a learning rate, without figures, callbacks or checkpoints: its loss.

        Raises:
            NonFiniteError: the loss or a gradient is not finite; the step was not applied.
        """
        self._set_rate(rate)
        self.applier.clear()
        outcome = self.applier.apply(self._gradients())
        self.waited, self.items, self.drawn = 0.0, 0, 0
        if outcome.problem:
            raise NonFiniteError(self.step + 1, outcome.problem)
        return float(outcome.loss)

    def load_state_dict(self, state: State, *, path: str = "<state>", keep: Collection[str] = ()) -> None:
        """Continue from ``state``, with its hyperparameters of the optimizer; what they replace is noted.

        ``keep`` names those that are not replaced, ``("lr", "betas")``, by later rollbacks either.

        Raises:
            CheckpointMismatch: it does not fit: every difference is listed, and nothing was changed.
            ValueError: ``keep`` names something that the optimizer does not have.
        """
        kept = {keep} if isinstance(keep, str) else set(keep)
        lines, self.kept = self.snapshot.restore(state, path, kept), kept
        for line in lines if self.parallel.rank == 0 else ():
            self.display.note(line)
        self._evaluated_at, self._saved_at = -1, self.step if self.saver.wrote(path) else -1


def _listed(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
