"""Where figures go: a protocol, and one line of JSON per record built in."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from typedtorch.data.files import atomic_file
from typedtorch.training.given import several

Record = Mapping[str, object]


class Logger(Protocol):
    """Receives each record of figures; an exception that it raises is reported and never stops training."""

    def log(self, record: Record, /) -> None: ...
    def close(self) -> None: ...


class JsonLines:
    """Append each record to a file as one line of JSON; nan and inf become null.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     logger = JsonLines(Path(folder, "metrics.jsonl"))
    ...     logger.log({"step": 1, "loss": 2.5}); logger.log({"step": 2, "loss": math.nan}); logger.close()
    ...     print(Path(folder, "metrics.jsonl").read_text(), end="")
    {"step": 1, "loss": 2.5}
    {"step": 2, "loss": null}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 - closed by close()

    def log(self, record: Record, /) -> None:
        """Write one line and hand it to the operating system."""
        finite = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in record.items()}
        self._file.write(json.dumps(finite) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_records(path: str | os.PathLike[str]) -> list[dict[str, object]]:
    """The records of a JSON-lines file; a last line that a crash cut short is left out."""
    records = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return records


def rewind(path: Path, step: int, *, evaluates: bool = False) -> None:
    """Drop the records after ``step``, which a resumed run writes again.

    ``evaluates`` says that it begins with an evaluation: then those of ``step`` are dropped, too.
    """
    if not path.exists():
        return

    def again(record: Record) -> bool:
        at = record.get("step")
        evaluation = any(name.startswith("val_") for name in record)
        return isinstance(at, int) and (at > step or (at == step and evaluates and evaluation))

    kept = [record for record in read_records(path) if not again(record)]
    with atomic_file(path) as file:
        file.writelines(json.dumps(record).encode() + b"\n" for record in kept)


class SafeLoggers:
    """Several loggers as one that never raises: a failure is reported once per logger, and counted."""

    def __init__(self, loggers: Iterable[Logger], warn: Callable[[str], None]) -> None:
        self.loggers: list[Any] = several("loggers", loggers, ("log",))
        self._warn = warn
        self.failures: dict[str, int] = {}

    def log(self, record: Record, /) -> None:
        """Hand ``record`` to each logger."""
        for logger in self.loggers:
            self._try(logger, lambda logger=logger: logger.log(record))  # type: ignore[misc]  # bound now

    def close(self) -> None:
        """Close each logger."""
        for logger in self.loggers:
            self._try(logger, lambda logger=logger: logger.close())  # type: ignore[misc]  # bound now

    def _try(self, logger: Logger, action: Callable[[], None]) -> None:
        name = type(logger).__name__
        try:
            action()
        except Exception as error:
            self.failures[name] = self.failures.get(name, 0) + 1
            if self.failures[name] == 1:
                self._warn(f"logger {name} failed, training goes on: {type(error).__name__}: {error}")
