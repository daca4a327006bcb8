"""Attributes that methods update over time: what stays true of them all the same.

``self.mean += delta`` keeps the shape of a tensor, ``self.i = (self.i + 1) % self.capacity`` keeps an
integer an integer.  Any other assignment may make something else of the attribute.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from typedtorch.shapes.infer.classes.attribute_stores import (
    AT_START,
    displayed,
    made_anew,
    remembered,
    stores,
)
from typedtorch.shapes.infer.program.class_text import Def
from typedtorch.shapes.infer.program.index import reshaped
from typedtorch.shapes.infer.program.integral import integral_names
from typedtorch.shapes.infer.values.contents import HOLDS_NOTHING, OF_ATTRIBUTES, parts_of, with_parts
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Instance,
    Sequence,
    Tensor,
    Value,
    is_size,
    options_of,
)
from typedtorch.shapes.size import unknown

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo

_INSIDE = 6  # of objects and lists in objects
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_COUNTS = frozenset({"len", "int"})
_OF_COUNTS = frozenset({"min", "max", "abs"})
_SIZES = frozenset({"size", "numel", "dim", "ndimension"})


def stable(
    instance: Instance,
    promised: Iterable[Value] = (),
    *,
    is_new: bool = False,
    is_followed: bool = False,
) -> Instance:
    """Forget what other methods make of an attribute: it is updated over time.

    ``promised`` is what annotations say of the arguments, which binds whoever else holds them.  Nobody else
    holds what a new object has made; its tensors are known where its methods are followed.
    """
    lasting = {id(value) for value in promised}
    info = instance.info
    kept: dict[str, Value] = {}
    for name, value in instance.attributes.items():
        if is_placeholder(value) or (not is_new and type(value) is int and value < 0):
            continue
        if is_followed and _is_seen(info, name, value):
            kept[name] = value
        elif isinstance(value, Sequence) and not value.items and (filled := info.kept_items(name)):
            kept[name] = filled
        elif not only_at_start(info, name) or (_is_plain(value) and (_is_start(value) or _given(info, name))):
            left = remains(instance, name)
            if left is not UNKNOWN:
                kept[name] = left
        elif isinstance(value, Tensor) and not is_new and _given(info, name):
            continue  # a placeholder, perhaps
        elif isinstance(value, DictV) and _assigns_within(info, name):
            if not is_new and not _changes(info, name):
                items = {key: UNKNOWN if _given(info, key) else item for key, item in value.items.items()}
                kept[name] = replace(value, items=items)
        elif not _plain_container(value) or not (
            _changes(info, name)
            or (_holds_tensors(value) and id(value) not in lasting and not (is_new and displayed(info, name)))
        ):
            kept[name] = value
    moved = {id(v) for n, v in instance.attributes.items() if n not in kept and _reshapes(info, n, v)}
    if moved:  # by whatever other names they are held
        kept = {name: value for name, value in kept.items() if id(value) not in moved}
    return replace(instance, attributes=kept)


def as_later(value: Value) -> Value:
    """A value in which new objects, which were followed, are what is certain of them at any later time."""
    within = with_parts(value, as_later) if type(value) not in HOLDS_NOTHING else value
    return stable(within, is_new=True) if isinstance(within, Instance) and not within.assumed else within


def while_made(instance: Instance, method: str) -> Instance:
    """An object as its method finds it; one that builds it may not yet see what is assigned once more.

    ``self.rows = rows; self.rows = self._read()``.
    """
    info = instance.info
    if not any(method in i.helpers for i in info.mro()):
        return instance
    again = {name: UNKNOWN for name in instance.attributes if _is_made_again(info, name)}
    return replace(instance, attributes={**instance.attributes, **again}) if again else instance


@remembered
def _is_made_again(info: ClassInfo, attribute: str) -> bool:
    """Whether the constructor, with the methods it calls, assigns an attribute more than once."""
    at_start = {*AT_START, *(name for i in info.mro() for name in i.helpers)}
    return len(list(stores(info, attribute, at_start))) > 1


def is_placeholder(value: Value) -> bool:
    """``torch.empty(0)``, alone or in a tuple: whoever loads or binds the object puts another there."""
    if type(value) is tuple:
        return any(map(is_placeholder, value))
    return isinstance(value, Tensor) and 0 in value.shape


def _is_seen(info: ClassInfo, attribute: str, value: Value) -> bool:
    """Whether what an attribute becomes is seen where the methods are followed."""
    if isinstance(value, (Sequence, DictV)):
        return _plain_container(value) and made_anew(info, attribute)
    return value is None or (isinstance(value, Tensor) and not _reshapes(info, attribute, value))


def _reshapes(info: ClassInfo, attribute: str, value: Value) -> bool:
    """Whether a method gives the tensor that is held another shape in place."""
    return isinstance(value, Tensor) and any(reshaped(store) for _, store in stores(info, attribute))


def after(receiver: Instance, method: str) -> Instance:
    """An object once a method has run that is not looked into, and those that it calls.

    They may have made something else of what they assign, and put other items into what they hold, or
    other weights into layers if the constructor does not ask for them.  Where its class assigns by names that
    it computes, that may be any tensor, or what is none yet.
    """
    by_name = receiver.info.rewrites
    assigned, changed = _touched(receiver.info, method)
    kept: dict[str, Value] = {}
    for name, value in receiver.attributes.items():
        if name not in assigned and not (by_name and (value is None or isinstance(value, Tensor))):
            if name not in changed or isinstance(value, Tensor):
                kept[name] = value
            elif isinstance(value, (Sequence, DictV)):
                kept[name] = emptied(value)
    if len(kept) == len(receiver.attributes) and all(kept[n] is v for n, v in receiver.attributes.items()):
        return receiver
    return replace(receiver, attributes=kept, partial=True)


def may_change(receiver: Instance, method: str) -> bool:
    """Whether a method, or one that it calls, may make something else of an attribute."""
    return receiver.info.rewrites or any(_touched(receiver.info, method))


def _keeps_changing(value: Value) -> bool:
    """Whether more is known of an object than is certain of it at any later time."""
    if not isinstance(value, Instance) or value.assumed:
        return False
    return any(
        (held is None or isinstance(held, (Tensor, Sequence, DictV)))
        and not (only_at_start(value.info, name) and not _changes(value.info, name))
        for name, held in value.attributes.items()
    )


def changing_inside(value: Value, depth: int = _INSIDE) -> list[Instance]:
    """The objects inside another of which that is so: what calls its methods may call theirs."""
    found: list[Instance] = []
    for part in parts_of(value) if depth else ():
        if type(part) not in HOLDS_NOTHING:
            found += [part] if _keeps_changing(part) else []
            found += changing_inside(part, depth - 1)
    return found


@lru_cache(maxsize=4096)  # a method is called many times
def _touched(info: ClassInfo, method: str) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes that a method, or one it calls, assigns; and those of which it changes the items."""
    run = _called_from(info, method)
    later = run.difference(_called_at_start(info), AT_START)
    made = [(i.self_stores, run) for i in info.mro()] + [(i.self_within, later) for i in info.mro()]
    assigned = {n for stores, by in made for n, methods in stores.items() if not by.isdisjoint(methods)}
    changed = {n for i in info.mro() for n, methods in i.self_changes.items() if not run.isdisjoint(methods)}
    return frozenset(assigned), frozenset(changed)


