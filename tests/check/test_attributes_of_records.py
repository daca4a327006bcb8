"""Fields of a dataclass or named tuple that are not there, and those that may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.check.cli import main
from typedtorch.shapes.neighbours import look_again

CLASSES = """from __future__ import annotations
from dataclasses import dataclass, replace
from typing import NamedTuple
import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    d_model: int
    n_heads: int = 2

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads


@dataclass(frozen=True)
class Wide(Config):
    factor: int = 4


@dataclass
class Open:
    d_model: int

    def __getattr__(self, name):
        return 1


class Batch(NamedTuple):
    obs: Tensor
    advantages: Tensor


class Net(nn.Module):
    def __init__(self, cfg: Config, batch: Batch):
        super().__init__()
        self.cfg = cfg
        self.other = batch
        self.other = cfg
"""
MISSING = {
    "def f(cfg: Config): return cfg.n_head": '"Config" has no attribute "n_head"; maybe "n_heads"?',
    "def f(*, cfg: 'Config'): return [cfg.width for _ in range(3)]": '"Config" has no attribute "width"',
    "def f(batch: Batch): return batch.adv": '"Batch" has no attribute "adv"',
    "def f(cfg: Wide): return cfg.factr": '"Wide" has no attribute "factr"; maybe "factor"?',
    "    def forward(self, x): return x * self.cfg.n_head": '"Config" has no attribute "n_head"',
}
THERE = [
    "def f(cfg: Config): return cfg.n_heads, cfg.d_head, cfg.__class__",
    "def f(batch: Batch): return batch.obs, batch.count(1), batch._replace(obs=1)",
    "def f(cfg: Wide): return cfg.n_heads, cfg.factor",
    "def f(cfg: Config): return cfg.factor",  # it may be one of those
    "def f(cfg: Config): return cfg.advantages",  # loosely annotated, perhaps
    "def f(cfg: Open): return cfg.anything",
    "def f(cfg: Config):\n    cfg = torch\n    return cfg.zeros",
    "def f(cfg: Config): return [cfg.zeros for cfg in (torch,)]",
    "def f(cfg: Config): return (lambda cfg: cfg.zeros)(torch)",
    "def f(cfg: Config): return cfg.width if hasattr(cfg, 'width') else 1",
    "def f(cfg: Config):\n    try:\n        return cfg.width\n    except AttributeError:\n        return 1",
    "def f(cfg: Config | None): return cfg.width",
    "def f(cfg: Config):\n    object.__setattr__(cfg, 'width', 1)\n    return cfg.width",
    "    def forward(self, x): return x * self.cfg.d_head * self.other.anything",
    "    @property\n    def c(self): ...\n    @c.setter\n    def c(self, c: Config): ...\n",
    "def f(cfg: Config):\n    if isinstance(cfg, torch.Size):\n        return cfg.width\n    return 1",
    "    def forward(self): return self.cfg.width if isinstance(self.cfg, torch.Size) else 1",
    "def f(cfg: Config):\n    assert isinstance(cfg, torch.Size)\n    return cfg.width",
    "def f(cfg: Config):\n    match cfg:\n        case torch.Size():\n            return cfg.width",
    "def f(cfg: Config):\n    if type(cfg) is torch.Size:\n        return cfg.width\n    return 1",
    "def f(cfg: Config):\n    setattr(cfg, 'width', 3)\n    return cfg.width",
    "def f(cfg: Config):\n    vars(cfg).update(width=3)\n    return cfg.width",
    "def f(cfg: Config):\n    cfg.__dict__['width'] = 3\n    return cfg.width",
    "def g(cfg: Config):\n    cfg.width = 3\ndef f(cfg: Config):\n    g(cfg)\n    return cfg.width",
]


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").touch()
    look_again()


@pytest.mark.parametrize(("line", "message"), MISSING.items())
def test_a_field_that_is_not_there(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(f"{CLASSES}\n{line}\n")
    assert main(["model.py"]) == 1
    assert message in capsys.readouterr().out


@pytest.mark.parametrize("line", THERE)
def test_a_field_that_may_be_there(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(f"{CLASSES}\n{line}\n")
    assert main(["model.py"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("line", ["cfg.width = 3", "@dataclass\nclass Mine(Config):\n    width: int = 3"])
def test_a_field_that_another_file_gives(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(f"{CLASSES}\ndef f(cfg: Config): return cfg.width\n")
    Path("other.py").write_text("cfg = None\n")
    assert main(["model.py"]) == 1
    Path("other.py").write_text(
        f"from dataclasses import dataclass\nfrom model import Config\ncfg = None\n{line}\n"
    )
    look_again()
    assert main(["model.py"]) == 0, capsys.readouterr().out
