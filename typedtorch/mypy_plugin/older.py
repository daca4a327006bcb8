"""mypy 2.3 does not ask plugins anything once a module is checked, so its modules are checked on the way.

Every other hook is asked many times while a module is analysed.  The first that is asked, with mypy's Errors
already directed to that module, is the moment.  The engine needs nothing of mypy's analysis.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import MypyFile

from typedtorch.mypy_plugin.reporter import LAST_WORD, Reporter

NEEDED = not LAST_WORD
OWN_WATCHERS = 1  # the one of excused.py; mypy's own mean that what it says now need not be told


class Early:
    """Remembers which modules have been checked."""

    def __init__(self, reporter: Reporter, checked: Callable[[MypyFile], None]) -> None:
        self._reporter = reporter
        self._checked = checked
        self._done: dict[str, MypyFile] = {}

    def tick(self) -> None:
        """Check the module that mypy is in, if that has not happened yet."""
        errors = self._reporter.errors
        if (
            not NEEDED
            or errors is None
            or errors.target_module is None
            or len(errors._watchers) > OWN_WATCHERS
        ):
            return
        tree = self._reporter.modules.get(errors.target_module)
        if tree is None or self._done.get(tree.fullname) is tree:
            return
        self._done[tree.fullname] = tree
        file, module, options, scope = errors.file, errors.target_module, errors.options, errors.scope
        self._checked(tree)
        errors.set_file(file, module, options, scope)