def emptied(value: Value) -> Value:
    """A container of which only the kind is still known; anything else as it is."""
    if isinstance(value, Sequence):
        return Sequence(value.kind, None, UNKNOWN)
    return DictV({}, UNKNOWN, value.kind) if isinstance(value, DictV) else value


def dicts_within(instance: Instance) -> list[DictV]:
    """The dicts that an object holds, also in lists, of which every key is known."""
    found: list[DictV] = []
    left = [v for v in instance.attributes.values() if isinstance(v, (tuple, Sequence, DictV))]
    while left:
        value = left.pop()
        if isinstance(value, DictV) and value.kind == "dict" and value.rest is None:
            found.append(value)
        left += [part for part in parts_of(value) if isinstance(part, (tuple, Sequence, DictV))]
    return found


def reshaped_in(container: Value, now: Value) -> list[Tensor]:
    """The tensors that were items of a list or dict and have, or may have, another shape by now."""
    was, by_now = _items_by_key(container), _items_by_key(now)
    return [
        item
        for key, item in was.items()
        if isinstance(item, Tensor)
        and not (isinstance(left := by_now.get(key), Tensor) and left.shape == item.shape)
    ]


def _items_by_key(container: Value) -> Mapping[Any, Value]:
    if isinstance(container, DictV):
        return container.items
    return dict(enumerate(container.items or ())) if isinstance(container, Sequence) else {}


def _called_from(info: ClassInfo, method: str) -> set[str]:
    """The methods of a class that a call of one may run."""
    reached, new = {method}, [method]
    while new:
        found = info.find(new.pop())
        for definition in found[1] if found is not None else ():
            assert found is not None
            called = found[0].module.facts(definition).called - reached
            reached |= called
            new += called
    return reached


def _holds_tensors(value: Value) -> bool:
    """A list or dict of tensors, into which whoever is given it may put others."""
    item = value.any_value if isinstance(value, DictV) else value.any_item
    return any(isinstance(option, Tensor) for option in options_of(item))


_PLAIN = frozenset({"list", "set", "deque", "dict", *OF_ATTRIBUTES[1:]})


def _plain_container(value: Value) -> bool:
    return isinstance(value, (Sequence, DictV)) and value.kind in _PLAIN


@remembered
def _changes(info: ClassInfo, attribute: str) -> bool:
    """Whether a method other than the constructor changes the items of a list or dict."""
    return any(
        method not in AT_START
        for ancestor in info.mro()
        for method in ancestor.self_changes.get(attribute, ())
    )


