"""The whole job: data to run folder, resumed, refused, with the user's own parts."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from typedtorch.data import DataError, FileProblem
from typedtorch.training import (
    Callback,
    CheckpointMismatch,
    ConfigError,
    Console,
    DamagedCheckpoint,
    Interrupted,
    LossSum,
    RunFolderError,
    Trainer,
    TrainResult,
    train,
)
from typedtorch.training.assemble import open_corpus
from typedtorch.training.config import TrainConfig
from typedtorch.training.loggers import read_records
from typedtorch.training.runfolder import RunFolder

TINY: dict[str, Any] = {
    "device": "cpu", "layers": 1, "d_model": 16, "heads": 2, "seq": 16, "batch": 4, "steps": 12,
    "log_every": 2, "eval_every": 4, "save_every": 4, "eval_tokens": 500, "sample": 20, "plot": False,
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"line {i % 17} of the text, and {i % 5} more\n" for i in range(400)))
    return path


def run(text: Path, out: str = "out", said: io.StringIO | None = None, **changes: Any) -> TrainResult:
    settings = {**TINY, "data": str(text), "out": out, **changes}
    return train(console=Console(said or io.StringIO()), **settings)


class StopAt(Callback):
    """Ends the run after a step, as a signal would, without one."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step(self, trainer: Trainer, /) -> None:
        if trainer.step == self.step:
            trainer.should_stop = "asked to"


def figures(folder: Path) -> list[tuple[object, ...]]:
    """What the records say, the times left out."""
    return [
        tuple(r.get(k) for k in ("step", "loss", "val_loss", "lr", "items")) for r in read_records(folder)
    ]


