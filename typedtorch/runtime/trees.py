"""jaxtyping's ``PyTree[leaf, structure]``.  Such annotations need JAX, whose tree functions are used."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from typedtorch.runtime.arrays import Unbound
from typedtorch.runtime.scope import Mismatch, Scope

if TYPE_CHECKING:
    from typedtorch.runtime.specs import Spec


@dataclass(frozen=True, slots=True)
class Tree:
    """Every leaf matches ``leaf``; ``structure`` names the tree's structure or composes named ones."""

    leaf: Spec | None
    structure: str | None
    text: str

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        """Compare and bind; None is a tree without leaves.

        Raises:
            Unbound: a composition names a structure that is not bound yet.
        """
        if value is None or self.leaf is None:
            return None
        before = replace(scope, sizes=dict(scope.sizes), trees=dict(scope.trees))
        found: Mismatch | None = None
        done = False
        try:
            found = self._check(value, scope, self.leaf)
            done = found is None
        finally:
            scope.leaf = before.leaf
            if not done:
                scope.sizes, scope.runs, scope.trees = before.sizes, before.runs, before.trees
        return found

    def _check(self, value: Any, scope: Scope, leaf_spec: Spec) -> Mismatch | None:
        jtu = importlib.import_module("jax.tree_util")  # a PyTree annotation exists only where JAX does

        def is_leaf(candidate: Any) -> bool:
            inside = Scope(scope.arguments, loose=True)
            return leaf_spec.text != "Any" and leaf_spec.check(candidate, inside) is None

        leaves, structure = jtu.tree_flatten(value, is_leaf=is_leaf)
        if self.structure is not None:
            wanted = self._bind(jtu, structure, scope)
            if wanted is not None:
                return Mismatch("type", f"a tree of structure {wanted}", f"{structure}", annotation=self.text)
        if scope.leaf is not None and self.structure is not None:
            raise Unbound(f"{self.text}: '?' is ambiguous where one structured PyTree holds another")
        for i, leaf in enumerate(leaves):
            if self.structure is not None:
                scope.leaf = f"(leaf {i} of {self.structure}) "
            found = leaf_spec.check(leaf, scope)
            if found is not None:
                return found.at(f"<leaf {i}>")
            scope.leaf = None
        return None

    def _bind(self, jtu: Any, structure: Any, scope: Scope) -> str | None:
        """Bind or compare the structure; the wanted one where it differs."""
        assert self.structure is not None
        if self.structure.isidentifier():
            before = scope.trees.setdefault(self.structure, structure)
            return None if before == structure else f"{self.structure} = {before}"
        names = [name for name in self.structure.split() if name != "..."]
        composed: Any = 0
        for name in names:
            if name not in scope.trees:
                raise Unbound(f"{self.text}: the structure {name} is not bound yet")
            part = scope.trees[name]
            filled = jtu.tree_unflatten(part, [0] * part.num_leaves)
            composed = jtu.tree_map(lambda _, filled=filled: filled, composed)
        wanted = jtu.tree_structure(composed)
        if self.structure.startswith("..."):
            matches = self._ends_with(jtu, structure, wanted)
        elif self.structure.endswith("..."):
            matches = self._begins_with(jtu, structure, composed)
        else:
            matches = structure == wanted
        return None if matches else f"{self.structure} = {wanted}"

    @staticmethod
    def _ends_with(jtu: Any, structure: Any, wanted: Any) -> bool:
        filled = jtu.tree_unflatten(structure, [0] * structure.num_leaves)
        lower = jtu.tree_leaves(filled, is_leaf=lambda node: jtu.tree_structure(node) == wanted)
        return all(jtu.tree_structure(node) == wanted for node in lower)

    @staticmethod
    def _begins_with(jtu: Any, structure: Any, composed: Any) -> bool:
        filled = jtu.tree_unflatten(structure, [0] * structure.num_leaves)
        try:
            jtu.tree_map(lambda _, __: 0, composed, filled)
        except ValueError:
            return False
        return True
