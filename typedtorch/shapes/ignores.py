"""Comments that switch findings off, with mypy's meaning.

``# type: ignore[shape]`` and ``# typedtorch: ignore[shape]`` hold for what is found in an expression on any
of whose lines they stand, without brackets for every code; before the first statement ``# type: ignore``
and ``# mypy: ignore-errors`` hold for the file.
The second spelling is for programs whose own type checker has other ideas about ``type: ignore``.
mypy's own code for the same fault does it as well: ``type: ignore[attr-defined]`` of ``attribute``.
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
# mypy's own codes for what ours find as well
_SAME = {"attribute": frozenset({"attr-defined", "union-attr", "typeddict-item", "typeddict-unknown-key"})}
_OF_MYPY = frozenset().union(*_SAME.values())


@dataclass(slots=True)
class Ignores:
    """Which codes each line switches off (an empty set: all of them), and which the whole file does."""

    lines: dict[int, frozenset[str]] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    everything: bool = False
    # what "typedtorch: ignore" itself lists, by line and column, and the codes that were met on each line
    own: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    met: dict[int, set[str]] = field(default_factory=dict)

    def __call__(self, lines: range, *codes: str) -> bool:
        """Whether a finding on some lines is switched off under any of its codes, by the first that does."""
        same = {*codes}.union(*(_SAME.get(code, ()) for code in codes))
        for line in lines:
            listed = self.lines.get(line)
            if listed is not None and (not listed or not listed.isdisjoint(same)):
                self.met.setdefault(line, set()).update(codes)
                return True
        return self.everything or not self.codes.isdisjoint(codes)

    def unused(self) -> Iterator[tuple[int, int, str]]:
        """(line, column, message) of each ``typedtorch: ignore`` that switched nothing off so far.

        >>> comments = read("x = f(y)  # typedtorch: ignore[shape, dtype]")
        >>> comments(range(1, 2), "shape"), list(comments.unused())
        (True, [(1, 10, 'unused "typedtorch: ignore[dtype]" comment')])
        """
        for (line, column), listed in self.own.items():
            met = self.met.get(line, set())
            if not self.everything and (listed - met if listed else not met):
                codes = f"[{', '.join(sorted(listed - met))}]" if listed else ""
                yield line, column, f'unused "typedtorch: ignore{codes}" comment'


def read(text: str, *, own_only: bool = False) -> Ignores:
    """Read the comments of a source; ``own_only`` leaves those to mypy that mypy reads itself.

    >>> read("x = f(y)  # type: ignore[shape, dtype]")(range(1, 2), "dtype")
    True
    >>> read("x = f(y)  # typedtorch: ignore[shape]", own_only=True)(range(1, 2), "shape")
    True
    >>> read("x = y.z  # type: ignore[attr-defined]", own_only=True)(range(1, 2), "attribute")
    True
    >>> read("x = f(\\n    y,\\n)  # typedtorch: ignore[shape]")(range(1, 4), "shape")
    True
    """
    found = Ignores()
    if "ignore" not in text and "mypy:" not in text:
        return found
    for line, column, comment, leading in _comments(text):
        for match in _IGNORE.finditer(comment):
            codes = frozenset(filter(None, (code.strip() for code in (match[2] or "").split(","))))
            if own_only and match[1].endswith("type"):
                codes = codes & _OF_MYPY
                if not codes:
                    continue
            if leading and not codes:
                found.everything = True
            others = found.lines.get(line, codes)
            found.lines[line] = codes | others if codes and others else frozenset()
            if match[1].endswith("typedtorch"):
                found.own[line, column + match.start()] = codes
        if not own_only and (option := _MYPY.match(comment)):
            if re.search(r"\bignore-errors\b(?!\s*=\s*false)", option[1], re.I):
                found.everything = True
            for listed in _DISABLE.findall(option[1]):
                found.codes |= frozenset(filter(None, re.split(r"[\s,]+", listed)))
    return found


def _comments(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """(line, column, text, whether it stands before the first statement) of every comment."""
    leading = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                own_line = not token.line[: token.start[1]].strip()
                yield *token.start, token.string, leading and own_line
            elif token.type not in _BLANK:
                leading = False
    except (tokenize.TokenError, SyntaxError):
        return  # a broken file has a finding of its own
