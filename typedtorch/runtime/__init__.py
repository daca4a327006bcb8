"""Run-time checking of annotations: ``typed`` and its switch ``checking``."""

from typedtorch.runtime.checker import ScopeKind
from typedtorch.runtime.decorate import typed
from typedtorch.runtime.errors import CheckError, DtypeCheckError, ShapeCheckError, TypeCheckError
from typedtorch.runtime.switch import checking

__all__ = [
    "CheckError",
    "DtypeCheckError",
    "ScopeKind",
    "ShapeCheckError",
    "TypeCheckError",
    "checking",
    "typed",
]
