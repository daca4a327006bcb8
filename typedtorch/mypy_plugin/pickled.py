"""Facts in writing."""

from __future__ import annotations

import io
import pickle

from typedtorch.shapes.module_facts import SourceFacts

# What may come out of a file: what facts are made of, and nothing that could do anything.
_PARTS = {
    ("typedtorch.shapes.module_facts", "SourceFacts"),
    ("typedtorch.shapes.module_facts", "ClassFacts"),
    ("typedtorch.shapes.module_containers", "Container"),
    ("collections", "Counter"),
    ("builtins", "frozenset"),
}


def written(source: SourceFacts) -> bytes:
    """To be kept in a file, or sent to another process."""
    return pickle.dumps(source)


def read(data: bytes) -> SourceFacts | None:
    """The facts, where they are there and are facts."""
    try:
        source = _Facts(io.BytesIO(data)).load()
    except Exception:  # what is damaged may fail in any way
        return None
    return source if isinstance(source, SourceFacts) else None


class _Facts(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _PARTS:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of facts")
        return super().find_class(module, name)
