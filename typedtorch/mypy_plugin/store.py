"""What is kept from one run of mypy to the next, beside its own cache.

When one module of an import cycle changes mypy checks all of them anew, and what is known of their shapes
still holds for nearly all.  Where it does not hold mypy's own result for the module is no longer good either,
whatever mypy thinks of it.
"""

from __future__ import annotations

import os
from pathlib import Path

from mypy.options import Options

from typedtorch.shapes.store import Store


def beside(options: Options) -> Store:
    """In mypy's own cache folder; one that holds nothing where mypy keeps nothing itself.

    Nor in the daemon, where files change while it runs.
    """
    keeps = options.incremental and not options.fine_grained_incremental and options.cache_dir != os.devnull
    return Store(Path(options.cache_dir) / "typedtorch" if keeps else None)
