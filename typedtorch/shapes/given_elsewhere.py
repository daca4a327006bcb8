"""Attributes that other files of a program give to a class's objects.

``self.transformer.head = ...`` in one file makes ``self.head`` right in the other that defines the class,
and so does a subclass in a file that nothing here imports.  The texts of the whole package are searched,
and only when a finding is about to be made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

MAX_FILES = 20_000


def given_elsewhere(module: str, path: Path, class_name: str, attribute: str) -> bool:
    """Whether another file assigns the attribute to an object, or derives a class that speaks of it."""
    return any(_gives(text, class_name, attribute) for text in _texts(module, path) if attribute in text)


def _texts(module: str, path: Path) -> Iterator[str]:
    """The other sources of the package, and those in the folder that it stands in."""
    depth = module.count(".") + (path.stem == "__init__")
    folder = path.parents[min(depth, len(path.parents) - 1)]
    files = set(folder.glob("*.py"))
    if depth:
        files.update(path.parents[depth - 1].rglob("*.py"))
    for other in sorted(files)[:MAX_FILES]:
        if other != path:
            try:
                yield other.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue


def _gives(text: str, class_name: str, attribute: str) -> bool:
    """Whether a source gives an object of the class, or one that may be, the attribute.

    >>> _gives("model.decoder.head = None", "Decoder", "head"), _gives("self.head = None", "Decoder", "head")
    (True, False)
    >>> _gives("class Mine(base.Decoder):\\n    head = None", "Decoder", "head")
    True
    """
    name = re.escape(attribute)
    assigned = rf"(?<!\bself)\.{name}[ \t]*(?::[^=\n]+)?=(?!=)"
    by_name = rf"setattr\([^,()]+(?:\([^()]*\))?,\s*[\"']{name}[\"']"
    derived = rf"^[ \t]*class\s+\w+\s*\([^)]*\b{re.escape(class_name)}\b"
    return bool(
        re.search(assigned, text)
        or re.search(by_name, text)
        or (re.search(derived, text, re.M) and re.search(rf"\b{name}\b", text))
    )
