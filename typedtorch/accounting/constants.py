"""Values of tensors that a program makes from nothing: a mask or positions, which a branch may ask about.

Tensors here have no memory, but how a constant came about is remembered, and done for real where its values
decide what runs next.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.weak import WeakIdKeyDictionary

from typedtorch.accounting import fake

_MOST_ELEMENTS = 1 << 24
_MOST_OPERATORS = 1000
_MOST_GIVEN = 1 << 16  # elements of a tensor of the program's own, which is copied


@dataclass(frozen=True, eq=False, slots=True)
class Recipe:
    """An operator and what it was given, tensors as recipes; ``steps`` counts the operators of all."""

    func: Callable[..., Any]
    args: Any
    kwargs: Any
    steps: int

    def value(self) -> Any:
        """What the operator gives for real values; call it outside of all modes."""
        args, kwargs = tree_map(_real, (self.args, self.kwargs))
        return self.func(*args, **kwargs)


def _real(value: Any) -> Any:
    """A value that may be written over."""
    if isinstance(value, Recipe):
        return value.value()
    return value.detach().clone() if isinstance(value, Tensor) else value


class Constants:
    """Recipes of the tensors that depend on nothing but numbers."""

    def __init__(self) -> None:
        self._recipes = WeakIdKeyDictionary()
        self._sharing: dict[int, list[weakref.ref[Tensor]]] = {}

    def note(self, func: Any, args: Any, kwargs: Any, out: object) -> None:
        """An operator ran: its result is a constant where all that it was given is one."""
        if not isinstance(func, OpOverload):
            return
        recipe = self._recipe(func, args, kwargs, out)
        if func._schema.is_mutable:
            for tensor in tree_leaves((args, kwargs)):
                if isinstance(tensor, Tensor):
                    self._forget(tensor)
        if recipe is not None and isinstance(out, Tensor):
            self._recipes[out] = recipe
            self._sharing.setdefault(fake.storage_key(out), []).append(weakref.ref(out))

    def value(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator on constants; None where one of its operands is none.

        Tensors in it have no memory again.
        """
        made = self._known(args, kwargs)
        if made is None:
            return None
        with fake.without_modes():
            found = Recipe(func, *made, 1).value()
        return tree_map(lambda v: fake.fake_copy(v, v.device) if isinstance(v, Tensor) else v, found)

    def extent(self, tensor: Shaped[Tensor, "*shape"]) -> tuple[int, int] | None:
        """The least and the largest of integers that depend on nothing; None of other tensors."""
        recipe = self._recipes.get(tensor)
        if recipe is None or not tensor.numel():
            return None
        with fake.without_modes():
            least, most = recipe.value().aminmax()
            return int(least), int(most)

    def _recipe(self, func: Any, args: Any, kwargs: Any, out: object) -> Recipe | None:
        if not isinstance(out, Tensor) or out.layout is not torch.strided or "empty" in str(func):
            return None
        if torch.Tag.nondeterministic_seeded in func.tags or not _is_number(out.shape):
            return None
        made = self._known(args, kwargs)
        if made is None:
            return None
        inner = [leaf for leaf in tree_leaves(made) if isinstance(leaf, Recipe)]
        steps = 1 + sum(recipe.steps for recipe in inner)
        if steps > _MOST_OPERATORS or math.prod(out.shape) > _MOST_ELEMENTS:
            return None
        return Recipe(func, *made, steps)

    def _known(self, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        """The arguments with a recipe for each tensor without memory; None where one has none."""
        if any(isinstance(arg, Tensor) and not self._is_known(arg) for arg in args):
            return None  # as most are
        for leaf in tree_leaves((args, kwargs)):
            known = self._is_known(leaf) if isinstance(leaf, Tensor) else not isinstance(leaf, torch.SymInt)
            if not known or (isinstance(leaf, torch.device) and leaf.type != "cpu"):
                return None
        args, kwargs = tree_map(self._kept, (args, kwargs))
        return args, kwargs

    def _kept(self, value: Any) -> Any:
        """A recipe for a tensor, or a copy of one with memory: what is kept must not keep that alive."""
        if not isinstance(value, Tensor):
            return value
        recipe = self._recipes.get(value)
        if recipe is None:
            with fake.without_modes():
                return value.detach().clone()
        return recipe

    def _is_known(self, tensor: Shaped[Tensor, "*shape"]) -> bool:
        if fake.in_fake_mode(tensor):
            return tensor in self._recipes
        return tensor in self._recipes or (tensor.device.type == "cpu" and tensor.numel() <= _MOST_GIVEN)

    def _forget(self, tensor: Shaped[Tensor, "*shape"]) -> None:
        """The memory behind the tensor changed: what shares it is no constant any more."""
        if not self._sharing or tensor.layout is not torch.strided:
            return
        for reference in self._sharing.pop(fake.storage_key(tensor), ()):
            shared = reference()
            if shared is not None:
                self._recipes.pop(shared, None)


def _is_number(shape: tuple[Any, ...]) -> bool:
    return all(type(n) is int for n in shape)