@remembered
def _assigns_within(info: ClassInfo, attribute: str) -> bool:
    """Whether a method other than the constructor and its helpers assigns an attribute of what one holds."""
    start = _called_at_start(info).union(AT_START)
    return any(not start.issuperset(ancestor.self_within.get(attribute, ())) for ancestor in info.mro())


def _is_plain(value: Value) -> bool:
    """A number, flag, string or None: what an object starts with, where others assign it too."""
    return value is None or isinstance(value, (bool, float, str)) or is_size(value)


def _is_start(value: Value) -> bool:
    """Whether a number says no size: what begins at 0 is counted on by somebody, in this file or another."""
    return type(value) is int and value == 0


@remembered
def _given(info: ClassInfo, attribute: str) -> bool:
    """Whether a file of the class assigns the attribute from outside: ``cache.position += steps``."""
    return any(attribute in i.module.facts(i.module.tree).given for i in info.mro())


@remembered
def only_at_start(info: ClassInfo, attribute: str) -> bool:
    """Whether an attribute is assigned only while the object is made."""
    for ancestor in info.mro():
        for method in ancestor.self_stores.get(attribute, ()):
            if method not in AT_START and method not in _called_at_start(info):
                return False
    return True


def _called_at_start(info: ClassInfo) -> set[str]:
    """Methods the constructor calls, which build the object."""
    return {
        name
        for ancestor in info.mro()
        for name, given in ancestor.helpers.items()
        if name != "forward" and not _takes_more(info, name, given)
    }


def _takes_more(info: ClassInfo, helper: str, given: int) -> bool:
    """Whether the constructor leaves arguments of a method to their defaults, which a later call may give."""
    found = info.find(helper)
    if found is None:
        return False
    taken = found[1][-1].args
    return given < len(taken.posonlyargs) + len(taken.args) - 1 + len(taken.kwonlyargs)


def remains(instance: Instance, name: str) -> Value:
    """What is still known of an attribute that other methods than the constructor assign."""
    value = instance.attributes[name]
    if isinstance(value, Tensor):
        in_place = all(isinstance(store, ast.AugAssign) for _, store in stores(instance.info, name))
        kept = instance.info.kept_shapes(name)
        return value if in_place else varied(value, kept[name]) if name in kept else UNKNOWN
    if is_size(value) and all(_counts(store, instance, by) for by, store in stores(instance.info, name)):
        return unknown(f"?{instance.info.name}.{name}")
    return UNKNOWN


def varied(tensor: Tensor, axes: Set[int]) -> Tensor:
    """A tensor of which some axes may have any size."""
    if not axes:
        return tensor
    shape = tuple(unknown() if k in axes else entry for k, entry in enumerate(tensor.shape))
    return replace(tensor, shape=shape, layout=None)


def assigned_later(info: ClassInfo, attribute: str) -> list[str]:
    """The methods that assign an attribute after an object is made; none where others than them may do so."""
    if _given(info, attribute) or any(attribute in i.self_within for i in info.mro()):
        return []
    if not all(isinstance(store, (ast.Assign, ast.AugAssign)) for _, store in stores(info, attribute)):
        return []
    return sorted({m for i in info.mro() for m in i.self_stores.get(attribute, ()) if m not in AT_START})


def _counts(store: ast.AST, instance: Instance, method: Def) -> bool:
    def local(name: str) -> bool:
        return name in integral_names(
            method, lambda node, names: _integral(node, instance, names.__contains__)
        )

    match store:
        case ast.AugAssign(op=op, value=value):
            return isinstance(op, _ARITHMETIC) and _integral(value, instance, local)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return _integral(value, instance, local)
    return False


def _integral(node: ast.expr, instance: Instance, local: Callable[[str], bool]) -> bool:
    """Whether an expression is an integer whatever ``self`` is; ``local`` says it of variables."""
    match node:
        case ast.Constant(value=int()):
            return not isinstance(node.value, bool)
        case ast.Name(id=name):
            return local(name)
        case ast.BinOp(left=left, op=op, right=right):
            both = _integral(left, instance, local) and _integral(right, instance, local)
            return isinstance(op, _ARITHMETIC) and both
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _integral(inner, instance, local)
        case ast.Call(func=ast.Name(id=name), args=args):
            every = all(_integral(a, instance, local) for a in args)
            return name in _COUNTS or (name in _OF_COUNTS and len(args) > 1 and every)
        case ast.Call(func=ast.Attribute(attr=attr), args=args):
            return attr in _SIZES and (attr != "size" or len(args) == 1)
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant() | ast.UnaryOp()):
            return True
        case ast.Attribute(value=ast.Name(), attr=attr):
            return is_size(instance.attributes.get(attr))
    return False


__all__ = ["assigned_later", "only_at_start", "remains", "stable"]
