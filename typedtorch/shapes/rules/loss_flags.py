"""The two flags that losses took before ``reduction``, and still take."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from typedtorch.shapes.rules.forms import Function
from typedtorch.shapes.tensor import UNKNOWN


def reduction_of(size_average: Any, reduce: Any, reduction: Any) -> Any:
    """How a loss is reduced: the older flags win where one of them is given.

    >>> reduction_of(None, False, "mean"), reduction_of(False, None, "mean"), reduction_of(None, None, "none")
    ('none', 'sum', 'none')
    """
    if size_average is None and reduce is None:
        return reduction
    match tuple(True if flag is None else flag for flag in (reduce, size_average)):
        case (False, _):
            return "none"
        case (True, bool(average)):
            return "mean" if average else "sum"
    return UNKNOWN


def old_flags(function: Function) -> Function:
    """A loss whose rule looks at ``reduction`` alone."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def reduced(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        known = given.arguments
        if known.get("size_average") is not None or known.get("reduce") is not None:
            known["reduction"] = reduction_of(
                known.get("size_average"), known.get("reduce"), known.get("reduction", "mean")
            )
        return function(*given.args, **given.kwargs)

    return reduced
