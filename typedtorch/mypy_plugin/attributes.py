"""Attributes of modules: buffers by name, and names that no instance has.

``nn.Module.__getattr__`` gives every attribute of every module the type ``Tensor | Module``.  The sources of
the class and its bases say which names exist; where they cannot say, the answer stays torch's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mypy.checker import TypeChecker
from mypy.nodes import Context, IndexExpr, MemberExpr, MypyFile, NameExpr, TypeInfo
from mypy.plugin import AttributeContext
from mypy.types import AnyType, Instance, Type, TypeOfAny, get_proper_type

from typedtorch.mypy_plugin import messages
from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_call import MODULE, is_module
from typedtorch.mypy_plugin.torch_api import TENSOR
from typedtorch.shapes.neighbours import look_again

PARAMETER = "torch.nn.parameter.Parameter"
# what ``weight_norm``, ``spectral_norm`` and the pruning of a parameter add to its name
_PARTS = {"g", "v", "u", "orig", "mask"}


class Attributes:
    """Answers for attributes that mypy found only through ``__getattr__``."""

    def __init__(self, facts: Facts, silences: Callable[[MypyFile, range, str], bool]) -> None:
        self.facts = facts
        self.silences = silences
        self._doubtful = False  # whether a name has been met that other files may give

    def look_again(self) -> None:
        """A file is about to be checked; what others give to its objects may have changed too."""
        if self._doubtful:
            look_again()

    def attribute(self, name: str, ctx: AttributeContext) -> Type:
        """The type of ``receiver.name``; an error if no instance has it."""
        receiver = get_proper_type(ctx.type)
        tree = getattr(ctx.api, "tree", None)
        if (
            ctx.is_lvalue
            or not isinstance(receiver, Instance)
            or not isinstance(tree, MypyFile)
            or tree.fullname.partition(".")[0] == "torch"
            or receiver.type.get(name) is not None
        ):
            return ctx.default_attr_type
        source = self.facts.source(tree.fullname)
        place = (ctx.context.line, ctx.context.column)
        if source is None or place in source.cast_places or place in source.forgiven:
            return ctx.default_attr_type
        registered = self._registered(receiver.type, name)
        if registered is not None:
            of_tensors = isinstance(registered, Instance) and place in source.first_of_several
            return self.facts.instance(TENSOR) or registered if of_tensors else registered
        if not self._missing(receiver.type, name, tree) or not self._certain(ctx, tree):
            return self._unknown(ctx)
        from typedtorch.shapes.module_attributes import no_attribute  # noqa: PLC0415  # seldom needed

        text = no_attribute(receiver.type.name, name, self._names(receiver.type))
        self._doubtful = True
        if self._given_by_others(receiver.type, name, tree):
            if self.facts.files_change:
                _ask_again(text, ctx)
            return self._unknown(ctx)
        if not self.silences(tree, _lines(ctx.context), "attribute"):
            ctx.api.fail(text, ctx.context, code=messages.CODES["attribute"])
        return AnyType(TypeOfAny.from_error)

    def _unknown(self, ctx: AttributeContext) -> Type:
        """What torch says, ``Tensor | Module``, but where it meets the result of a module: that was Any."""
        if self.facts.comes_of_typed(ctx.api, ctx.context):
            return AnyType(TypeOfAny.explicit)
        return ctx.default_attr_type

    def _registered(self, info: TypeInfo, name: str) -> Type | None:
        for _, facts in self.facts.family(info):
            if facts is None:
                return None
            kind = facts.registered.get(name)
            if kind == "none":
                return AnyType(TypeOfAny.explicit)  # somebody puts a tensor there
            if kind is not None:
                return self.facts.instance(TENSOR if kind == "buffer" else PARAMETER)
        return None

    def _certain(self, ctx: AttributeContext, tree: MypyFile) -> bool:
        """Whether the receiver can only be what mypy takes it for: not a name or attribute bound anew.

        Nor an item of a list, of which mypy knows what was put there first.
        """
        source, context = self.facts.source(tree.fullname), ctx.context
        if source is None or not isinstance(context, MemberExpr):
            return False
        receiver = context.expr
        if isinstance(receiver, NameExpr):
            return (receiver.line, receiver.column) not in source.rebound_names
        if isinstance(receiver, MemberExpr):
            replaced_by = source.replaced.get(receiver.name, frozenset()) | source.replaced.get(
                "", frozenset()
            )
            if not all(self._lacks(made_by, context.name, tree) for made_by in replaced_by):
                return False
            return not any(facts.assigned[receiver.name] > 1 for facts in source.classes.values())
        if isinstance(receiver, IndexExpr) and isinstance(ctx.api, TypeChecker):
            held = get_proper_type(ctx.api.lookup_type(receiver.base))
            return isinstance(held, Instance) and is_module(held.type)
        return True

    def _lacks(self, made_by: str, name: str, tree: MypyFile) -> bool:
        """Whether what takes the place of a part, ``LoRA()``, is known to have no such attribute either."""
        made = self.facts.module_class(made_by.removesuffix("()"), tree.fullname)
        return made is not None and made.type.get(name) is None and self._missing(made.type, name, tree)

    def _missing(self, info: TypeInfo, name: str, tree: MypyFile) -> bool:
        """Whether the sources of the class show that no instance has an attribute of this name."""
        if name.startswith("__") or info.fullname == MODULE or info.fallback_to_any:
            return False
        if self._reparametrised(info, name):
            return False
        from typedtorch.shapes.assigned_elsewhere import is_among  # noqa: PLC0415  # needed only where mypy checks

        family = list(self.facts.family(info))
        if not any(facts is not None and "__init__" in base.names for base, facts in family):
            return False
        for base, facts in family:
            if facts is None or facts.open or is_among(name, facts.defined):
                return False
            if not base.fullname.startswith("torch.") and facts.unfinished:
                return False
        return not self._given_in_sight(info, name, tree)

    def _reparametrised(self, info: TypeInfo, name: str) -> bool:
        """Whether torch adds it to a layer: ``weight_g`` in ``weight_norm``, ``weight_mask`` in pruning."""
        whole, _, part = name.rpartition("_")
        if name == "parametrizations":
            return True
        return part in _PARTS and (info.get(whole) is not None or self._registered(info, whole) is not None)

    def _given_in_sight(self, info: TypeInfo, name: str, tree: MypyFile) -> bool:
        """Whether the module that reads the attribute, or a subclass in sight, provides it."""
        from typedtorch.shapes.assigned_elsewhere import is_among  # noqa: PLC0415  # needed only where mypy checks

        for module in {info.module_name, tree.fullname}:
            source = self.facts.source(module)
            if source is None or is_among(name, source.outside):
                return True
            if any(facts.open or is_among(name, facts.defined) for facts in source.subclasses(info.name)):
                return True
        return False

    def _given_by_others(self, info: TypeInfo, name: str, tree: MypyFile) -> bool:
        """Whether another file, around the class or around what reads the attribute, provides it."""
        from typedtorch.shapes.given_elsewhere import given_elsewhere  # noqa: PLC0415  # seldom needed

        places = {info.module_name: self.facts.path(info.module_name), tree.fullname: Path(tree.path)}
        return any(
            path is not None and given_elsewhere(module, path, info.name, name)
            for module, path in places.items()
        )

    def _names(self, info: TypeInfo) -> set[str]:
        names = {n for base in info.mro for n in base.names if base.fullname != "builtins.object"}
        return names | {
            n for _, facts in self.facts.family(info) if facts is not None for n in facts.registered
        }


def _lines(context: Context) -> range:
    return range(context.line, (context.end_line or context.line) + 1)


def _ask_again(text: str, ctx: AttributeContext) -> None:
    """Let the daemon ask again after each edit, as it does where there is an error: one that is not shown."""
    api = ctx.api
    if isinstance(api, TypeChecker):
        with api.msg.filter_errors(save_filtered_errors=True) as watcher:
            api.fail(text, ctx.context, code=messages.CODES["attribute"])
        for info in watcher.filtered_errors():
            info.hidden = True
            api.errors.error_info_map.setdefault(api.errors.file, []).append(info)
