"""The message of a refusal: the function, the argument, the axis, who bound it, and the call.

At most eight lines, sizes and dtypes only::

    project: argument 'w': axis d: wanted 64, got 32
      wanted  Float[Tensor, "d k"]
      got     float32 (32, 8)
      d = 64 from argument 'x': float32 (2, 64)
      called  train.py:41 in main
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from typedtorch.runtime.arrays import Unbound, Uncomputable
from typedtorch.runtime.errors import CheckError, DtypeCheckError, ShapeCheckError, TypeCheckError
from typedtorch.runtime.scope import Mismatch, Scope

_KINDS = {"shape": ShapeCheckError, "dtype": DtypeCheckError, "type": TypeCheckError}
_HERE = str(Path(__file__).parent)
_PASSED_THROUGH = re.compile(
    r"/torch/(nn/modules/module|utils/_contextlib)\.py$|/(contextlib\.py|asyncio/\w+\.py)$"
)


def decide(function: str, scope: Scope, place: str, check: Callable[[Scope], Mismatch | None]) -> None:
    """Run one check of the value that stands at ``place``.

    Raises:
        CheckError: the value is refused.
        jaxtyping.AnnotationError: the annotation rests on a name that is not bound.
    """
    scope.place = place
    try:
        found = check(scope)
    except Unbound as error:
        from jaxtyping import AnnotationError  # noqa: PLC0415 - loaded where array annotations exist

        raise AnnotationError(f"{function}: {scope.place}: {error}\n  called  {call_site()}") from None
    except Uncomputable as error:
        message = f"{function}: {scope.place}: {error}\n  called  {call_site()}"
        raise ShapeCheckError(message, function=function, where=scope.place) from None
    if found is not None:
        raise refusal(function, scope.place, found) from None


def refusal(function: str, place: str, found: Mismatch) -> CheckError:
    """The error for a mismatch found in the argument, result or field ``place``."""
    where = place + found.path
    what = {"shape": f"axis {found.axis}: " if found.axis else "", "dtype": "dtype: ", "type": ""}[found.kind]
    lines = [f"{function}: {where}: {what}wanted {found.wanted}, got {found.got}"]
    if found.annotation and found.annotation != found.wanted:
        lines.append(f"  wanted  {found.annotation}")
    if found.value and found.value != found.got:
        lines.append(f"  got     {found.value}")
    lines += [f"  {reason}" for reason in found.because[:3]]
    lines.append(f"  called  {call_site()}")
    return _KINDS[found.kind](
        "\n".join(_short(line) for line in lines), function=function, where=where, axis=found.axis,
        wanted=found.wanted, got=found.got,
    )  # fmt: skip


def _short(line: str) -> str:
    line = " ".join(line.splitlines())
    return line if len(line) <= 200 else line[:197] + "..."


def call_site() -> str:
    """File, line and function of the call that is being checked."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "from outside Python"
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"


def _is_machinery(filename: str) -> bool:
    passed_through = _PASSED_THROUGH.search(filename.replace("\\", "/"))
    return filename.startswith((_HERE, "<typed ")) or passed_through is not None
