"""A call with the values of an earlier one gives what that gave, of its own objects and nobody else's."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from typedtorch.shapes.infer import Program

HEADER = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor\n"

DEFAULT = """
def make(d, n=3):
    return torch.zeros(d, n)
def anything(q):
    return make(2, q)
def three() -> Float[Tensor, "2 4"]:
    return make(2)
"""

CAPTURED = """
def outer(n):
    def inner(d):
        return torch.zeros(d, n)
    return inner(2)
def one() -> Float[Tensor, "2 4"]:
    return outer(4)
def other() -> Float[Tensor, "2 4"]:
    return outer(5)
"""

OWN_LIST = """
class Holder:
    def __init__(self, items):
        self.items = items
def fill() -> Float[Tensor, "2 3"]:
    first, second = [], []
    one, other = Holder(first), Holder(second)
    one.items.append(torch.zeros(3))
    one.items.append(torch.zeros(3))
    other.items.append(torch.zeros(3))
    return torch.stack(second)
"""

CHANGED_ARGUMENT = """
def add(items):
    items.append(torch.zeros(3))
def fill() -> Float[Tensor, "2 3"]:
    first, second = [], []
    add(first)
    add(second)
    return torch.stack(second)
"""


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (DEFAULT, "returns (2, 3), annotated (2, 4)"),
        (CAPTURED, "returns (2, 5), annotated (2, 4)"),
        (OWN_LIST, "returns (1, 3), annotated (2, 3)"),
        (CHANGED_ARGUMENT, "returns (1, 3), annotated (2, 3)"),
    ],
)
def test_each_call_has_its_own_values(program: str, said: str) -> None:
    text = HEADER + textwrap.dedent(program)
    findings = Program(lambda name: None).check("example", Path("example.py"), text).findings
    assert [f.message.partition(";")[0] for f in findings] == [said]
