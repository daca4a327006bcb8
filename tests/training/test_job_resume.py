"""A run that goes on: from the right checkpoint, with the right settings, or not at all."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from typedtorch.data import FileProblem
from typedtorch.training import (
    Callback,
    CheckpointMismatch,
    ConfigError,
    Console,
    DamagedCheckpoint,
    Interrupted,
    RunFolderError,
    Trainer,
    TrainResult,
    load_checkpoint,
    train,
)

from .jobs import TINY, figures, run

pytestmark = pytest.mark.usefixtures("own_cache")


class StopAt(Callback):
    """Ends the run after a step, as a signal would, without one."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step(self, trainer: Trainer, /) -> None:
        if trainer.step == self.step:
            trainer.should_stop = "asked to"


@pytest.mark.parametrize("at", [5, 8])
def test_a_run_that_stopped_and_one_that_did_not_end_the_same(text: Path, at: int) -> None:
    whole = run(text, "whole", dropout=0.1, ema=0.9)
    first = run_stopped(text, "parts", at, dropout=0.1, ema=0.9)
    assert first.stopped == "asked to"
    parts = run(text, "parts", resume="auto")
    assert parts.val_loss == whole.val_loss
    assert all(
        torch.equal(a, b) for a, b in zip(parts.model.parameters(), whole.model.parameters(), strict=True)
    )
    whole_figures = figures(whole.folder / "metrics.jsonl")
    parts_figures = figures(parts.folder / "metrics.jsonl")
    # the stretch that was cut at step 5 is told apart; all else, and all of what was cut at 8, is the same
    cut = (5, 6) if at == 5 else ()
    assert [f for f in parts_figures if f[0] not in cut] == [f for f in whole_figures if f[0] not in cut]


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
    with pytest.raises(DamagedCheckpoint, match="an undamaged checkpoint, found 2 damaged"):
        run(text, resume="auto")
    assert Path("out/metrics.jsonl").read_text() == before


def test_where_nothing_is_left_to_do_no_checkpoint_makes_room_for_the_same_again(text: Path) -> None:
    folder = run(text).folder
    before = sorted(path.name for path in (folder / "checkpoints").iterdir())
    assert before == ["step-00000008", "step-00000012"]
    run(text, resume="auto")
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == before


def test_a_particular_checkpoint_can_be_continued(text: Path) -> None:
    whole = run(text)
    again = run(text, out=None, resume="out/checkpoints/step-00000008")  # type: ignore[arg-type]  # unset
    assert again.val_loss == whole.val_loss
    assert again.folder == whole.folder


def test_what_came_after_the_checkpoint_gone_on_from_is_set_aside(text: Path) -> None:
    """Or whoever resumes next would find the way that was left, where that had come further."""
    run(text, keep=9)
    said = io.StringIO()
    run(text, out=None, said=said, resume="out/checkpoints/step-00000004", steps=6)  # type: ignore[arg-type]  # unset
    folder = Path("out/checkpoints").absolute()
    assert (
        f"  set aside, the run continues from an earlier step: {folder}/left-step-00000012" in said.getvalue()
    )
    assert sorted(p.name for p in folder.iterdir()) == [
        "left-step-00000008", "left-step-00000012", "step-00000004", "step-00000006",
    ]  # fmt: skip
    said = io.StringIO()
    assert run(text, said=said, resume="auto", steps=8).step == 8
    assert f"resumed from {folder}/step-00000006 at step 6" in said.getvalue()


def test_what_was_trained_by_several_processes_goes_on_in_one(text: Path) -> None:
    run(text)
    stored = json.loads(Path("out/config.json").read_text())
    stored["settings"]["parallel"] = "fsdp"
    Path("out/config.json").write_text(json.dumps(stored))
    assert run(text, resume="auto", steps=14).step == 14
    with pytest.raises(ConfigError, match="parallel fsdp: start with torchrun"):
        run(text, resume="auto", steps=15, parallel="fsdp")


def test_checkpoints_without_their_settings_are_not_begun_anew(text: Path) -> None:
    run(text)
    Path("out/config.json").unlink()
    before = sorted(p.name for p in Path("out/checkpoints").iterdir())
    wanted = "out/config.json: expected the settings of a run, found No such file or directory"
    with pytest.raises(RunFolderError, match=wanted):
        run(text, resume="auto")
    assert sorted(p.name for p in Path("out/checkpoints").iterdir()) == before


