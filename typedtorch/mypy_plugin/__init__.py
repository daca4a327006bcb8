"""The mypy plugin: shapes and dtypes of tensors as errors of an ordinary mypy run.

Configuration: ``plugins = ["typedtorch.mypy_plugin"]``.  It imports neither torch nor, before a module needs
checking, the engine; and a process that works ahead imports no mypy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy.plugin import Plugin


def plugin(version: str) -> type[Plugin]:
    """What mypy calls, with its own version."""
    from typedtorch.mypy_plugin.hooks import TypedtorchPlugin  # noqa: PLC0415  # see above

    return TypedtorchPlugin
