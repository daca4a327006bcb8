"""``scope="instance"``: axes that keep one size for the whole life of an object.

At each call of a method the names of axes start out bound to what the instance itself says:

- an ``int`` attribute binds the axis of the same name: ``self.d_model = 64`` makes ``d_model`` 64;
- an attribute annotated in the class body, ``weight: Float[Tensor, "d_out d_in"]``, is checked and
  binds its axes, before the arguments.

It is asked for, never assumed: axes named alike by accident (``vocab`` in a head of ``vocab + 1``
outputs) are right for jaxtyping, and stay right here.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.hints import MISSING, read
from typedtorch.runtime.scope import Mismatch, Scope
from typedtorch.runtime.specs import Spec, mentions_axes


def bind_instance(instance: Any, names: Iterable[str], scope: Scope) -> Mismatch | None:
    """Bind what the instance says of the axes ``names``; a mismatch where its attributes disagree."""
    for name in names:
        value = getattr(instance, name, None)
        if type(value) is int:  # a bool is no size
            scope.sizes[name] = value
            scope.origins[name] = (f"self.{name}", "")
    for name, spec in attribute_specs(type(instance)).items():
        attribute = getattr(instance, name, None)
        if attribute is None:
            continue  # not assigned yet
        scope.place = f"self.{name}"
        found = spec.check(attribute, scope)
        if found is not None:
            return found
    return None


_KNOWN: WeakKeyDictionary[type, dict[str, Spec]] = WeakKeyDictionary()


def attribute_specs(kind: Any) -> dict[str, Spec]:
    """The array annotations in the body of a class and of its bases."""
    if kind in _KNOWN:
        return _KNOWN[kind]
    found: dict[str, Spec] = {}
    for base in reversed(kind.__mro__):
        namespace = vars(sys.modules.get(base.__module__, sys))
        for name, annotation in inspect.get_annotations(base).items():
            value = read(annotation, namespace, dict(vars(base)), f"{base.__qualname__}.{name}")
            spec = spec_of(Any if value is MISSING else value)
            if mentions_axes(spec):
                found[name] = spec
    _KNOWN[kind] = found
    return found
