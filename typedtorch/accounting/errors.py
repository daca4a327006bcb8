"""What accounting refuses, each with what was wanted, what came, and what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType, TracebackType


class AccountingError(ValueError):
    """The target cannot be accounted for as it was given."""


class SizeError(AccountingError):
    """An axis without a size, with two sizes, or with a size that is not one."""


class TooLargeError(SizeError):
    """A tensor has more bytes than torch can count."""


class AnnotationError(AccountingError):
    """The signature does not say what the inputs are."""


class DataDependentError(AccountingError):
    """A shape depends on values, which accounting does not have."""


class UnfollowedError(AccountingError):
    """The program does something that tensors without memory do not go through."""


class UncountedError(AccountingError):
    """``strict=True`` and an operator has no FLOP formula."""


class SymbolError(AccountingError):
    """A formula could not be derived, although the numbers could."""


class CounterError(SymbolError):
    """An axis counts layers or the turns of a loop: no single trace holds it as a letter."""


class StreamError(SymbolError):
    """The program runs other operators at the labels than at the sizes."""


class UnreadableError(SymbolError):
    """A size is no short formula of the axes, or not the same one everywhere."""


_WORDY = (RuntimeError, TypeError, ValueError)  # of which the words say enough


def told(error: BaseException) -> str:
    """What an exception says, with its kind where the words alone do not tell.

    >>> told(AssertionError()), told(KeyError("x")), told(RuntimeError("sizes differ"))
    ('AssertionError', "KeyError: 'x'", 'sizes differ')
    >>> told(NotImplementedError("later"))
    'NotImplementedError: later'
    """
    kind, text = type(error).__name__, str(error)
    if not text:
        return kind
    wordy = isinstance(error, _WORDY) and not isinstance(error, NotImplementedError)
    return text if wordy else f"{kind}: {text}"


_PACKAGE = Path(__file__).parent.parent
_OURS = (
    str(_PACKAGE / "accounting"),
    str(_PACKAGE / "runtime"),
    str(_PACKAGE / "cli.py"),
    str(_PACKAGE / "__main__.py"),
    str(Path(sys.prefix)),
    str(Path(sys.base_prefix)),
)


def program_line(error: BaseException | None = None) -> str:
    """The line of the user's program that runs now, or that an error passed through last; as `` at f.py:3``.

    >>> program_line(ValueError("raised nowhere"))
    ''
    """
    frames = _raised(error.__traceback__) if error is not None else _running(sys._getframe(1))
    for file, line in frames:
        if not file.startswith(("<", *_OURS)):
            return f" at {Path(file).name}:{line}"
    return ""


def _running(frame: FrameType | None) -> list[tuple[str, int]]:
    found = []
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def _raised(trace: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found[::-1]
