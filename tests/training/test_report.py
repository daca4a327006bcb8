"""What a run leaves to look at: the report, where the time goes, memory predicted and measured."""

from __future__ import annotations

import io
import re
import sys
import time
import xml.dom.minidom
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from typedtorch.training import Console, TrainResult, train
from typedtorch.training.loggers import read_records
from typedtorch.training.picture import as_svg, draw_losses, draw_panels, step_parts
from typedtorch.training.usage import PeakMemory
from typedtorch.training.webpage import Page

from .parts import make_trainer, token_batches, token_loss

TINY: dict[str, Any] = {
    "device": "cpu", "layers": 2, "d_model": 32, "heads": 2, "seq": 32, "batch": 4, "steps": 8,
    "log_every": 2, "eval_every": 4, "eval_tokens": 500, "sample": 30,
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("text <b>.txt").write_text("".join(f"<script>{i % 17}</script> and {i % 5}\n" for i in range(400)))


def run(said: io.StringIO | None = None, **changes: Any) -> TrainResult:
    settings = {**TINY, "data": "text <b>.txt", "out": "out", **changes}
    return train(console=Console(said or io.StringIO()), **settings)


class Seen(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.targets: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.targets += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_report_is_one_file_with_everything_in_it() -> None:
    result = run()
    text = (result.folder / "report.html").read_text(encoding="utf-8")
    seen = Seen(text)
    assert "script" not in seen.tags
    assert seen.targets
    assert all(target.startswith("#") for target in seen.targets)
    assert not re.search(r"url\((?!#)", text)
    for words in (
        "text <b>.txt", "Predicted and measured", "FLOPs per token", "storages tracked in one step",
        "validation loss", "learning rate", "gradient norm", "tokens per second", "time of a step (ms)",
        "forward and backward", "memory in use (MiB)", "Validation", "Settings", "d_model",
    ):  # fmt: skip
        assert words in seen.text, words
    shown = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in result.sample)
    assert shown in seen.text
    elements = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(elements) == 2
    names: list[str] = []
    for element in elements:
        xml.dom.minidom.parseString(element)
        names += re.findall(r'\bid="([^"]+)"', element)
    assert len(names) == len(set(names))  # both are on one page
    assert set(seen.targets) <= {f"#{name}" for name in names}


def test_whatever_a_text_holds_is_shown_and_never_markup() -> None:
    hostile = "</pre><img src=x onerror=alert(1)>\x1b[31m"
    page = Page(
        hostile, hostile, [(hostile, hostile)], [(hostile,) * 4], {1: {hostile: 0.5}}, (), hostile,
        {"a": hostile},
    )  # fmt: skip
    seen = Seen(page.text())
    assert "img" not in seen.tags
    assert "\x1b" not in page.text()
    assert seen.text.count("<img src=x onerror=alert(1)>") == 12


def test_without_matplotlib_there_is_a_report_without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = io.StringIO()
    result = run(said)
    assert "pip install 'typedtorch[viz]'" in said.getvalue()
    assert "svg" not in Seen((result.folder / "report.html").read_text(encoding="utf-8")).tags
    assert not (result.folder / "loss.png").exists()


def test_a_run_of_one_step_has_its_pictures() -> None:
    record = {
        "step": 1, "loss": 2.0, "lr": 0.0, "grad_norm": 0.0, "step_seconds": 1.0, "gradient_seconds": 0.5,
    }  # fmt: skip
    for records in ([], [record], [{"step": 1, "val_loss": 3.0}]):
        assert as_svg(draw_panels(records), "p").startswith("<svg")
    assert as_svg(draw_losses([], {}), "p").startswith("<svg")


# --- where the time goes


def test_the_time_of_a_step_is_split_into_its_parts() -> None:
    class SlowBatches(list[Any]):
        def __iter__(self) -> Any:
            for batch in super().__iter__():
                time.sleep(0.02)
                yield batch

    class SlowOptimizer(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            time.sleep(0.03)
            return super().step(closure)

    def loss(model: nn.Module, batch: Any) -> Any:
        time.sleep(0.05)
        return token_loss(model, batch)

    source = token_batches()
    trainer = make_trainer(
        steps=4, log_every=2, loss=loss, batches=SlowBatches([next(source) for _ in range(8)]),
        optimizer=lambda model: SlowOptimizer(model.parameters(), lr=0.1),
    )  # fmt: skip
    for figures in trainer.fit().figures:
        # sleeping takes at least its time; and the parts never come to more than the whole
        assert figures.wait_seconds >= 0.02
        assert figures.gradient_seconds >= 0.05
        assert figures.update_seconds >= 0.03
        parts = figures.wait_seconds + figures.gradient_seconds + figures.update_seconds
        assert parts <= figures.step_seconds


def test_evaluating_and_saving_are_no_part_of_a_step() -> None:
    def evaluate(model: nn.Module, stop: Any) -> dict[str, float]:
        time.sleep(0.2)
        return {"loss": 1.0}

    trainer = make_trainer(steps=4, log_every=2, eval_every=1, others={"evaluate": evaluate})
    first, second = trainer.fit().figures
    assert first.paused_seconds >= 0.2  # the second step's comes after its figures
    assert second.paused_seconds >= 0.4
    assert second.step_seconds * 2 < second.paused_seconds


def test_the_records_hold_the_parts() -> None:
    timed = step_parts(read_records(run(steps=4).folder / "metrics.jsonl"))
    assert [step for step, _ in timed] == [2, 4]
    for _, parts in timed:
        assert list(parts) == ["data", "forward and backward", "update", "rest"]
        assert all(seconds >= 0 for seconds in parts.values())
        assert parts["forward and backward"] > 0


# --- memory


@pytest.mark.parametrize(
    "changes",
    [
        {}, {"micro_batch": 2}, {"recompute": True}, {"precision": "bf16"}, {"ema": 0.9}, {"tie": False},
        {"precision": "fp16"}, {"precision": "fp8"},
    ],
    ids=lambda changes: next(iter(changes), "plain"),
)  # fmt: skip
def test_memory_predicted_is_memory_measured(changes: dict[str, Any]) -> None:
    bigger: dict[str, Any] = {"d_model": 128, "seq": 64, "batch": 8, "sample": 0, "plot": False}
    summary = run(**bigger, **changes).summary
    assert summary["peak_memory_is"] == "storages tracked in one step"
    assert summary["peak_memory"] == pytest.approx(summary["predicted"]["peak_memory"], rel=0.01)


def test_tracking_changes_no_result_and_one_step_is_enough() -> None:
    expected = make_trainer(steps=6).fit().losses
    tracked, peak = make_trainer(steps=6), PeakMemory(torch.device("cpu"))
    peak.attach(tracked)
    assert tracked.fit().losses == expected
    assert tracked.probe is None
    assert peak.bytes()
    single, once = make_trainer(steps=1), PeakMemory(torch.device("cpu"))
    once.attach(single)
    single.fit()
    assert once.bytes()
