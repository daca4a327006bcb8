"""What a value proves of sizes, where it came of comparing them.

``same = a == b`` is true only where the sizes are one, and whatever is made of ``same``, or only where it is
true, says so too: ``not same``, ``stride == 1 and same``, ``mode = "residual" if same else "plain"``.  Each
outcome of such a value proves some facts; a fact is a difference of sizes, which is 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from typedtorch.shapes.size import Size

Facts: TypeAlias = tuple[Size, ...]
# of each outcome; of a bool first where it is true, then where it is not
Proofs: TypeAlias = tuple[Facts, ...]


def together(*several: Facts) -> Facts:
    """What holds where all of several hold.

    >>> from typedtorch.shapes.size import axis
    >>> together((axis("a") - 3,), (axis("b") - 4, axis("a") - 3))
    (a - 3, b - 4)
    """
    return tuple(dict.fromkeys(fact for facts in several for fact in facts))


def common(several: Iterable[Facts]) -> Facts:
    """What holds whichever of several holds.

    >>> from typedtorch.shapes.size import axis
    >>> common([(axis("a") - 3,), (axis("b") - 4, axis("a") - 3)])
    (a - 3,)
    """
    first, *others = several
    return tuple(fact for fact in first if all(fact in facts for facts in others))


def without(facts: Facts, known: Facts) -> Facts:
    """The facts that are not known already."""
    return tuple(fact for fact in facts if fact not in known) if facts else facts


__all__ = ["Facts", "Proofs", "common", "together", "without"]