def test_a_run_leaves_everything_in_its_folder(text: Path) -> None:
    said = io.StringIO()
    result = run(text, said=said, steps=60, lr=0.02, plot=True, save_every=30)
    folder = result.folder
    assert sorted(p.name for p in folder.iterdir() if not p.name.startswith(".")) == [
        "checkpoints", "config.json", "loss.png", "metrics.jsonl", "report.html", "report.png",
        "summary.json",
    ]  # fmt: skip
    assert sorted(p.name for p in (folder / "checkpoints").iterdir()) == ["step-00000030", "step-00000060"]
    for name in ("loss.png", "report.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["step"] == 60
    assert summary["val_loss"] == result.val_loss
    assert result.val_loss is not None
    assert result.val_loss < summary["unigram_nats"] - 0.3
    assert summary["parameters"] == summary["predicted"]["parameters"]
    assert summary["counted_flops_per_token"] == pytest.approx(summary["predicted"]["flops_per_token"])
    assert summary["tokens"] == 60 * 4 * 16
    assert result.sample == summary["sample"]
    text_said = said.getvalue()
    for words in (
        "unigram entropy",
        "predicted and measured",
        "FLOPs per token",
        "MFU",
        "sample:",
        "written: out",
    ):
        assert words in text_said


def test_a_run_that_stopped_and_one_that_did_not_end_the_same(text: Path) -> None:
    whole = run(text, "whole", dropout=0.1, ema=0.9)
    first = run_stopped(text, "parts", 5, dropout=0.1, ema=0.9)
    assert first.stopped == "asked to"
    parts = run(text, "parts", resume="auto")
    assert parts.val_loss == whole.val_loss
    assert all(
        torch.equal(a, b) for a, b in zip(parts.model.parameters(), whole.model.parameters(), strict=True)
    )
    whole_figures = figures(whole.folder / "metrics.jsonl")
    parts_figures = figures(parts.folder / "metrics.jsonl")
    # the stretch that was cut at step 5 is told apart; all else is the same
    assert [f for f in parts_figures if f[0] not in (5, 6)] == [
        f for f in whole_figures if f[0] not in (5, 6)
    ]


def run_stopped(text: Path, out: str, step: int, **changes: Any) -> TrainResult:
    settings = {**TINY, "data": str(text), "out": out, **changes}
    return train(console=Console(io.StringIO()), callbacks=[StopAt(step)], **settings)


def test_resuming_uses_the_settings_of_the_run_and_shows_what_changed(text: Path) -> None:
    run_stopped(text, "out", 5, lr=0.01)
    said = io.StringIO()
    result = train(out="out", resume="auto", steps=14, weight_decay=0.2, console=Console(said))
    assert result.step == 14
    assert "out/checkpoints/step-00000005 at step 5" in said.getvalue()
    assert "changed: steps: 12 -> 14" in said.getvalue()
    assert "changed: weight_decay: 0.1 -> 0.2" in said.getvalue()
    assert json.loads((result.folder / "config.json").read_text())["settings"]["lr"] == 0.01


def test_what_the_checkpoint_depends_on_can_not_change(text: Path) -> None:
    run_stopped(text, "out", 5)
    for changed, line in [
        ({"seq": 8}, "seq: saved with 16, now 8"),
        ({"batch": 8}, "batch: saved with 4, now 8"),
        ({"seed": 1}, "seed: saved with 0, now 1"),
        ({"d_model": 32}, r"embedding\.weight: expected shape \(256, 32\), found \(256, 16\)"),
    ]:
        with pytest.raises(CheckpointMismatch, match=line):
            train(out="out", resume="auto", console=Console(io.StringIO()), **changed)  # type: ignore[arg-type]  # of several types
    text.write_text(text.read_text().replace("more", "less"))
    with pytest.raises(CheckpointMismatch, match="data: saved with"):
        train(out="out", resume="auto", console=Console(io.StringIO()))


def test_settings_that_do_not_fit_leave_the_run_as_it_was(text: Path) -> None:
    run_stopped(text, "out", 5)
    before = (text.parent / "out" / "config.json").read_bytes()
    with pytest.raises(CheckpointMismatch) as caught:
        train(out="out", resume="auto", d_model=32, console=Console(io.StringIO()))
    assert (
        caught.value.problems[0] == "d_model: saved with 16, now 32"
    )  # the cause before what follows from it
    assert (text.parent / "out" / "config.json").read_bytes() == before
    assert train(out="out", resume="auto", console=Console(io.StringIO())).step == 12


def test_a_resumed_run_says_what_it_did_itself(text: Path) -> None:
    run_stopped(text, "out", 5)
    said = io.StringIO()
    train(out="out", resume="auto", console=Console(said))
    assert "trained 7 steps, to step 12, in " in said.getvalue()
    page = (text.parent / "out" / "report.html").read_text()
    assert all(f"<td>{step}</td>" in page for step in (4, 8, 12))  # those before it was resumed too
    again = io.StringIO()
    train(out="out", resume="auto", console=Console(again))
    assert "nothing was left to do after step 12: --steps takes more" in again.getvalue()
    assert "MFU " not in again.getvalue().split("predicted and measured")[1]


def test_a_damaged_newest_checkpoint_is_passed_over(text: Path) -> None:
    run(text)
    os.truncate("out/checkpoints/step-00000012/model.safetensors", 100)
    said = io.StringIO()
    assert run(text, said=said, resume="auto").step == 12
    assert "damaged checkpoint passed over" in said.getvalue()
    assert "out/checkpoints/step-00000008 at step 8" in said.getvalue()
    with pytest.raises(DamagedCheckpoint):
        run(text, resume="out/checkpoints/step-00000012")


def test_with_every_checkpoint_damaged_nothing_starts_from_scratch(text: Path) -> None:
    run(text)
    for path in Path("out/checkpoints").iterdir():
        os.truncate(path / "manifest.json", 0)
    before = Path("out/metrics.jsonl").read_text()
    with pytest.raises(DamagedCheckpoint, match="a checkpoint that holds, found 2 damaged"):
        run(text, resume="auto")
    assert Path("out/metrics.jsonl").read_text() == before


def test_a_particular_checkpoint_can_be_continued(text: Path) -> None:
    whole = run(text)
    again = run(text, out=None, resume="out/checkpoints/step-00000008")  # type: ignore[arg-type]  # unset
    assert again.val_loss == whole.val_loss
    assert again.folder == whole.folder


def test_auto_begins_anew_only_in_a_new_folder(text: Path) -> None:
    assert run(text, "new", resume="auto", steps=4).step == 4
    with pytest.raises(ConfigError, match="there is no run in runs/ to resume"):
        run(text, out=None, resume="auto")  # type: ignore[arg-type]  # unset
    with pytest.raises(
        ConfigError, match="expected never, auto, a run folder or a checkpoint folder, got 'nowhere'"
    ):
        run(text, resume="nowhere")


def test_the_latest_run_is_found(text: Path) -> None:
    first = train(console=Console(io.StringIO()), **{**TINY, "data": str(text), "steps": 4})
    assert first.folder.parent == Path("runs")
    resumed = train(console=Console(io.StringIO()), resume="auto", steps=6)
    assert (resumed.folder, resumed.step) == (first.folder, 6)


def test_an_existing_run_is_not_overwritten(text: Path) -> None:
    run(text)
    with pytest.raises(ConfigError, match="out: out already holds a run"):
        run(text)


def _hold(path: str, held: Any, release: Any) -> None:
    folder = RunFolder(path)
    held.set()
    release.wait(30)
    folder.close()


def test_two_processes_do_not_share_a_run_folder(text: Path) -> None:
    fork = multiprocessing.get_context("fork")
    held, release = fork.Event(), fork.Event()
    process = fork.Process(target=_hold, args=("out", held, release))
    process.start()
    try:
        assert held.wait(30)
        with pytest.raises(RunFolderError, match=f"in use by process {process.pid}"):
            run(text)
    finally:
        release.set()
        process.join()
    assert run(text).step == 12


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"data": "/does/not/exist"}, DataError),
        ({"data": "empty.txt"}, DataError),
        ({"data": "short.txt"}, DataError),
        ({"data": "odd.bin"}, DataError),
        ({"data": "empty"}, DataError),
        ({"data": "*.nothing"}, DataError),
        ({"device": "cuda:9"}, ConfigError),
        ({"device": "toaster"}, ConfigError),
        ({"steps": -1}, ConfigError),
        ({"heads": 3}, ConfigError),
        ({"parallel": "ddp"}, ConfigError),
        ({"out": "empty.txt"}, ConfigError),
    ],
)
def test_what_can_not_work_leaves_nothing_behind(
    text: Path, tmp_path: Path, changes: dict[str, Any], error: type[Exception]
) -> None:
    Path("empty.txt").touch()
    Path("empty").mkdir()
    Path("short.txt").write_text("too short")
    Path("odd.bin").write_bytes(b"abc")
    before = sorted(p for p in tmp_path.rglob("*") if "cache" not in p.parts)
    with pytest.raises(error) as caught:
        run(text, **changes)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ConfigError | FileProblem)
    assert sorted(p for p in tmp_path.rglob("*") if "cache" not in p.parts) == before


