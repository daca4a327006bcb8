"""What is found in a loop over items that are known one by one.

``for shape in [[3, 8], [3, 8, 8]]``: a branch of which it is not known whether this item leads to it may be
that of another one, as where it depends on the item in a way that cannot be seen.
"""

from __future__ import annotations

from typedtorch.shapes.findings import Finding
from typedtorch.shapes.infer.frame import Reporter

_Key = tuple[int, int, str]


class Turns:
    """Keeps the findings of each turn apart until the loop is done."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.before = reporter.findings, reporter.perhaps, reporter.undecided
        self.done: list[tuple[dict[_Key, Finding], set[_Key]]] = []

    def begin(self) -> None:
        """The next item."""
        reporter = self.reporter
        reporter.findings, reporter.perhaps, reporter.undecided = {}, set(), 0
        self.done.append((reporter.findings, reporter.perhaps))

    def end(self) -> None:
        """What may not be reached in a turn counts only where it is wrong in every turn."""
        found, perhaps, undecided = self.before
        for turn, doubtful in self.done:
            for key, finding in turn.items():
                if key in doubtful and not all(key in other for other, _ in self.done):
                    continue
                if finding.severity == "note":
                    found[key] = finding
                elif key not in found:
                    found[key] = finding
                    perhaps.update({key} if undecided else ())
        reporter = self.reporter
        reporter.findings, reporter.perhaps, reporter.undecided = found, perhaps, undecided
