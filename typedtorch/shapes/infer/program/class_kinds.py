"""What a class is by its bases, decorators and metaclasses: a module, a record of fields, an enumeration."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.values.values import ClassV, External, SpecV, Value
from typedtorch.shapes.rule import LAYERS

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo

_DATACLASS = {
    "dataclasses.dataclass", "attr.s", "attr.attrs", "attr.define", "attrs.define", "attrs.frozen",
    "chex.dataclass", "flax.struct.dataclass", "pydantic.dataclasses.dataclass", "attr.dataclass",
}  # fmt: skip
_TENSORS_OF_NN = frozenset({"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"})
_FIELD_BASES = {"typing.NamedTuple", "pydantic.BaseModel", "equinox.Module", "typing.TypedDict"}
_KNOWN_BASES = {
    "builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC", "builtins.Exception", "enum.Enum",
    "enum.IntEnum", "enum.StrEnum", "builtins.str", "builtins.int",
}  # fmt: skip


def is_seen(base: str) -> bool:
    """Whether a base from outside the program defines no member that a program asks for."""
    return base in _KNOWN_BASES or base in _FIELD_BASES


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a class is, by all of its ancestors."""

    external: tuple[str, ...]  # the bases outside the program; "?" is one of which nothing is known
    layer: str | None  # the layer of torch that it extends
    is_module: bool  # of torch
    is_fields: bool  # its constructor is made from annotated fields
    is_named_tuple: bool
    is_typed_dict: bool
    is_enum: bool
    is_structural: bool  # an object may be of the class though its own does not derive from it: a protocol


def kind_of(info: ClassInfo) -> Kind:
    """The kind of a class, as far as its bases are known by now."""
    external = tuple([name for base in info.mro() for name in _external_bases(base)])
    return Kind(
        external=external,
        layer=next((base for base in external if base in LAYERS), None),
        is_module=any(map(_is_of_modules, external)),
        is_fields=any(base in _FIELD_BASES for base in external) or any(map(_is_dataclass, info.mro())),
        is_named_tuple="typing.NamedTuple" in external,
        is_typed_dict="typing.TypedDict" in external,
        is_enum=any(base.startswith(("enum.", "strenum.")) for base in external),
        is_structural=_is_structural(info),
    )


def class_of(base: Value) -> ClassInfo | None:
    """The class of the program that a base names."""
    if isinstance(base, ClassV):
        return base.info
    if isinstance(base, SpecV) and isinstance(base.spec, specs.InstanceSpec):
        return base.spec.info
    return None


def _external_bases(info: ClassInfo) -> list[str]:
    """Those of one class statement."""
    found = []
    for base in info.bases:
        if isinstance(base, External):
            found.append(base.name)
        elif class_of(base) is None and not isinstance(base, SpecV):
            found.append("?")
    return found


def _is_of_modules(base: str) -> bool:
    of_nn = base.startswith("torch.nn.") and base.rpartition(".")[2] not in _TENSORS_OF_NN
    return of_nn or base.endswith("LightningModule")


def _is_dataclass(info: ClassInfo) -> bool:
    for decorator in info.node.decorator_list:
        value = info.evaluate(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if isinstance(value, External) and value.name in _DATACLASS:
            return True
    return False


def _is_structural(info: ClassInfo) -> bool:
    headed = (b.value if isinstance(b, ast.Subscript) else b for b in info.node.bases)
    if any(info.evaluate(base) == External("typing.Protocol") for base in headed):
        return True
    if info.find("__subclasshook__") is not None or f"{info.name}.register" in info.module.text:
        return True
    metaclasses = [
        base.evaluate(keyword.value)
        for base in info.mro()
        for keyword in base.node.keywords
        if keyword.arg == "metaclass"
    ]
    return any(meta != External("abc.ABCMeta") and _asks_itself(class_of(meta)) for meta in metaclasses)


def _asks_itself(metaclass: ClassInfo | None) -> bool:
    """Whether a metaclass may answer for ``isinstance``."""
    return metaclass is None or metaclass.find("__instancecheck__") is not None
