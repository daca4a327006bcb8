"""What sources say of their classes, kept from one run of mypy to the next, beside its own cache.

A change in a function's body is nothing to other modules as mypy sees them, and seldom changes what the
source says of its classes: the digest of that, not of the text, is what mypy compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from typedtorch.shapes import texts
from typedtorch.shapes.neighbours import neighbours
from typedtorch.shapes.store import Store
from typedtorch.shapes.texts import Texts

if TYPE_CHECKING:
    from typedtorch.shapes.module_facts import SourceFacts


class Written(NamedTuple):
    """Facts of one source in writing, and a digest of what other modules can see of them."""

    interface: str
    data: bytes = b""  # empty where only the digest is known

    @classmethod
    def of(cls, source: SourceFacts, *, whole: bool) -> Written:
        """The facts themselves take time to be worked out, all of them."""
        from typedtorch.mypy_plugin import pickled  # noqa: PLC0415  # needed only where mypy checks

        return cls(texts.of_text(source.interface), pickled.written(source) if whole else b"")

    def read(self) -> SourceFacts | None:
        """The facts, where they are there and are facts."""
        from typedtorch.mypy_plugin import pickled  # noqa: PLC0415  # needed only where mypy checks

        return pickled.read(self.data)


class _Record(NamedTuple):
    of: str  # a text
    written: Written
    state: str = ""  # of the files around it, while those gave this:
    given: tuple[str, ...] = ()


class KeptFacts:
    """One piece of a store for each module: what its source says, and what others give to its objects."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts
        self._known: dict[str, _Record] = {}

    def get(self, module: str, path: str, *, only_imported: bool = False) -> Written | None:
        """What was written of a module with the text it has now.

        A module that is ``only_imported`` seldom changes, and there may be thousands: so long as no other
        text of it has been met, its text stands for what others can see of it, and it is not parsed.
        """
        known = self._record(module)
        if known.of == self._of(path):
            return known.written
        if only_imported and not known.of:
            self.keep(module, path, Written(self._texts.of(path)))
            return self._known[module].written
        return None

    def keep(self, module: str, path: str, written: Written) -> None:
        """Facts of the text that a module has now."""
        self._write(module, _Record(self._of(path), written))

    def around(self, module: str, path: str, text: str) -> list[str]:
        """What other files give to a module's objects: known while no file around it has changed."""
        known, state = self._record(module), neighbours(module, Path(path)).state
        if known.of == self._of(path) and known.state == state:
            return list(known.given)
        from typedtorch.shapes.given_elsewhere import given_around  # noqa: PLC0415  # needed only after a change

        given = given_around(module, Path(path), text)
        if known.of == self._of(path):
            self._write(module, known._replace(state=state, given=tuple(given)))
        return given

    def _record(self, module: str) -> _Record:
        if module not in self._known:
            head, _, data = (self._store.read(f"{module}.facts") or b"").partition(b"\n")
            of, interface, state, *given = [*head.decode(errors="replace").split(" "), "", ""]
            self._known[module] = _Record(of, Written(interface, data), state, tuple(filter(None, given)))
        return self._known[module]

    def _write(self, module: str, record: _Record) -> None:
        self._known[module] = record
        head = " ".join([record.of, record.written.interface, record.state, *record.given])
        self._store.write(f"{module}.facts", head.encode() + b"\n" + record.written.data)

    def _of(self, path: str) -> str:
        return texts.of_text(f"{texts.engine()} {path} {self._texts.of(path)}")
