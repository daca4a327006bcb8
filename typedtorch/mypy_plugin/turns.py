"""Which module to check ahead of mypy next.

mypy checks one module after the other, and asks for the findings of each before it goes on.  Where it comes
to a module that nobody has begun it takes it back and checks the shapes itself, which takes longer than all
that mypy does.  So that neither waits for the other, and both have work to the end, what is chosen is the
first module that mypy should reach only when it is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_MYPY = 0.5  # the time mypy needs for a module, where that of the engine is one


class Turns:
    """Modules with their sizes, in about the order in which mypy comes to them."""

    def __init__(self, sizes: Mapping[str, int], *, shared: bool) -> None:
        """``shared`` where mypy's process takes its part; it then only waits for what has been begun."""
        self._sizes = dict(sizes)
        self._order = list(sizes)
        self._places = {module: i for i, module in enumerate(self._order)}
        self._left = set(sizes)
        self._shared = shared
        self._next = 0  # what mypy comes to

    def __bool__(self) -> bool:
        """Whether anything is left to hand out."""
        return bool(self._left)

    def come_to(self, module: str) -> None:
        """mypy has come to a module."""
        if module in self._places:
            self._next = self._places[module] + 1

    def take(self, module: str) -> bool:
        """Whether nobody had begun it: it is not handed out any more."""
        there = module in self._left
        self._left.discard(module)
        return there

    def give_up(self) -> None:
        """Nothing is handed out any more."""
        self._left.clear()

    def size(self, modules: set[str]) -> int:
        """Bytes of some of the modules."""
        return sum(self._sizes.get(module, 0) for module in modules)

    def choose(self, in_hand: int) -> str | None:
        """Hand out a module to someone who has so many bytes to check before."""
        found = None
        away = 0.0  # the time until mypy comes to a module, in bytes that the engine checks meanwhile
        for module in self._to_come():
            size = self._sizes[module]
            if module in self._left:
                found = module
                if not self._shared or in_hand + size <= away:
                    break
                away += size
            away += size * _MYPY
        if found is not None:
            self._left.discard(found)
        return found

    def _to_come(self) -> Iterator[str]:
        """What mypy has passed by may have to wait for others of the program: it comes last."""
        yield from self._order[self._next :]
        yield from self._order[: self._next]
