"""The whole job: data to run folder, refused, with the user's own parts."""

from __future__ import annotations

import io
import json
import multiprocessing
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
    ConfigError,
    Console,
    LossSum,
    RunFolderError,
    Trainer,
    train,
)
from typedtorch.training.assemble import open_corpus
from typedtorch.training.config import TrainConfig
from typedtorch.training.loggers import read_records
from typedtorch.training.runfolder import RunFolder

from .jobs import TINY, run

pytestmark = pytest.mark.usefixtures("own_cache")


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


def test_a_share_that_leaves_no_window_is_named(text: Path) -> None:
    for share, side in ((0.9999, "training"), (0.000001, "validation")):
        with pytest.raises(ConfigError, match=rf"^val_fraction: expected .* for {side} .*got .*{share}"):
            run(text, val_fraction=share)


def test_nothing_is_held_out_and_evaluated_where_the_share_is_zero(text: Path) -> None:
    found = run(text, val_fraction=0.0, sanity=1, eval_every=1, sample=4)
    assert found.val_loss is None
    assert not any("val_loss" in record for record in read_records(found.folder / "metrics.jsonl"))
    assert "none held out" in (found.folder / "report.html").read_text()
    again = train(resume="auto", out=str(found.folder), steps=found.step + 1)
    assert again.step == found.step + 1


def test_a_schedule_whose_steps_are_all_warm_up_has_no_decay(text: Path) -> None:
    found = run(text, schedule="wsd", warmup=4, steps=4)
    assert found.step == 4


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
    assert corpus.held_out is not None
    assert len(corpus.train) + len(corpus.held_out) == len(ids) + separators


def test_a_batch_larger_than_the_data_is_said_to_be(text: Path) -> None:
    said = io.StringIO()
    assert run(text, said=said, steps=1, batch=2000).step == 1
    assert "windows of 16 tokens, fewer than the batch of 2000: a step repeats some" in said.getvalue()
    said = io.StringIO()
    run(text, "other", said=said, steps=1)
    assert "a step repeats some" not in said.getvalue()


@pytest.mark.parametrize("damage", ["flipped", "truncated", "emptied"])
def test_text_whose_packed_tokens_were_damaged_is_packed_again(text: Path, damage: str) -> None:
    expected = run(text, steps=2).loss
    (packed,) = Path("cache/typedtorch").glob("*.tok")
    whole = packed.read_bytes()
    packed.write_bytes({"flipped": whole[:-9] + b"x" + whole[-8:], "truncated": whole[:-1]}.get(damage, b""))
    said = io.StringIO()
    assert run(text, "again", said=said, steps=2).loss == expected
    assert packed.read_bytes() == whole
    assert f"damaged, packed again: {packed.absolute()}: expected" in said.getvalue()


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


def test_own_model_and_pairs_need_no_loss() -> None:
    x = torch.randn(64, 8)
    pairs = torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long())
    options: dict[str, Any] = {
        k: v for k, v in TINY.items() if k in ("device", "save_every", "plot", "log_every")
    }
    loader = torch.utils.data.DataLoader(pairs, batch_size=16)
    result = train(model=nn.Linear(8, 2), batches=loader, steps=200, lr=0.1, out="pairs", **options)
    assert result.loss < 0.3
    with pytest.raises(TypeError, match=r"a pair \(inputs, targets\), got a Tensor"):
        train(model=nn.Linear(8, 2), batches=[x], steps=1, out="single", **options)


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
        **{k: v for k, v in TINY.items() if k not in ("layers", "d_model", "heads")} | {"steps": 30},
        data=str(text),
        out="bigram",
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


def test_the_default_loss_is_a_mean_of_the_targets_that_count(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, inputs = torch.nn.Linear(4, 5), torch.randn(8, 4)
    targets = torch.tensor([0, 1, 2, -100, -100, -100, -100, -100])
    wanted = torch.nn.functional.cross_entropy(model(inputs), targets).item()
    found = train(
        model=model, batches=[(inputs, targets)], steps=1, out=tmp_path / "run", device="cpu",
        optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=1e-9),
    )  # fmt: skip
    assert found.loss == pytest.approx(wanted)
