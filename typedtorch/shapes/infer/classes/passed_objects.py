"""Objects that come from elsewhere: a parameter, an item of a list, what a call promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.classes.construction import after_fields, symbolic
from typedtorch.shapes.infer.classes.updates import only_at_start
from typedtorch.shapes.infer.expressions.attributes import assume_field
from typedtorch.shapes.infer.values.contents import Substitution, sizes_in
from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Instance, Object, Scalar, Value, options_of
from typedtorch.shapes.size import atoms, axis
from typedtorch.shapes.tensor import Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter


_MOST_WITHIN = 16  # objects in one that is passed in; the parts of others are looked up where they are read


def assumed(interpreter: Interpreter, info: ClassInfo, hint: str, variables: Mapping[str, Value]) -> Value:
    """An instance that came from elsewhere; its axes and integers are its own."""
    if info.kind.is_enum:
        return Object(info.name)
    interpreter.assumed_within = interpreter.assumed_within + 1 if interpreter.assuming else 0
    if id(info) in interpreter.assuming or interpreter.assumed_within > _MOST_WITHIN:
        if info.kind.is_typed_dict:
            return DictV({}, UNKNOWN)
        return Instance(info, {}, {}, partial=True, assumed=True)
    interpreter.assuming.add(id(info))
    try:
        if info.kind.is_typed_dict:
            known = {n: assume_field(info.spec(n) or specs.ANYTHING, n, hint) for n in info.fields()}
            return DictV(known, UNKNOWN)  # those of types derived from it have more
        if info.kind.is_fields:
            fields = {
                name: assume_field(
                    info.spec_of_any(name) or specs.ANYTHING, name, hint, interpreter.number, variables
                )
                for name in info.fields()
                if only_at_start(info, name)
            }
            return _completed(interpreter, Instance(info, fields, {}, partial=True, assumed=True))
        made = symbolic(interpreter, info, linked=False, variables=variables) if variables else None
        return replace(
            _with_own_axes(made or info.symbolic(linked=False), hint), assumed=True, variables=variables
        )
    finally:
        interpreter.assuming.discard(id(info))


def _with_own_axes(made: Instance, hint: str) -> Instance:
    """An object whose tensors have axes of its own: those of another of its class are others.

    So are their ``*batch``, which may be that of who has the object, or more, or less.
    """
    held = {a for n, size in made.axes.items() if n not in made.arguments for a in atoms(size)}
    sizes = {a: axis(a.name, hint) for a in held if a.kind != "floor"}
    packs = [e for e in sizes_in(made) if isinstance(e, Pack) and not e.open]
    own = Substitution(sizes, {p: (Pack(f"?{hint}.{p.name}"),) for p in packs})(made) if hint else made
    return own if isinstance(own, Instance) else made


def _completed(interpreter: Interpreter, made: Instance) -> Instance:
    """With what ``__post_init__`` derives from the fields: ``self.d_inner = self.expand * self.d_model``."""
    info = made.info
    if info.find("__post_init__") is None:
        return made
    after = after_fields(interpreter, interpreter.quiet_frame(info.module, info.closure), made, info.node)
    # an annotated integer stays a size of its own: it says more than a product of others
    given = {name: v for name, v in made.attributes.items() if not _may_follow(v)}
    return replace(made, attributes={**made.attributes, **after.attributes, **given})


def _may_follow(value: Value) -> bool:
    """Whether what is derived from the fields may say more of one: what may be missing, what is checked."""
    return None in options_of(value) or isinstance(value, Scalar)


__all__ = ["assumed"]
