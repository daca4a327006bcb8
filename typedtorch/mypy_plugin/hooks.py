"""Routes each hook of mypy to the file that answers it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mypy.nodes import MypyFile, TypeInfo
from mypy.options import Options
from mypy.plugin import (
    AnalyzeTypeContext,
    AttributeContext,
    ClassDefContext,
    FunctionContext,
    MethodContext,
    MethodSigContext,
    Plugin,
    ReportConfigContext,
)
from mypy.plugins.default import DefaultPlugin
from mypy.types import FunctionLike, Type

from typedtorch.mypy_plugin import containers, digest, module_call, module_use, passed_on, torch_api
from typedtorch.mypy_plugin.as_function import as_function
from typedtorch.mypy_plugin.attributes import Attributes
from typedtorch.mypy_plugin.containers import Containers
from typedtorch.mypy_plugin.excused import Excused
from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.guard import Guard
from typedtorch.mypy_plugin.older import NEEDED, Early
from typedtorch.mypy_plugin.passed_on import Functions
from typedtorch.mypy_plugin.reporter import Reporter
from typedtorch.mypy_plugin.startup import Start

# of types in annotations, once all that is wanted of mypy there is taken
_TYPES: dict[str, Callable[[AnalyzeTypeContext], Type]] = dict.fromkeys(
    torch_api.LEGACY_TENSORS, torch_api.legacy_tensor
)


class TypedtorchPlugin(Plugin):
    """Routes."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.start = Start(options)
        self.guard = Guard(options)
        self.reporter = Reporter(options, self.start.config)
        self.early = Early(self.reporter, self._checked)
        reporter = self.reporter
        self.facts = Facts(self.lookup_fully_qualified, reporter.path_of, reporter.facts, reporter.keep_facts)
        self.facts.files_change = options.fine_grained_incremental
        self.attributes = Attributes(self.facts, self.reporter.silences)
        self.excused = Excused(self.facts, lambda: list(reporter.modules.values()))
        reporter.watch = self.excused.watch
        self.containers = Containers(self.facts)
        self.mypys = DefaultPlugin(options)  # it asks one plugin alone, and would not be asked after this one
        self.functions = Functions(self.lookup_fully_qualified, self.mypys, options)
        # mypy asks for these hundreds of thousands of times: they are made once
        guard = self.guard
        self._type_call = guard.class_(module_call.type_call)
        self._kept_result = guard.call(partial(module_use.kept_result, self.facts))
        self._by_function: Callable[[FunctionContext], Type] = guard.call(passed_on.passed_on)
        self._by_method: Callable[[MethodContext], Type] = guard.call(passed_on.passed_on)
        self._optional_field = guard.attribute(partial(module_use.optional_field, self.facts))
        self._as_function = guard.attribute(partial(as_function, self.facts))
        self._item = guard.call(partial(torch_api.item, self.facts))
        self._added_to = guard.call(partial(torch_api.added_to, self.facts))
        self._compared = guard.call(partial(torch_api.compared, self.facts))
        self._lenient_arguments = guard.signature(partial(module_use.lenient_arguments, self.facts))

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        self.start.refuse()
        self.attributes.look_again()
        self.facts.forget_typed(file.path)
        self.excused.watch(self.reporter.errors)
        self.reporter.met(file)
        return []

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        super().set_modules(modules)
        self.reporter.loaded(modules)

    def report_config_data(self, ctx: ReportConfigContext) -> list[str] | None:
        self.start.refuse()
        self.reporter.cached(ctx.id, ctx.path)
        shows_errors = not self.reporter.silent(ctx.id)
        checked = ctx.is_check and shows_errors and digest.is_read(ctx.id, ctx.path)
        unfit = not ctx.is_check and not self.reporter.knows_all
        if unfit or (checked and self.reporter.outdated(ctx.id)):
            return ["outdated"]  # not what was stored: mypy then takes its own result for outdated
        interface = partial(self.facts.interface, ctx.id, ctx.path)
        around = partial(self.reporter.given_around, ctx.id, ctx.path)
        return digest.config_data(
            ctx.id,
            ctx.path,
            self.start.config,
            interface,
            around,
            shows_errors=shows_errors,
            seen=self.reporter.texts.seen,
        )

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        self.early.tick()
        if self.reporter.errors is not None and not NEEDED:
            # mypy asks for every type there is, hundreds of thousands of times: from here on a dict says no
            self.get_type_analyze_hook = _TYPES.get  # type: ignore[method-assign, assignment]
        if fullname in _TYPES:
            return _TYPES[fullname]
        return self.reporter.meet_in_annotation if self.reporter.wants_errors(fullname) else None

    def get_base_class_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        return self._type_call if self.may_be_module(fullname) else None

    def get_customize_class_mro_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        return self.guard.class_(torch_api.accept_function) if fullname in torch_api.GRAD_MODES else None

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        self.early.tick()
        if fullname in containers.FUNCTIONS:
            return self.guard.call(self.containers.function)
        if fullname == "torch.compile":
            return self.guard.call(torch_api.compiled_module)
        if fullname in torch_api.GRAD_MODES:
            return self.guard.call(torch_api.decorated_function)
        if fullname in torch_api.LEGACY_TENSORS:
            return self.guard.call(torch_api.made_of_kind)
        if fullname == passed_on.PARTIAL:
            return self.guard.call(passed_on.partial_of)
        return self._by_function if self.functions.call_another(fullname) else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        self.early.tick()
        name = fullname.rpartition(".")[2]
        if fullname in containers.METHODS:
            return self.guard.call(partial(self.containers.method, name))
        if fullname == torch_api.ITEM:
            return self._item
        if fullname in torch_api.REFLECTED:
            return self._added_to
        if fullname in torch_api.COMPARED:
            return self._compared
        if fullname in torch_api.UNTYPED_METHODS:
            return self.guard.call(partial(torch_api.untyped_method, name, self.facts))
        if name == "__call__" and fullname != f"{module_call.MODULE}.__call__":
            is_ours = self.may_be_module(fullname.rpartition(".")[0])
            return self._kept_result if is_ours and not self.mypys.get_method_hook(fullname) else None
        return self._by_method if self.functions.call_another(fullname) else None

    def get_method_signature_hook(self, fullname: str) -> Callable[[MethodSigContext], FunctionLike] | None:
        owner, _, name = fullname.rpartition(".")
        if name != "__call__" or owner == module_call.MODULE or not self.may_be_module(owner):
            return None
        return self._lenient_arguments

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        owner, _, name = fullname.rpartition(".")
        if name == "__call__" and owner != module_call.MODULE:
            return self._as_function if self.may_be_module(owner) else None
        if owner != module_call.MODULE:
            is_ours = owner in self.facts.fields_of and not self.mypys.get_attribute_hook(fullname)
            return self._optional_field if is_ours else None
        return self.guard.attribute(partial(self.attributes.attribute, name))

    def may_be_module(self, fullname: str) -> bool:
        """Whether a class is a module, or inside a function, where it cannot be looked up."""
        found = self.lookup_fully_qualified(fullname)
        return found is None or not isinstance(found.node, TypeInfo) or module_call.is_module(found.node)

    def get_additional_indirect_deps(self, file: MypyFile) -> set[str]:
        self._checked(file)
        return set()  # what findings rest on is watched in ``answers``

    def _checked(self, file: MypyFile) -> None:
        if self.facts.files_change:
            module_call.renew(file)
        self.reporter.module_checked(file)