def test_a_run_that_ended_before_its_first_checkpoint_begins_with_its_own_settings(text: Path) -> None:
    first = run(text, steps=4, lr=0.01)
    shutil.rmtree("out/checkpoints")
    said = io.StringIO()
    again = train(resume="auto", out="out", sample=3, console=Console(said))
    assert "in out: the run begins at step 0, with the settings that are there" in said.getvalue()
    assert "changed: sample: 20 -> 3" in said.getvalue()
    assert again.step == 4
    pairs = zip(again.model.parameters(), first.model.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_auto_begins_anew_only_in_a_new_folder(text: Path) -> None:
    said = io.StringIO()
    assert run(text, "new", said=said, resume="auto", steps=4).step == 4
    assert "nothing to resume in new: the run begins at step 0" in said.getvalue()
    said = io.StringIO()
    assert run(text, "newer", said=said, steps=4).step == 4
    assert "nothing to resume" not in said.getvalue()
    with pytest.raises(ConfigError, match="there is no run in runs/ to resume"):
        run(text, out=None, resume="auto")  # type: ignore[arg-type]  # unset
    with pytest.raises(ConfigError, match="expected auto, or a run folder that is there, got 'nowhere'"):
        run(text, resume="nowhere")


def test_the_latest_run_is_found(text: Path) -> None:
    first = train(console=Console(io.StringIO()), **{**TINY, "data": str(text), "steps": 4})
    assert first.folder.parent == Path("runs")
    resumed = train(console=Console(io.StringIO()), resume="auto", steps=6)
    assert (resumed.folder, resumed.step) == (first.folder, 6)


def test_a_signal_leaves_a_run_that_resumes(text: Path) -> None:
    class Term(Callback):
        def on_step(self, trainer: Trainer, /) -> None:
            if trainer.step == 7:
                os.kill(os.getpid(), 15)

    with pytest.raises(Interrupted):
        train(callbacks=[Term()], console=Console(io.StringIO()), **{**TINY, "data": str(text), "out": "out"})
    whole = run(text, "whole")
    assert run(text, resume="auto").val_loss == whole.val_loss


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
    "text_of",
    ["", "[]", "3", '{"steps": 3}', '{"settings": []}', "{" * 100_000, "\x00", '{"settings": null}'],
)
def test_a_configuration_that_is_none_is_refused(text: Path, text_of: str) -> None:
    folder = run(text, steps=2, sample=0).folder
    (folder / "config.json").write_text(text_of)
    with pytest.raises(RunFolderError, match=r"config\.json: expected .*settings.*, found (?!dict)"):
        train(console=Console(io.StringIO()), out=str(folder), resume="auto")


def test_hyperparameters_that_are_given_anew_are_those_that_the_optimizer_goes_on_with(text: Path) -> None:
    def groups(path: Path) -> list[tuple[float, tuple[float, float]]]:
        found = load_checkpoint(path)["optimizer"]["param_groups"]
        return [(group["weight_decay"], tuple(group["betas"])) for group in found]

    run(text, "first", steps=4, beta1=0.8)
    said = io.StringIO()
    run(text, "first", said=said, steps=8, resume="auto", weight_decay=0.7, beta1=0.5)
    assert "changed: weight_decay: 0.1 -> 0.7" in said.getvalue()
    assert groups(Path("first/checkpoints/step-00000004")) == [(0.1, (0.8, 0.95)), (0.0, (0.8, 0.95))]
    assert groups(Path("first/checkpoints/step-00000008")) == [(0.7, (0.5, 0.95)), (0.0, (0.5, 0.95))]
    train(resume="auto", out="first", steps=10, console=Console(io.StringIO()))
    assert groups(Path("first/checkpoints/step-00000010")) == [(0.7, (0.5, 0.95)), (0.0, (0.5, 0.95))]


@pytest.mark.parametrize("setting", ["out", "resume", "data"])
def test_a_name_that_is_too_long_is_an_error_of_ours(text: Path, setting: str) -> None:
    changes: dict[str, Any] = {setting: "a" * 300}
    with pytest.raises((ConfigError, FileProblem), match=r"a{255}"):
        run(text, **changes)
