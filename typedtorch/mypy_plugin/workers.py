"""Which modules there are, in a process that works for mypy: ``mypy -n 2``.

Such a worker is told of each module of the build before it checks any, and loads those alone that its share
imports.  The engine looks further: a registry, a ``conftest.py`` and what else nobody imports.  mypy shows
plugins the table of what is loaded and nothing else; but when it hands over that table, still empty, it has
just made a state of each module, and these are found among all objects that there are.
"""

from __future__ import annotations

import gc

from mypy.build import State
from mypy.options import Options


def works_for_another(options: Options) -> bool:
    """Whether mypy checks in several processes, of which this may be one."""
    return getattr(options, "num_workers", 0) > 0


def known_files() -> dict[str, str]:
    """The file of each module that mypy has a state of."""
    states = [found for found in gc.get_objects() if type(found) is State]
    return {state.id: state.path for state in states if state.path is not None}
