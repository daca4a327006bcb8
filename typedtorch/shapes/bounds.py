"""What is known of how large a size is."""

from __future__ import annotations

from typedtorch.shapes.size import Atom, Poly, Size, as_poly, substitute, unknown


def positive(size: Size) -> bool:
    """Whether a size is at least 1 wherever each name in it is: ``n*k - n + 1``, not ``n - 1``."""
    if isinstance(size, int):
        return size > 0
    above = substitute(size, lambda atom: 1 + as_poly(Atom("opaque", f"{atom.name} - 1")))
    return not isinstance(above, int) and all(c > 0 for _, c in above.terms) and constant(above) > 0


def constant(size: Poly) -> int:
    """The number in a sum: 1 of ``n + 1``."""
    return next((c for m, c in size.terms if not m), 0)


def size_max(*sizes: Size) -> Size:
    """The larger; unknown where it depends on the names."""
    if all(isinstance(s, int) for s in sizes):
        return max(s for s in sizes if isinstance(s, int))
    first = sizes[0]
    return first if all(s == first for s in sizes) else unknown()


def size_min(*sizes: Size) -> Size:
    """The smaller; unknown where it depends on the names."""
    if all(isinstance(s, int) for s in sizes):
        return min(s for s in sizes if isinstance(s, int))
    first = sizes[0]
    return first if all(s == first for s in sizes) else unknown()
