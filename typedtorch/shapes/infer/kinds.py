"""Kinds of values: what ``isinstance`` says of them."""

from __future__ import annotations

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.specs import TENSOR_CLASSES
from typedtorch.shapes.infer.values import (
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
from typedtorch.shapes.size import Poly
from typedtorch.shapes.tensor import ANY_AXES


def made_from(frame: Frame, kind: Value) -> Value:
    """A value of which only its class is known."""
    if isinstance(kind, External) and kind.name in TENSOR_CLASSES:
        return Tensor((ANY_AXES,), TENSOR_CLASSES[kind.name])
    return UNKNOWN


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


def instance_of(value: Value, kind: Value) -> bool | None:
    """Whether a value is of a class; None where it cannot be told."""
    if kind is UNKNOWN or value is UNKNOWN:
        return None
    if value is None:
        return False if isinstance(kind, (External, ClassV)) and kind != External("builtins.object") else None
    if isinstance(kind, External):
        return _instance_of_external(value, kind.name)
    if isinstance(kind, ClassV):
        if isinstance(value, Instance):
            if any(info is kind.info for info in value.info.mro()):
                return True
            return None if any(info is value.info for info in kind.info.mro()) else False
        return False if isinstance(value, (Tensor, str, tuple, Sequence, DictV)) or is_size(value) else None
    return None


def _instance_of_external(value: Value, name: str) -> bool | None:
    if name in TENSOR_CLASSES:
        return _is_tensor(value, name)
    if name == "numpy.ndarray":
        return value.library == "numpy" if isinstance(value, Tensor) else None
    if name in _NUMBERS:
        return _is_number_of(value, _NUMBERS[name])
    if name in _PYTHON:
        return _is_python(value, name)
    if name in ("builtins.list", "typing.Sequence", "builtins.dict", "typing.Mapping"):
        want_dict = name in ("builtins.dict", "typing.Mapping")
        if isinstance(value, (Tensor, Instance)) or is_size(value):
            return False
        if isinstance(value, (DictV, Sequence)) and getattr(value, "kind", "") in ("list", "dict"):
            return isinstance(value, DictV) is want_dict
        return None
    if isinstance(value, LayerV):
        return True if name in (value.name, "torch.nn.Module") else None
    return None


def _is_tensor(value: Value, name: str) -> bool | None:
    if isinstance(value, Tensor):
        return value.library == "torch" if name == "torch.Tensor" else None
    if isinstance(value, Instance):
        return False if value.info.is_named_tuple else None
    other = isinstance(value, (str, tuple, Sequence, DictV, float, Scalar)) or is_size(value)
    return False if other else None


def _is_python(value: Value, name: str) -> bool | None:
    """Whether a value is of one of Python's own classes of plain values."""
    if isinstance(value, (Tensor, DictV, Instance, LayerV)):
        return False
    if isinstance(value, Sequence):
        return None if name == "builtins.tuple" else False
    if isinstance(value, Scalar):
        return None if value.kind == "real" else value.kind == name.removeprefix("builtins.")
    if isinstance(value, (int, float, str, tuple, Poly)):
        exact = isinstance(value, bool) and name == "builtins.int"
        return True if exact else isinstance(value, _PYTHON[name]) and not _bool_as_int(value, name)
    return None


def _is_number_of(value: Value, kinds: frozenset[str]) -> bool | None:
    kind = number_kind(value)
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
