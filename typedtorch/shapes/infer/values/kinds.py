"""Kinds of values: what ``isinstance`` says of them."""

from __future__ import annotations

from functools import lru_cache

from typedtorch.shapes.infer.annotations.specs import TENSOR_CLASSES
from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.class_kinds import is_seen
from typedtorch.shapes.infer.program.class_text import left_to_subclasses
from typedtorch.shapes.infer.values.contents import OF_ATTRIBUTES, Substitution, sizes_in
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    DictV,
    External,
    Instance,
    LayerV,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_size,
)
from typedtorch.shapes.python_numbers import number_kind
from typedtorch.shapes.rule import LAYERS
from typedtorch.shapes.size import Atom, Poly, unknown
from typedtorch.shapes.tensor import ANY_AXES


def made_from(frame: Frame, kind: Value, place: str) -> Value:
    """A value of which only its class is known: an object of any sizes, which another may share."""
    if isinstance(kind, External) and kind.name in TENSOR_CLASSES:
        return Tensor((ANY_AXES,), TENSOR_CLASSES[kind.name])
    if isinstance(kind, ClassV) and not (kind.info.kind.is_structural or is_abstract(kind.info)):
        if not kind.info.kind.is_fields:  # of what its constructor makes, nothing is known
            return Instance(kind.info, {}, {}, partial=True, assumed=True)
        made = frame.interpreter.assume_instance(kind.info, place, {})
        own = [a for a in sizes_in(made) if isinstance(a, Atom) and (a.kind == "int" or a.scope)]
        return Substitution({a: unknown(f"?{place}.{a.name}") for a in own})(made)
    return UNKNOWN


@lru_cache(maxsize=256)  # asked at each call of a method
def is_abstract(info: ClassInfo) -> bool:
    """Whether some method is left to subclasses: no object is of this very class."""
    return any(
        left_to_subclasses(defined[-1]) and (info.find(name) or (None,))[0] is holder
        for holder in info.mro()
        for name, defined in holder.methods.items()
    )


_PYTHON: dict[str, tuple[type, ...]] = {
    "builtins.int": (int, Poly), "builtins.float": (float,), "builtins.str": (str,),
    "builtins.tuple": (tuple,), "builtins.bool": (bool,),
}  # fmt: skip


_NUMBERS = {
    "numbers.Number": frozenset({"bool", "int", "float", "complex", "real"}),
    "numbers.Complex": frozenset({"bool", "int", "float", "complex", "real"}),
    "numbers.Real": frozenset({"bool", "int", "float", "real"}),
    "numbers.Integral": frozenset({"bool", "int"}),
}

_LISTS = {"builtins.list", "typing.Sequence"}
_DICTS = {"builtins.dict", "typing.Mapping"}

# What a class from outside the program extends, beside itself.
_PARENTS = {
    "builtins.list": {"typing.Sequence"},
    "builtins.str": {"typing.Sequence"},
    "builtins.tuple": {"typing.Sequence"},
    "builtins.bool": {"builtins.int"},
    "builtins.dict": {"typing.Mapping"},
    "collections.OrderedDict": _DICTS,
    "collections.defaultdict": _DICTS,
    "collections.Counter": _DICTS,
    "enum.IntEnum": {"builtins.int", "enum.Enum"},
    "enum.StrEnum": {"builtins.str", "typing.Sequence", "enum.Enum"},
    "typing.NamedTuple": {"builtins.tuple", "typing.Sequence"},
    "typing.TypedDict": _DICTS,
    "torch.nn.NLLLoss2d": {"torch.nn.NLLLoss"},
    "torch.nn.ReLU6": {"torch.nn.Hardtanh"},
    "torch.nn.UpsamplingBilinear2d": {"torch.nn.Upsample"},
    "torch.nn.UpsamplingNearest2d": {"torch.nn.Upsample"},
    **{f"torch.nn.ZeroPad{n}d": {f"torch.nn.ConstantPad{n}d"} for n in (1, 2, 3)},
}
_MODULES = {"torch.nn.Module", "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"}


def instance_of(value: Value, kind: Value) -> bool | None:
    """Whether a value is of a class; None where it cannot be told."""
    if kind is UNKNOWN or value is UNKNOWN:
        return None
    if value is None:
        return False if isinstance(kind, (External, ClassV)) and kind != External("builtins.object") else None
    if isinstance(kind, External):
        if isinstance(value, Instance):
            return _instance_of_base(value, kind.name)
        return _instance_of_external(value, kind.name)
    return _instance_of_class(value, kind.info) if isinstance(kind, ClassV) else None


def exactly_of(value: Value, kind: Value) -> bool | None:
    """Whether ``type(value) is kind``; None where it cannot be told."""
    verdict = instance_of(value, kind)
    if not verdict:
        return verdict
    if isinstance(value, Instance):
        return None if value.assumed else isinstance(kind, ClassV) and kind.info is value.info
    return value.name == kind.name if isinstance(value, LayerV) else None


def _instance_of_class(value: Value, info: ClassInfo) -> bool | None:
    """The same of a class of the program."""
    if isinstance(value, Instance):
        if any(base is info for base in value.info.mro()):
            return True
        return None if info.kind.is_structural or any(base is value.info for base in info.mro()) else False
    if info.kind.is_structural:
        return None
    if isinstance(value, LayerV):
        bases = [*info.kind.external, "torch.nn.Module"]
        return None if "?" in bases or value.name in bases else False
    if isinstance(value, DictV) and value.kind in OF_ATTRIBUTES:
        return None
    if isinstance(value, (Sequence, DictV)) and value.kind in ("modules", "sequential"):
        return None if any(base == "?" or is_module_class(base) for base in info.kind.external) else False
    return False if isinstance(value, (Tensor, str, tuple, Sequence, DictV)) or is_size(value) else None


