"""The mypy plugin: shapes and dtypes of tensors as errors of an ordinary mypy run.

Configuration: ``plugins = ["typedtorch.mypy_plugin"]``.  This file only routes mypy's hooks to the file that
answers them; it imports neither torch nor, before a module needs checking, the engine.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import MypyFile
from mypy.options import Options
from mypy.plugin import (
    AnalyzeTypeContext,
    FunctionContext,
    MethodContext,
    Plugin,
    ReportConfigContext,
)
from mypy.types import Type

from typedtorch.mypy_plugin import digest, startup
from typedtorch.mypy_plugin.reporter import Reporter


class TypedtorchPlugin(Plugin):
    """Routes."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        startup.refuse_shadowing_stubs(options)
        startup.quieten_torch(options)
        self.config = startup.configuration(options)
        self.reporter = Reporter(options, self.config)

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        super().set_modules(modules)
        self.reporter.modules = modules

    def report_config_data(self, ctx: ReportConfigContext) -> list[str] | None:
        return digest.config_data(ctx.id, ctx.path, self.config)

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        return None if self.reporter.errors else self.reporter.meet_in_annotation

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return None if self.reporter.errors else self.reporter.meet_in_call

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        return None if self.reporter.errors else self.reporter.meet_in_call

    def get_additional_indirect_deps(self, file: MypyFile) -> set[str]:
        return self.reporter.module_checked(file)


def plugin(version: str) -> type[Plugin]:
    """What mypy calls, with its own version."""
    return TypedtorchPlugin
