"""A tensor for an object, and an object for a tensor, where the body takes either or does not look.

No program of the corpus: what runs here contradicts its annotations.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from typedtorch.check.cli import main

PROGRAM = """
from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Nested:
    tensors: Float[Tensor, "b t d"]
    mask: Float[Tensor, "b t"]

    def sum(self, dim: int) -> Float[Tensor, "b d"]:
        return (self.tensors * self.mask[..., None]).sum(dim)

    @property
    def shape(self) -> torch.Size:
        return self.tensors.shape


class Boxes(Tensor):
    pass


def scaled(boxes: Boxes, by: float) -> Tensor:
    return boxes.as_subclass(Tensor) * by * getattr(boxes, "canvas", 1)


def canvas(boxes: Boxes) -> int:
    return boxes.canvas


def nested(samples: Nested) -> Float[Tensor, "b t d"]:
    if isinstance(samples, Tensor):
        samples = Nested(samples, torch.ones(samples.shape[:2]))
    return samples.tensors


def either(samples: Nested) -> Float[Tensor, "b t d"]:
    return samples.tensors if hasattr(samples, "tensors") else samples


def tried(samples: Nested) -> Float[Tensor, "b t d"]:
    try:
        return samples.tensors
    except AttributeError:
        return samples


def passed(samples: Nested) -> Float[Tensor, "b t d"]:
    return nested(samples)


def perhaps(samples: Nested, masked: bool) -> Float[Tensor, "b t d"]:
    if masked:
        return samples.tensors * samples.mask[..., None]
    return samples


def pooled(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b d"]:
    return x.sum(1) / x.shape[1]


class Wrapper:
    def __init__(self, inner: nn.Module) -> None:
        self.inner = inner

    def __getattr__(self, name: str):
        return getattr(self.__dict__["inner"], name)


def width(linear: nn.Linear, weight: Float[Tensor, "o i"]) -> int:
    return linear.in_features


class Base:
    def read(self, batch: Nested) -> Float[Tensor, "b t d"]:
        return batch.tensors


class Direct(Base):
    def read(self, batch: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        return batch


def through(reader: Base, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    return reader.read(x)


def paired(first: Nested, second: Float[Tensor, "b t d"]) -> tuple[Nested, Float[Tensor, "b t d"]]:
    return first, second


class Runner:
    def __init__(self, nested: Nested) -> None:
        self.nested = nested
        self.nested.canvas = 5
        self.canvas = canvas(self.nested)


def main() -> None:
    x = torch.randn(2, 3, 4)
    for f in (nested, either, tried, passed):
        f(x)
    nested(x), either(x), tried(x), passed(x), perhaps(x, masked=False)
    pooled(Nested(x, torch.ones(2, 3)))
    boxes = torch.zeros(3, 4).as_subclass(Boxes)
    boxes.canvas = 5
    scaled(boxes * 2, 2.0), scaled(torch.zeros(3, 4), 2.0), canvas(boxes)
    Runner(Nested(x, torch.ones(2, 3)))
    width(Wrapper(nn.Linear(3, 2)), torch.zeros(2, 3))
    through(Direct(), x)
    paired(x, x)


main()
"""


def test_working_code_with_loose_annotations_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "loose.py"
    program.write_text(PROGRAM)
    subprocess.run([sys.executable, str(program)], check=True)
    assert main(["--no-cache", str(program)]) == 0, capsys.readouterr().out
