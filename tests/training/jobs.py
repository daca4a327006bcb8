"""What the tests of whole runs share: a tiny one, and what its records say."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from typedtorch.training import Console, TrainResult, train
from typedtorch.training.loggers import read_records

TINY: dict[str, Any] = {
    "device": "cpu", "layers": 1, "d_model": 16, "heads": 2, "seq": 16, "batch": 4, "steps": 12,
    "log_every": 2, "eval_every": 4, "save_every": 4, "eval_tokens": 500, "sample": 20, "plot": False,
}  # fmt: skip


def run(text: Path, out: str = "out", said: io.StringIO | None = None, **changes: Any) -> TrainResult:
    settings = {**TINY, "data": str(text), "out": out, **changes}
    return train(console=Console(said or io.StringIO()), **settings)


def figures(folder: Path) -> list[tuple[object, ...]]:
    """What the records say, the times left out."""
    return [
        tuple(r.get(k) for k in ("step", "loss", "val_loss", "lr", "items")) for r in read_records(folder)
    ]
