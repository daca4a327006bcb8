"""A figure as a formula: an exact integer polynomial in the names of the axes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from typedtorch.accounting import annotations as an
from typedtorch.accounting.checks import meant, sizes_of, validated
from typedtorch.accounting.errors import SizeError
from typedtorch.shapes.size import Atom, Poly, Size, atoms, axis, divides, evaluate, floor_div


def cancelled(size: Size, rounded: Collection[str] = ()) -> Size:
    """``(d // h) * h`` is ``d`` where the division was exact, as it is for sizes read off prime labels.

    Only quotients of one monomial are touched: those with a sum above are real roundings, as are those of
    the axes that are said to be ``rounded``.

    >>> d, h = axis("d"), axis("h")
    >>> cancelled(2 * (d // h) * h + 6 * (d // 2)), cancelled(8 * ((d + 7) // 8))
    (5*d, 8*((d + 7)//8))
    >>> cancelled(6 * (d // 2), rounded=("d",))
    6*(d//2)
    """
    if not isinstance(size, Poly):
        return size
    total: Size = 0
    for monomial, coefficient in size.terms:
        term: Size = coefficient
        for atom, power in monomial:
            if atom.kind != "floor":
                term = term * axis(atom.name) ** power
        for atom, power in monomial:
            for _ in range(power if atom.kind == "floor" else 0):
                term = _times(term, atom, rounded)
        total = total + term
    return total


def _times(term: Size, quotient: Atom, rounded: Collection[str]) -> Size:
    above, below = quotient.operands
    single = isinstance(above, Poly) and len(above.terms) == 1
    single = single and not any(atom.name in rounded for atom in atoms(above))
    if single and divides(below, term):
        return (term // below) * above
    return term * floor_div(above, below)


Ends = tuple[int | None, int | None]


@dataclass(frozen=True)
class Limits:
    """Axes whose size must be above 1, those whose size must be a multiple, and those whose size must not be
    smaller or larger than it may be.
    """

    above_one: tuple[str, ...] = ()
    multiples: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, Ends] = field(default_factory=dict)


def span(name: str, low: int | None, high: int | None) -> str:
    """A range of sizes in words.

    >>> span("seq", 17, 32), span("seq", None, 16), span("seq", 17, None), span("seq", 17, 17)
    ('seq from 17 to 32', 'seq up to 16', 'seq from 17', 'seq at 17')
    """
    if low is not None and low == high:
        return f"{name} at {low}"
    upwards = "" if low is None else f" from {low}"
    return name + upwards + ("" if high is None else f" to {high}" if upwards else f" up to {high}")


def _everywhere(sizes: Mapping[str, int]) -> str:
    """Nothing is known against any sizes."""
    return ""


@dataclass(frozen=True)
class Formula:
    """A figure as an exact integer polynomial in the names of the axes.

    ``pinned`` are the axes that keep the size they were given, because at another size the formula would be
    another: axes whose size a built module fixes, and axes in which no polynomial was found.  For the latter
    ``why`` gives the reason, and the text shows their sizes.

    >>> f = Formula("flops.forward", 2 * axis("batch") * axis("d_model") ** 2)
    >>> print(f)
    2*batch*d_model**2
    >>> f.subs({"batch": 8, "d_model": 4})
    256

    ``above_one`` are axes at whose size of 1 the program runs otherwise, ``multiples`` those whose size it
    rounds unless a number divides it, ``ranges`` those at whose smaller or larger sizes it takes another
    branch: there :meth:`subs` refuses, and the text says so.  ``note`` says what else has to be as it is at
    the account's sizes.

    A name that stands for several axes (``*batch``) has a letter for each, counted by ``several``.

    >>> Formula("bytes.step", 4 * axis("batch_0") * axis("batch_1"), several={"batch": 2}).subs(batch=(4, 8))
    128
    """

    name: str
    size: Size
    pinned: Mapping[str, int] = field(default_factory=dict)
    why: str = ""
    several: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    divided: frozenset[str] = frozenset()  # axes that sizes are parts of
    probe: Callable[[], Limits] = field(default=Limits, repr=False, compare=False)
    refusal: Callable[[Mapping[str, int]], str] = field(default=_everywhere, repr=False, compare=False)

    def subs(
        self, sizes: Mapping[str, int | tuple[int, ...]] | None = None, /, **more: int | tuple[int, ...]
    ) -> int:
        """The number at these sizes, exactly.

        Raises:
            SizeError: a name has no size, or one that is none, a pinned axis has another size than the one
                it is pinned to, or the program runs otherwise at these sizes.
        """
        wanted = validated(sizes_of(sizes, more))
        for name, size in wanted.items():
            count = len(size) if isinstance(size, tuple) else 1
            if count != self.several.get(name, 1):
                raise SizeError(
                    f"{self.name} holds for {self.several.get(name, 1)} axes of {name}, got {count}: {size}"
                )
        given = an.parts(wanted)
        missing = sorted(self.names - set(given))
        if missing:
            spare = sorted(set(given) - self.names)
            hint = next((f": {meant(name, missing)}".rstrip() for name in spare if meant(name, missing)), "")
            raise SizeError(f"{self.name}: no size for {', '.join(missing)} in {given}{hint}")
        for name, size in self.pinned.items():
            if given.get(name, size) != size:
                raise SizeError(f"{self.name} holds for {name}={size}, not for {name}={given[name]}")
        refused = self.refusal(given)
        if refused:
            raise SizeError(f"{self.name} {refused}")
        return evaluate(self.size, given)

    @property
    def above_one(self) -> tuple[str, ...]:
        """Axes at whose size of 1 the program runs otherwise; it is run there when this is asked first."""
        return self.probe().above_one

    @property
    def multiples(self) -> Mapping[str, int]:
        """Axes whose size is rounded unless this number divides it, likewise."""
        return self.probe().multiples

    @property
    def ranges(self) -> Mapping[str, Ends]:
        """Axes with the least and the largest size the formula holds for, one of them None where there is
        none, likewise.
        """
        return self.probe().ranges

    @property
    def names(self) -> frozenset[str]:
        """The axes it depends on."""
        found = atoms(self.size)
        return frozenset(a.name for a in found if a.kind != "floor")

    @property
    def polynomial(self) -> bool:
        """Whether it is a polynomial in all axes: none had to be fixed, nothing is rounded, and no other
        formula holds at smaller or larger sizes.
        """
        plain = not self.why and all(a.kind != "floor" for a in atoms(self.size))
        return plain and not self.ranges and not (self.names & self.divided and self.multiples)

    def sympy(self) -> Any:
        """The same as a sympy expression, for simplification or LaTeX."""
        import sympy  # type: ignore[import-untyped]  # noqa: PLC0415 - untyped; slow to import, wanted rarely

        symbols = {name: sympy.Symbol(name) for name in self.names}
        return sympy.sympify(str(self.size), locals=symbols)

    def __str__(self) -> str:
        said = [self.why] if self.why else []
        said += [f"{', '.join(self.above_one)} above 1"] if self.above_one else []
        said += [span(name, *ends) for name, ends in self.ranges.items()]
        said += [f"{name} a multiple of {part}" for name, part in self.multiples.items()]
        said += [self.note] if self.note else []
        return f"{self.size} ({'; '.join(said)})" if said else str(self.size)
