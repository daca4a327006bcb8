"""The exceptions of training, and the words for a value of a wrong type."""

from __future__ import annotations

from collections.abc import Sequence

from typedtorch.data.errors import FileProblem


class ConfigError(ValueError):
    """A setting is unknown, impossible, or contradicts another."""


class CheckpointError(FileProblem):
    """A checkpoint cannot be written or used; nothing was changed by trying."""


class DamagedCheckpoint(CheckpointError):
    """The bytes are not those that were written."""


class CheckpointMismatch(CheckpointError):
    """An undamaged checkpoint of something else: another model, optimizer, data or configuration."""

    def __init__(self, path: object, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        listed = "".join(f"\n  {problem}" for problem in problems)
        super().__init__(str(path), "the state of this run", f"{len(problems)} difference(s):{listed}")


class RunFolderError(FileProblem):
    """The run folder cannot be used: not writable, or another process is using it."""


class NonFiniteError(ArithmeticError):
    """The loss or a gradient is NaN or infinite, or too many steps in a row had nothing that counts.

    The step was not applied.
    """

    def __init__(self, step: int, what: str) -> None:
        self.step, self.what = step, what
        super().__init__(f"step {step}: {what}; the step was not applied")


class CallbackError(RuntimeError):
    """A callback raised an exception, which is the cause; the message names the callback and the method."""


class OutOfMemory(RuntimeError):
    """The device's memory does not hold one micro-batch."""


class Interrupted(SystemExit):
    """A signal asked the run to stop; its checkpoint was saved. The exit code is 128 plus the signal."""

    def __init__(self, signal_number: int, step: int) -> None:
        self.signal_number, self.step = signal_number, step
        super().__init__(128 + signal_number)


def told(value: object) -> str:
    """A value's type in words.

    >>> told(3), told([]), told(int), told(None)
    ('an int', 'a list', 'the class int', 'None')
    """
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"
