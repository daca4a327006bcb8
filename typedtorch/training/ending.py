"""The first and the last thing a run says: the banner, the sample, predicted beside measured, the files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from typedtorch import __version__
from typedtorch.data import BYTES, WriteError
from typedtorch.nn import Transformer, sample
from typedtorch.training import runfolder
from typedtorch.training.assemble import Corpus
from typedtorch.training.config import TrainConfig
from typedtorch.training.console import Console, duration, si, size
from typedtorch.training.distributed import Parallel
from typedtorch.training.evaluate import in_bits, unigram_entropy
from typedtorch.training.loggers import read_records
from typedtorch.training.picture import as_svg, draw_losses, draw_panels, save_png
from typedtorch.training.precision import Precision
from typedtorch.training.predict import Prediction, count_flops_per_token
from typedtorch.training.runfolder import RunFolder
from typedtorch.training.trainer import Trainer
from typedtorch.training.usage import PeakMemory
from typedtorch.training.webpage import Page, write_page

_PYTHON_PROMPT = b"\ndef "


@dataclass
class Ending:
    """Says what is about to happen, and afterwards what did."""

    config: TrainConfig
    corpus: Corpus | None
    prediction: Prediction | None
    memory: PeakMemory
    console: Console
    parallel: Parallel
    device: torch.device

    def __post_init__(self) -> None:
        self._facts: list[tuple[str, str]] = []

    def banner(self, trainer: Trainer, model: nn.Module, path: Path) -> None:
        """What is trained on what, and what it should cost."""
        run, machine = self.config.run, self.config.machine
        name = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"
        many = f", {self.parallel.world} processes" if self.parallel.world > 1 else ""
        threads = f", {torch.get_num_threads()} threads" if self.device.type == "cpu" else ""
        chosen = Precision.of(trainer.settings.precision).name
        name_of = {"fp32": "fp32", "fp8": "fp8 in the blocks, bf16 autocast"}
        precision = name_of.get(chosen, f"{chosen} autocast")
        compiled = ", torch.compile" if machine.compile else ""
        rows = [("device", f"{name}{threads}{many}, {precision}{compiled}"), ("run folder", str(path))]
        if self.corpus is not None:
            rows += self._data_rows()
        count = sum(p.numel() for p in model.parameters())
        rows.append(("model", f"{type(model).__name__}, {si(count)} parameters"))
        if self.corpus is not None and run.steps and run.batch and self.config.model.seq:
            tokens = run.steps * run.batch * self.config.model.seq
            per_step = f"{run.batch} x {self.config.model.seq}"
            rows.append(("steps", f"{run.steps} of {per_step} tokens, {si(tokens)} in all"))
        if self.prediction is not None:
            rows += _predicted_rows(self.prediction, run.steps or 0)
        self._facts = rows
        self.console.banner(f"typedtorch {__version__}", rows)

    def _data_rows(self) -> list[tuple[str, str]]:
        assert self.corpus is not None
        held_out = self.corpus.held_out
        what = "bytes" if self.corpus.is_text else "tokens"
        counts = f"{si(len(self.corpus.train))} {what}"
        if held_out is None:
            return [("data", f"{self.corpus.name}: {counts}, none held out")]
        entropy = unigram_entropy(held_out)
        return [
            ("data", f"{self.corpus.name}: {counts} + {si(len(held_out))} held out"),
            ("to beat", f"unigram entropy {entropy:.3f} nats = {in_bits(entropy):.3f} bits per {what[:-1]}"),
        ]

    def close(
        self, trainer: Trainer, model: nn.Module, folder: RunFolder | None, result: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Sample, draw, tabulate, and write the summary; process 0 alone."""
        if folder is None or self.parallel.rank != 0:
            return "", {}
        text = self._sample(trainer, model)
        summary = self._summary(trainer, model, result)
        compared = self._compared(summary)
        if compared:
            self.console.table("predicted and measured", ["", "predicted", "measured", ""], compared)
        losses = self._losses(summary)
        for line in losses:
            self.console.note(line)
        if text:
            self.console.note("sample:")
            self.console.verbatim(text)
        try:
            folder.write_json(runfolder.SUMMARY, {**summary, "sample": text})
            pictures = self._draw(folder, summary) if self.config.run.plot else []
            facts = [*self._facts, *(("result", line) for line in losses)]
            page = Page(
                self._title(summary), f"typedtorch {__version__}, {folder.path.name}", facts, compared,
                _evaluations(folder) or trainer.result.evaluations, pictures, text, self.config.flat(),
            )  # fmt: skip
            write_page(folder / runfolder.PAGE, page)
            self.console.note(f"written: {folder.path}")
        except WriteError as error:  # the training is done and saved; a picture is not worth losing it for
            self.console.note(f"could not be written: {error}")
        return text, summary

    def _sample(self, trainer: Trainer, model: nn.Module) -> str:
        run = self.config.run
        if (
            not run.sample
            or not isinstance(model, Transformer)
            or self.corpus is None
            or self.parallel.world > 1
        ):
            return ""
        prompt = list(_PYTHON_PROMPT) if self.config.data.data == "stdlib" else self._prompt()
        generator = torch.Generator(self.device).manual_seed(run.seed)
        tokens = torch.tensor([prompt], device=self.device)
        averaged = trainer.ema.swapped() if trainer.ema is not None else torch.no_grad()
        with averaged:
            found = sample(model, tokens, run.sample, temperature=0.7, generator=generator)[0].cpu().numpy()
        return BYTES.decode(found) if self.corpus.is_text else " ".join(map(str, found.tolist()))

    def _prompt(self) -> list[int]:
        """The token between documents, or the first of the vocabulary."""
        assert self.corpus is not None
        return [max(self.corpus.train.separator, 0)] if self.corpus.is_text else [0]

    def _summary(self, trainer: Trainer, model: nn.Module, result: dict[str, Any]) -> dict[str, Any]:
        records = trainer.result.figures
        later = records[1:] or records  # the first stretch warms up caches and compiles
        speeds = sorted(f.items_per_second for f in later)
        steps = sorted(f.step_seconds for f in later)
        speed = speeds[len(speeds) // 2] if speeds else 0.0
        summary: dict[str, Any] = {
            "step": trainer.step,
            "steps_now": len(trainer.result.losses),
            **result,
            "parameters": sum(p.numel() for p in model.parameters()),
            "tokens": trainer.meter.items,
            "tokens_per_second": speed,
            "step_seconds": steps[len(steps) // 2] if steps else None,
            "mfu": self.console.utilisation(speed) if speed else None,
            "peak_memory": self.memory.bytes(),
            "peak_memory_is": self.memory.how,
            "skipped_steps": trainer.skipped,
            "logger_failures": trainer.loggers.failures,
        }
        if self.corpus is not None:
            if self.corpus.held_out is not None:
                entropy = unigram_entropy(self.corpus.held_out)
                summary |= {"unigram_nats": entropy, "unigram_bits": in_bits(entropy)}
            if summary["val_loss"] is not None:
                summary["val_bits"] = in_bits(summary["val_loss"])
            if self.parallel.world == 1 and self.config.model.seq and isinstance(model, Transformer):
                seq = min(self.config.model.seq, 256)
                summary["counted_flops_per_token"] = count_flops_per_token(model, seq)
                summary["counted_at_seq"] = seq
        if self.prediction is not None:
            p = self.prediction
            summary["predicted"] = {
                "parameters": p.parameters, "flops_per_token": p.flops_per_token,
                "peak_memory": p.memory_peak,
                "step_seconds": p.step_seconds, "peak_flops": p.peak.flops if p.peak else None,
                "peak_label": p.peak.label if p.peak else None,
            }  # fmt: skip
        return summary

    def _compared(self, summary: dict[str, Any]) -> list[tuple[str, str, str, str]]:
        """What was predicted beside what was measured."""
        p = self.prediction
        if p is None:
            return []
        rows = [("parameters", f"{p.parameters:,}", f"{summary['parameters']:,}", "")]
        counted = summary.get("counted_flops_per_token")
        if p.flops_per_token is not None:
            again = ", with what is computed again" if self.config.machine.recompute else ""
            at = f"counted in a real pass{again}, seq {summary.get('counted_at_seq')}" if counted else ""
            rows.append(("FLOPs per token", si(p.flops_per_token), si(counted) if counted else "-", at))
        if p.step_seconds is not None and summary["step_seconds"]:
            rows.append(
                ("step time", f"{p.step_seconds * 1e3:.1f} ms", f"{summary['step_seconds'] * 1e3:.1f} ms",
                 "predicted by the roofline, a lower bound")
            )  # fmt: skip
        if p.memory_peak is not None:
            measured = summary["peak_memory"]
            many = ", in process 0" if self.parallel.world > 1 else ""
            how = f"{self.memory.how}{many}" if measured is not None else "not measured"
            rows.append(("memory", size(p.memory_peak), size(measured) if measured else "-", how))
        if p.peak is not None and summary["mfu"] is not None:
            of = f"of {si(p.peak.flops, 'FLOP/s')}: {p.peak.label}"
            rows.append(("MFU", "-", f"{summary['mfu']:.1%}", of))
        return rows

    def _losses(self, summary: dict[str, Any]) -> list[str]:
        """The result of the run, in sentences."""
        step, now = summary["step"], summary["steps_now"]
        speed = f"{duration(summary['seconds'])}, {si(summary['tokens_per_second'])} tokens/s"
        lines = [f"trained {now} steps{f', to step {step},' if now < step else ''} in {speed}"]
        if not now:
            lines = [f"nothing was left to do after step {step}: --steps takes more"]
        value, unigram = summary["val_loss"], summary.get("unigram_nats")
        if value is not None and unigram is not None:
            unit = "byte" if self.corpus is not None and self.corpus.is_text else "token"
            lines.append(
                f"validation loss {value:.3f} nats = {in_bits(value):.3f} bits per {unit}; "
                f"unigram entropy {unigram:.3f} nats = {in_bits(unigram):.3f} bits per {unit}"
            )
        return lines

    def _title(self, summary: dict[str, Any]) -> str:
        return f"{si(summary['parameters'])} parameters, {si(summary['tokens'])} tokens"

    def _draw(self, folder: RunFolder, summary: dict[str, Any]) -> list[tuple[str, str]]:
        """Write the pictures as images, and give them as elements of the report."""
        records = read_records(folder / runfolder.METRICS)
        losses = [(int(str(r["step"])), float(str(r["loss"]))) for r in records if r.get("loss") is not None]
        validation = {
            int(str(r["step"])): float(str(r["val_loss"])) for r in records if r.get("val_loss") is not None
        }
        try:
            loss = draw_losses(
                losses, validation, unigram=summary.get("unigram_nats"), title=self._title(summary)
            )
            panels = draw_panels(records)
        except ImportError as error:
            self.console.note(f"no pictures ({error}): pip install 'typedtorch[viz]'")
            return []
        save_png(loss, folder / runfolder.PICTURE)
        save_png(panels, folder / runfolder.PANELS)
        return [("Loss", as_svg(loss, "loss")), ("Step by step", as_svg(panels, "panels"))]


def _evaluations(folder: RunFolder) -> dict[int, dict[str, float]]:
    """What was found at which step, by the processes before this one too."""
    found: dict[int, dict[str, float]] = {}
    for record in read_records(folder / runfolder.METRICS):
        figures = {k.removeprefix("val_"): v for k, v in record.items() if k.startswith("val_")}
        numbers = {name: float(value) for name, value in figures.items() if isinstance(value, float | int)}
        if numbers:
            found[int(str(record["step"]))] = numbers
    return found


def _predicted_rows(p: Prediction, steps: int) -> list[tuple[str, str]]:
    """Predicted cost of a step, and the peak that it is compared with."""
    if p.flops_per_token is None:
        return [("predicted", f"nothing: {p.why_not}")]
    rows = [("FLOPs", f"{si(p.flops_per_token)} per token, forward and backward")]
    if p.peak is not None:
        rows.append(("peak", f"{si(p.peak.flops, 'FLOP/s')} ({p.peak.label})"))
    if p.memory_peak is not None:
        rows.append(("memory", f"{size(p.memory_peak)} predicted peak{p.shared}"))
    if p.step_seconds is not None:
        total = duration(p.step_seconds * steps)
        rows.append(("time", f"at least {p.step_seconds * 1e3:.1f} ms per step, {total} in all"))
    return rows
