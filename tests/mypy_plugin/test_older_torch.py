"""torch before 2.13 marks some methods by functions without annotations: calls keep their types."""

from __future__ import annotations

from dataclasses import replace

from mypy_plugin.running import Project

MODULE = """# mypy: ignore-errors
from collections.abc import Callable
from typing import Any

class Module:
    __call__: Callable[..., Any]
"""
MARKER = "# mypy: ignore-errors\ndef _overload_method(func):\n    return func\n"
LAYERS = """# mypy: ignore-errors
from typing import overload
from torch import _jit_internal
from torch.nn.modules.module import Module

class LSTM(Module):
    @overload
    @_jit_internal._overload_method
    def forward(self, x: int) -> tuple[int, str]: ...
    @overload
    @_jit_internal._overload_method
    def forward(self, x: str) -> tuple[str, str]: ...
    def forward(self, x):
        return x, ""
"""
USER = """from torch.nn.modules.rnn import LSTM

def use(m: LSTM) -> int:
    reveal_type(m("x"))
    number, _ = m(3)
    return number
"""


FILES = {
    "torch/__init__.py": "",
    "torch/_jit_internal.py": MARKER,
    "torch/nn/__init__.py": "",
    "torch/nn/modules/__init__.py": "",
    "torch/nn/modules/module.py": MODULE,
    "torch/nn/modules/rnn.py": LAYERS,
    "user.py": USER,
}


def test_marked_overloads_have_a_type(project: Project) -> None:
    project = replace(project, environment={"MYPYPATH": ""})
    for name, text in FILES.items():
        path = project.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    outcome = project.mypy("user.py")
    assert outcome.messages == {("user.py", 4, 'note: Revealed type is "tuple[str, str]"')}, outcome.stdout
