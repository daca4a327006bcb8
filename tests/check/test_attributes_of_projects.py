"""Attributes that another part of a project gives to an object: they exist, wherever that part stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.check.cli import main
from typedtorch.shapes.neighbours import look_again

READER = """from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x * self.input_scale)
"""


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models").mkdir()
    Path("models/layer.py").write_text(READER)
    Path("calibration").mkdir()
    look_again()


@pytest.mark.parametrize(
    "line",
    [
        "layer.input_scale = 1.0",
        'setattr(layer, "input_scale", 1.0)',
        'layer.register_buffer("input_scale", scale)',
        'layer.register_parameter("input_scale", scale)',
        'layer.register_buffer(f"{name}_scale", scale)',
        'setattr(layer, f"input_{name}", 1.0)',
    ],
)
def test_a_folder_beside_the_model(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").touch()
    Path("calibration/calibrate.py").write_text(f"def calibrate(layer, name, scale):\n    {line}\n")
    assert main(["."]) == 0, capsys.readouterr().out


MIXER = """def build(architecture, weighting):
    class Model({bases}):
        pass

    return Model()
"""
ARCHITECTURE = """class Architecture:
    def __init__(self):
        self.input_scale = 1.0
"""


@pytest.mark.parametrize(
    ("bases", "alarms"), [("architecture, weighting", 0), ("Exception, Architecture", 1)]
)
def test_a_base_beside_it_that_only_a_call_names(
    bases: str, alarms: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pyproject.toml").touch()
    Path("calibration/build.py").write_text(MIXER.format(bases=bases) + ARCHITECTURE)
    assert main(["."]) == alarms, capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    ["layer.output_scale = 1.0", 'self.register_buffer("input_scale", s)', 'setattr(layer, f"{a}{b}", 1.0)'],
)
def test_what_gives_another_name_or_gives_it_to_itself(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").touch()
    Path("calibration/calibrate.py").write_text(f"def calibrate(self, layer, a, b, s):\n    {line}\n")
    assert main(["."]) == 1
    assert '"Layer" has no attribute "input_scale"' in capsys.readouterr().out


def test_where_no_project_is_seen_what_stands_beside_is_another_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("calibration/calibrate.py").write_text("def calibrate(layer):\n    layer.input_scale = 1.0\n")
    assert main(["."]) == 1
    assert '"Layer" has no attribute "input_scale"' in capsys.readouterr().out


def test_an_object_may_be_given_all_that_another_has(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").touch()
    copied = "from models.layer import Layer\n\n\ndef copied(old):\n    new = Layer()\n"
    Path("calibration/copied.py").write_text(
        copied + "    new.__dict__.update(old.__dict__)\n    return new\n"
    )
    assert main(["."]) == 0, capsys.readouterr().out
