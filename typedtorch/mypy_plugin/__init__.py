"""The mypy plugin: shapes and dtypes of tensors as errors of an ordinary mypy run.

Configuration: ``plugins = ["typedtorch.mypy_plugin"]``.  This file only routes mypy's hooks to the file that
answers them; it imports neither torch nor, before a module needs checking, the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mypy.nodes import MypyFile, TypeInfo
from mypy.options import Options
from mypy.plugin import (
    AnalyzeTypeContext,
    ClassDefContext,
    FunctionContext,
    MethodContext,
    Plugin,
    ReportConfigContext,
)
from mypy.types import Type

from typedtorch.mypy_plugin import digest, module_call, startup, torch_api
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
        return self.reporter.meet_in_annotation if self.reporter.wants_errors(fullname) else None

    def get_base_class_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        base = self.lookup_fully_qualified(fullname)
        if base is not None and isinstance(base.node, TypeInfo) and not module_call.is_module(base.node):
            return None
        return module_call.type_call  # a class inside a function cannot be looked up, but may be a module

    def get_customize_class_mro_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        return torch_api.accept_function if fullname in torch_api.GRAD_MODES else None

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname == "torch.compile":
            return torch_api.compiled_module
        return torch_api.decorated_function if fullname in torch_api.GRAD_MODES else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if fullname in torch_api.UNTYPED_METHODS:
            return partial(torch_api.untyped_method, fullname.rpartition(".")[2])
        return None

    def get_additional_indirect_deps(self, file: MypyFile) -> set[str]:
        return self.reporter.module_checked(file)


def plugin(version: str) -> type[Plugin]:
    """What mypy calls, with its own version."""
    return TypedtorchPlugin