@pytest.mark.parametrize("kind", ["folder", "glob", "npy", "raw", "tok", "shards", "shards by glob"])
def test_every_kind_of_data_is_taken(text: Path, kind: str) -> None:
    ids = np.frombuffer(text.read_bytes(), np.uint8)
    names = {"folder": "texts", "glob": "texts/*.txt", "npy": "a.npy", "raw": "a.bin", "tok": "a.tok"}
    names |= {"shards": "shards", "shards by glob": "shards/part_*.npy"}
    if kind in ("folder", "glob"):
        Path("texts").mkdir()
        Path("texts/a.txt").write_text(text.read_text())
    elif kind == "npy":
        np.save("a.npy", ids.astype(np.int64))
    elif kind.startswith("shards"):
        Path("shards").mkdir()
        for i, part in enumerate(np.array_split(ids, 3)):
            np.save(f"shards/part_{i}.npy", part)
    elif kind == "raw":
        ids.astype("<u2").tofile("a.bin")
    else:
        from typedtorch.data import write_tokens

        write_tokens("a.tok", ids, vocab=256)
    assert run(Path(names[kind]), steps=2).step == 2
    corpus = open_corpus(TrainConfig.from_flat({"data": names[kind], "seq": 32}), note=print)
    separators = kind in ("folder", "glob")  # one, at the end of the document
    assert len(corpus.train) + len(corpus.held_out) == len(ids) + separators


# --- the user's own parts


class Line(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.linear(x)
        return y


def test_own_model_loss_batches_and_optimizer() -> None:
    x = torch.randn(64, 2)
    data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))

    def loss(model: nn.Module, batch: Any) -> LossSum:
        x, y = batch
        return LossSum(nn.functional.mse_loss(model(x), y, reduction="sum"), y.numel())

    model = Line()
    result = train(
        model=model,
        loss=loss,
        batches=torch.utils.data.DataLoader(data, batch_size=16),
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        evaluate=lambda model, stop: {"loss": float(loss(model, (x, x.sum(1, keepdim=True))).total) / 64},
        console=Console(io.StringIO()),
        **{k: v for k, v in TINY.items() if k in ("device", "save_every", "plot", "log_every")},
        steps=80,
        out="own",
    )
    assert result.model is model
    assert result.val_loss is not None
    assert result.val_loss < 0.01
    assert Path("own/checkpoints/step-00000080").is_dir()
    assert [r["lr"] for r in read_records("own/metrics.jsonl") if "lr" in r][-1] == 0.1


