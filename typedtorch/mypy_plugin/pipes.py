"""What processes of ours say to each other."""

from __future__ import annotations

import pickle
from typing import IO, Any


def send(what: object, pipe: IO[bytes]) -> None:
    """Write it to the other process, which hears of it at once."""
    pickle.dump(what, pipe)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next that the other process has sent.

    Raises:
        EOFError: it has closed the pipe, or ended in the middle of a word.
    """
    try:
        return pickle.load(pipe)
    except pickle.UnpicklingError as error:
        raise EOFError(str(error)) from error
