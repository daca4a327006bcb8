"""Short programs for the tests of what is reported, under one set of imports."""

from __future__ import annotations

import textwrap
from pathlib import Path

from typedtorch.shapes.infer import check_files

HEADER = """
from collections.abc import Callable
from jaxtyping import Float
from torch import Tensor, nn
import einops, torch
"""


def messages(tmp_path: Path, body: str) -> list[str]:
    """What is found in a file of this text."""
    path = tmp_path / "program.py"
    path.write_text(HEADER + textwrap.dedent(body))
    return [f.message for f in check_files([path], search=[tmp_path]) if f.severity == "error"]