def test_own_model_on_the_default_data(text: Path) -> None:
    class Bigram(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(256, 256)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.table(tokens)
            return logits

    said = io.StringIO()
    result = train(
        model=Bigram(),
        optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=0.1),
        console=Console(said),
        **{**TINY, "data": str(text), "out": "bigram", "steps": 30},
    )
    assert result.val_loss is not None
    assert result.val_loss < 2.0
    assert "predicted   nothing: " in said.getvalue()  # its forward says no shapes


def test_recomputing_and_accumulating_change_no_result(text: Path) -> None:
    plain = run(text, "plain")
    spared = run(text, "spared", recompute=True, micro_batch=2)
    assert plain.val_loss is not None
    assert spared.val_loss == pytest.approx(plain.val_loss, abs=1e-4)


def test_compiled_training_has_no_graph_break_and_the_same_result(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_compile, compiled = torch.compile, []

    def checking(function: Any, **options: Any) -> Any:
        compiled.append(function)
        return plain_compile(function, backend="aot_eager", fullgraph=True)

    plain = run(text, "plain", steps=4)
    monkeypatch.setattr(torch, "compile", checking)
    found = run(text, "compiled", steps=4, compile=True)
    assert len(compiled) == 1
    assert plain.val_loss is not None
    assert found.val_loss == pytest.approx(plain.val_loss, abs=1e-4)


def test_deterministic_refuses_what_does_not_repeat_and_only_meanwhile(text: Path) -> None:
    seen: list[bool] = []

    class Look(Callback):
        def on_step(self, trainer: Trainer, /) -> None:
            seen.append(torch.are_deterministic_algorithms_enabled())

    run_with = {**TINY, "data": str(text), "out": "out", "steps": 2, "warmup": 1, "deterministic": True}
    train(console=Console(io.StringIO()), callbacks=[Look()], **run_with)
    assert seen == [True, True]
    assert not torch.are_deterministic_algorithms_enabled()


def test_a_signal_leaves_a_run_that_resumes(text: Path) -> None:
    class Term(Callback):
        def on_step(self, trainer: Trainer, /) -> None:
            if trainer.step == 7:
                os.kill(os.getpid(), 15)

    with pytest.raises(Interrupted):
        train(callbacks=[Term()], console=Console(io.StringIO()), **{**TINY, "data": str(text), "out": "out"})
    whole = run(text, "whole")
    assert run(text, resume="auto").val_loss == whole.val_loss


def test_training_needs_neither_beartype_nor_tyro(text: Path) -> None:
    code = f"""
import sys
for name in ("beartype", "tyro", "mypy", "psutil", "hypothesis"):
    sys.modules[name] = None
import typedtorch
settings = {TINY!r} | dict(data={str(text)!r}, out="bare", steps=2, save_every=2, plot=True)
print(typedtorch.train(**settings).step)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["2"], done.stderr
    assert "\r" not in done.stdout


def test_a_profile_is_written_on_request(text: Path) -> None:
    folder = run(text, profile=True, sample=0).folder
    trace = json.loads((folder / "profile" / "trace.json").read_text())
    assert any(event.get("name") == "aten::embedding" for event in trace["traceEvents"])


@pytest.mark.parametrize(
    "stored",
    [
        {"steps": "__import__('os').system('touch ran')"},
        {"steps": 10**400}, {"lr": 1e999}, {"layers": -1}, {"d_model": 1e9}, {"no_such": 1},
        {"data": ["a"]}, {"device": "cuda:99"}, {"seed": -1},
    ],
    ids=str,
)  # fmt: skip
def test_a_hostile_configuration_is_refused_with_a_reason(text: Path, stored: dict[str, Any]) -> None:
    folder = run(text, steps=2, sample=0).folder
    config = json.loads((folder / "config.json").read_text())
    config["settings"] |= stored
    (folder / "config.json").write_text(json.dumps(config))
    before = sorted((folder / "checkpoints").iterdir())
    with pytest.raises((ConfigError, FileProblem)):
        train(console=Console(io.StringIO()), out=str(folder), resume="auto")
    assert not Path("ran").exists()
    assert sorted((folder / "checkpoints").iterdir()) == before


@pytest.mark.parametrize(
    "text_of", ["", "[]", "3", '{"settings": []}', "{" * 100_000, "\x00", '{"settings": null}']
)
def test_a_configuration_that_is_none_is_refused(text: Path, text_of: str) -> None:
    folder = run(text, steps=2, sample=0).folder
    (folder / "config.json").write_text(text_of)
    with pytest.raises(RunFolderError, match=r"config\.json"):
        train(console=Console(io.StringIO()), out=str(folder), resume="auto")