def _instance_of_base(value: Instance, name: str) -> bool | None:
    """Whether an object of the program's is of a class from outside it."""
    bases = value.info.kind.external
    if any(_extends(base, name) for base in bases):
        return True
    decided = name in _PYTHON or name in _LISTS or name in _DICTS or name in TENSOR_CLASSES
    seen = all(is_seen(base) or is_module_class(base) or base in _PARENTS for base in bases)
    return False if seen and (decided or is_module_class(name)) else None


def _extends(base: str, name: str) -> bool:
    if base == name or name in _PARENTS.get(base, ()):
        return True
    return name == "torch.nn.Module" and (is_module_class(base) or base.endswith("LightningModule"))


def is_module_class(name: str) -> bool:
    """Whether a name is that of a layer or container of torch, or of their common base."""
    return name in _MODULES or (name in LAYERS and name.startswith("torch.nn."))


def _instance_of_external(value: Value, name: str) -> bool | None:
    if name in TENSOR_CLASSES:
        return _is_tensor(value, name)
    if name == "numpy.ndarray":
        if not isinstance(value, Tensor) or _is_numpy_number(value):
            return None
        return value.library == "numpy"
    if name in _NUMBERS:
        return _is_number_of(value, _NUMBERS[name])
    if name in _PYTHON:
        return _is_python(value, name)
    if name in _LISTS or name in _DICTS:
        return _is_container(value, name)
    return _is_module(value, name) if is_module_class(name) else None


def _is_container(value: Value, name: str) -> bool | None:
    if isinstance(value, (Tensor, LayerV)) or is_size(value):
        return False
    if isinstance(value, (tuple, str)):
        return name == "typing.Sequence"
    if isinstance(value, (DictV, Sequence)):
        if value.kind in ("list", "dict"):
            return isinstance(value, DictV) is (name in _DICTS)
        return False if value.kind in ("modules", "sequential") else None
    return None


def _is_module(value: Value, name: str) -> bool | None:
    """Whether a value is of a class of torch's modules."""
    if isinstance(value, LayerV):
        if value.name == "torch.nn.Module" or value.name not in LAYERS:
            return True if name == "torch.nn.Module" else None
        return _extends(value.name, name) or (None if ".Lazy" in value.name + name else False)
    if isinstance(value, (Sequence, DictV)):
        if value.kind == "modules":
            own = "torch.nn.ModuleList" if isinstance(value, Sequence) else "torch.nn.ModuleDict"
            return name == "torch.nn.Module" or (name == own and (_holds_modules(value) or None))
        if value.kind == "sequential":
            return name in ("torch.nn.Module", "torch.nn.Sequential")
        return False
    return False if isinstance(value, (Tensor, str, tuple, float, Scalar)) or is_size(value) else None


def _holds_modules(value: Sequence | DictV) -> bool:
    """Whether a container of modules or of parameters is one of modules."""
    item = value.any_item if isinstance(value, Sequence) else value.any_value
    return isinstance(item, (LayerV, Instance, Sequence))


def _is_tensor(value: Value, name: str) -> bool | None:
    if isinstance(value, Tensor):
        return value.library == "torch" if name == "torch.Tensor" else None
    other = isinstance(value, (str, tuple, Sequence, DictV, float, Scalar, LayerV)) or is_size(value)
    return False if other else None


def _is_python(value: Value, name: str) -> bool | None:
    """Whether a value is of one of Python's own classes of plain values."""
    if _is_numpy_number(value):
        return None if name == "builtins.float" else False  # of double precision it is
    if isinstance(value, (Tensor, DictV, LayerV)):
        return False
    if isinstance(value, Sequence):
        return None if name == "builtins.tuple" else False
    if isinstance(value, Scalar):
        return None if value.kind == "real" else value.kind == name.removeprefix("builtins.")
    if isinstance(value, (int, float, str, tuple, Poly)):
        exact = isinstance(value, bool) and name == "builtins.int"
        return True if exact else isinstance(value, _PYTHON[name]) and not _bool_as_int(value, name)
    return None


def _is_numpy_number(value: Value) -> bool:
    """Whether a value may be what an array gives for one of its items, which is no array."""
    return isinstance(value, Tensor) and value.library == "numpy" and value.shape == ()


def _is_number_of(value: Value, kinds: frozenset[str]) -> bool | None:
    kind = number_kind(value)
    if kind is None and _is_numpy_number(value):
        return None
    if kind is None:
        return False if isinstance(value, (Tensor, DictV, Sequence, LayerV, str, tuple)) else None
    return None if kind == "real" and kind not in kinds else kind in kinds


def could_be(value: Value, kind: Value) -> bool:
    """Whether a tensor that passes ``isinstance`` for a class is still the tensor it was."""
    if not isinstance(value, Tensor):
        return True
    if isinstance(kind, External):
        return kind.name in TENSOR_CLASSES or kind.name.endswith((".Parameter", ".Buffer", ".ndarray"))
    return isinstance(kind, ClassV)


def _bool_as_int(value: Value, name: str) -> bool:
    return isinstance(value, bool) and name != "builtins.bool"
