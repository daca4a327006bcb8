"""Every text that the plugin itself shows, and the error codes it reports under.

Findings bring their own text from the engine; what stands here is about the run, and about attributes.
"""

from __future__ import annotations

import copy
from typing import Final

from mypy.errorcodes import UNUSED_IGNORE, ErrorCode

_CATEGORY: Final = "Tensor shapes"

CODES: Final = {
    "shape": ErrorCode("shape", "Check the shapes of tensors", _CATEGORY),
    "broadcast": ErrorCode("broadcast", "Warn when broadcasting repeats an axis name", _CATEGORY),
    "dtype": ErrorCode("dtype", "Check the dtypes of tensors", _CATEGORY),
    "axes": ErrorCode("axes", "Check that axis strings are well-formed", _CATEGORY),
    "einops": ErrorCode("einops", "Check that patterns of einops are well-formed", _CATEGORY),
    "contiguity": ErrorCode("contiguity", "Check that views are possible", _CATEGORY),
    "attribute": ErrorCode("attribute", "Check that attributes of an nn.Module exist", _CATEGORY),
}

# mypy's own, which is reported where warn_unused_ignores asks for it and so counts as off otherwise
OWN_UNUSED_IGNORE: Final = copy.copy(UNUSED_IGNORE)
OWN_UNUSED_IGNORE.default_enabled = True


def code(name: str) -> ErrorCode:
    """The error code of a finding; one that is new in the engine becomes known to mypy here."""
    if name not in CODES:
        CODES[name] = ErrorCode(name, "Check tensors", _CATEGORY)
    return CODES[name]


def engine_failed(path: str, error: BaseException, *, traceback_shown: bool) -> str:
    """One line for an exception that should not have happened: which file, and what to do."""
    how = (
        "report it with the traceback above" if traceback_shown else "run mypy --show-traceback to see where"
    )
    return (
        f"typedtorch could not check the shapes in {path} ({type(error).__name__}: {error}); "
        f"mypy's own results are complete; {how}: it is a defect of typedtorch, not of your program"
    )


def hook_failed(error: BaseException) -> str:
    """For a failure outside of any file: types are as without the plugin there."""
    return (
        f"typedtorch.mypy_plugin: a hook failed ({type(error).__name__}: {error}); mypy's own answer stands. "
        "It is a defect of typedtorch: mypy --show-traceback shows what to report"
    )


def torch_missing(python: str | None) -> str:
    """mypy found no torch, so every tensor is Any and a run that checks nothing says Success."""
    where = f" ({python})" if python else ""
    return (
        f"torch is not installed in the environment that mypy looks into{where}, so every tensor and module "
        "is Any here: install mypy in the environment of the project (pre-commit: language: system), or "
        "point mypy at it with --python-executable"
    )


def shadowing_stubs(folder: str) -> str:
    """Stubs written for pyrefly take the place of torch's own types and stop mypy."""
    return (
        f"{folder} takes the place of torch's own types, and mypy cannot read it: it is the package "
        "pyrefly-torch-stubs, made for pyrefly alone; uninstall it from the environment that mypy uses: "
        "python -m pip uninstall pyrefly-torch-stubs"
    )
