"""Variables and results as the engine knows them, held against the tensors they are when a program runs."""

from __future__ import annotations

import ast
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch

from static.corpus import Case
from static.running import execute
from typedtorch.check.cli import main as check
from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.statements import statements
from typedtorch.shapes.size import Atom, Size, atoms, substitute
from typedtorch.shapes.tensor import Pack, Tensor, show

Place = tuple[str, int, str]  # file name, line of the statement, variable
_RESULT = "return"
Known = dict[Place, list[object]]
Event = Callable[[FrameType, str, Any], Any]


@dataclass
class Comparison:
    """What differs, how many variables of known rank were compared, and what the program gave."""

    differences: list[str] = field(default_factory=list)
    compared: int = 0
    value: object = None


def compare(case: Case, folder: Path) -> Comparison:
    """Check a case's correct program, run it, and compare each tensor that it assigns or returns."""
    folder = folder.resolve()
    paths = case.write(folder, buggy=False)
    known: Known = {}
    with _recording(known), redirect_stdout(io.StringIO()):
        check([str(folder)])
    if "one" in case.notes:
        known = {}
    watch = _Watch(known, {p.name: _Source.read(p) for p in paths}, str(folder))
    before = sys.gettrace()
    sys.settrace(watch.called)
    try:
        watch.comparison.value = execute(folder, case.main, case.notes["run"])
    finally:
        sys.settrace(before)
    return watch.comparison


@contextmanager
def _recording(known: Known) -> Iterator[None]:
    """Keeps what the engine takes each assigned variable and each result for, in each turn of a loop."""
    plain = dict(statements._HANDLERS)

    def keep(frame: Frame, node: ast.stmt, name: str, value: object) -> None:
        if frame.depth == 0 and not frame.reporter.muted and frame.reporter.counting:
            known.setdefault((Path(frame.module.path).name, node.lineno, name), []).append(value)

    def assign(frame: Frame, node: ast.Assign) -> bool:
        reached = plain[ast.Assign](frame, node)
        for name in _names(node):
            keep(frame, node, name, frame.state.variables.get(name))
        return reached

    def return_(frame: Frame, node: ast.Return) -> bool:
        reached = plain[ast.Return](frame, node)
        keep(frame, node, _RESULT, frame.returns[-1][1])
        return reached

    statements._HANDLERS.update({ast.Assign: assign, ast.Return: return_})
    try:
        yield
    finally:
        statements._HANDLERS.update(plain)


def _names(node: ast.Assign) -> list[str]:
    stored = (n for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name))
    return [n.id for n in stored if isinstance(n.ctx, ast.Store)]


@dataclass(frozen=True)
class _Source:
    """Where the statements of a file are that are compared."""

    assignments: dict[int, tuple[int, list[str]]]  # first line -> last line, and the names that are bound
    returns: dict[int, int]  # any line of a return -> its first

    @classmethod
    def read(cls, path: Path) -> _Source:
        assignments, returns = {}, {}
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assign) and (names := _names(node)):
                assignments[node.lineno] = (node.end_lineno or node.lineno, names)
            elif isinstance(node, ast.Return):
                returns.update(dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), node.lineno))
        return cls(assignments, returns)


class _Watch:
    """Follows a program line by line; after each assignment it looks at what was bound."""

    def __init__(self, known: Known, files: dict[str, _Source], root: str) -> None:
        self.comparison = Comparison()
        self._known, self._files, self._root = known, files, root
        self._begun: dict[FrameType, int] = {}  # the assignment that each call is in
        self._axes: dict[FrameType, dict[Atom, Size]] = {}  # how long each axis is in each call

    def called(self, frame: FrameType, event: str, arg: Any) -> Event | None:
        code = frame.f_code
        inner = code.co_name.startswith("<") and code.co_name != "<module>"  # a lambda, on somebody's line
        return self._step if code.co_filename.startswith(self._root) and not inner else None

    def _step(self, frame: FrameType, event: str, arg: Any) -> Event:
        file = os.path.basename(frame.f_code.co_filename)
        source = self._files[file]
        begun = self._begun.get(frame)
        if event == "exception":
            self._begun.pop(frame, None)
        elif begun is not None:
            end, names = source.assignments[begun]
            if event == "return" or not begun < frame.f_lineno <= end:
                del self._begun[frame]
                for name in names:
                    self._look(frame, (file, begun, name), frame.f_locals.get(name))
        if event == "line" and frame.f_lineno in source.assignments:
            self._begun[frame] = frame.f_lineno
        if event == "return":
            if frame.f_lineno in source.returns:
                self._look(frame, (file, source.returns[frame.f_lineno], _RESULT), arg)
            self._axes.pop(frame, None)
            self._begun.pop(frame, None)
        return self._step

    def _look(self, frame: FrameType, place: Place, value: object) -> None:
        known = self._known.get(place, ())
        tensors = [option for option in known if isinstance(option, Tensor)]
        if len(tensors) < len(known) or not tensors or not isinstance(value, (torch.Tensor, np.ndarray)):
            return
        self.comparison.compared += all(tensor.rank is not None for tensor in tensors)
        before = self._axes.get(frame, {})
        trials = [dict(before) for _ in tensors]
        wrong = [difference(tensor, value, axes) for tensor, axes in zip(tensors, trials, strict=True)]
        right = [axes for axes, text in zip(trials, wrong, strict=True) if not text]
        if right:
            self._axes[frame] = min(right, key=len)  # what assumes least
        else:
            file, line, name = place
            self.comparison.differences.append(f"{file}:{line}: {name} {wrong[0]}")


def difference(known: Tensor, value: torch.Tensor | np.ndarray[Any, Any], axes: dict[Atom, Size]) -> str:
    """How a tensor is not what the engine says; empty if it may be.

    Args:
        axes: what each axis is in this call, as far as it is known; what this tensor says is added.
    """
    shape = tuple(value.shape)
    said = f"is {shape}, known as {show(known.shape)}"
    name = str(value.dtype).removeprefix("torch.")
    if name in dtypes.BIT and not known.dtype & dtypes.BIT[name]:
        return f"is {name}, known as {dtypes.show(known.dtype)}"
    if known.rank is None:
        return said if len(shape) < sum(not isinstance(e, Pack) for e in known.shape) else ""
    if known.rank != len(shape):
        return said
    for entry, size in zip(known.shape, shape, strict=True):
        assert not isinstance(entry, Pack)
        if any(atom.kind != "axis" or atom.scope for atom in atoms(entry)):
            continue  # of one turn of a loop, perhaps: an object's axis, or the integer of a slice
        for atom in atoms(entry):
            if str(atom) == str(entry):
                axes.setdefault(atom, size)
        here = substitute(entry, axes)
        if isinstance(here, int) and here != size:
            return f"{said}, where {', '.join(f'{a}={n}' for a, n in axes.items())}"
    return ""
