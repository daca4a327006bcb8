"""Comments that switch findings off, with mypy's meaning.

``# type: ignore[shape]`` and ``# typedtorch: ignore[shape]`` hold for their line, without brackets for every
code; before the first statement ``# type: ignore`` and ``# mypy: ignore-errors`` hold for the file.
The second spelling is for programs whose own type checker has other ideas about ``type: ignore``.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

_IGNORE = re.compile(r"(^#\s*type|#\s*typedtorch):\s*ignore\b\s*(?:\[([^\]#]*)\])?\s*(?=#|$)")
_MYPY = re.compile(r"#\s*mypy:\s*(.*)$")
_DISABLE = re.compile(r"""disable-error-code\s*=\s*["']?([\w\-, ]*)""")
_BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.INDENT}


@dataclass(slots=True)
class Ignores:
    """Which codes each line switches off (an empty set: all of them), and which the whole file does."""

    lines: dict[int, frozenset[str]] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    everything: bool = False

    def __call__(self, line: int, *codes: str) -> bool:
        """Whether a finding on a line is switched off under any of its codes."""
        if self.everything or not self.codes.isdisjoint(codes):
            return True
        listed = self.lines.get(line)
        return listed is not None and (not listed or not listed.isdisjoint(codes))


def read(text: str, *, own_only: bool = False) -> Ignores:
    """Read the comments of a source; ``own_only`` leaves those to mypy that mypy reads itself.

    >>> read("x = f(y)  # type: ignore[shape, dtype]")(1, "dtype")
    True
    >>> read("x = f(y)  # typedtorch: ignore[shape]", own_only=True)(1, "shape")
    True
    """
    found = Ignores()
    if "ignore" not in text and "mypy:" not in text:
        return found
    for line, comment, leading in _comments(text):
        match = _IGNORE.search(comment)
        if match is not None and not (own_only and match[1].endswith("type")):
            codes = frozenset(filter(None, (code.strip() for code in (match[2] or "").split(","))))
            if leading and not codes:
                found.everything = True
            found.lines[line] = codes
        if not own_only and (option := _MYPY.match(comment)):
            if re.search(r"\bignore-errors\b(?!\s*=\s*false)", option[1], re.I):
                found.everything = True
            for listed in _DISABLE.findall(option[1]):
                found.codes |= frozenset(filter(None, re.split(r"[\s,]+", listed)))
    return found


def _comments(text: str) -> Iterator[tuple[int, str, bool]]:
    """(line, text, whether it stands before the first statement) of every comment."""
    leading = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                own_line = not token.line[: token.start[1]].strip()
                yield token.start[0], token.string, leading and own_line
            elif token.type not in _BLANK:
                leading = False
    except (tokenize.TokenError, SyntaxError):
        return  # a broken file has a finding of its own
