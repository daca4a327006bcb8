"""The ``typedtorch`` command: ``train``, ``account``, ``check``.

Each command's code is imported when it is named: ``typedtorch check`` starts without torch.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from typedtorch import __version__

_USAGE = """\
usage: typedtorch COMMAND ...

  train    train a Transformer language model (by default on Python's own sources)
  account  memory, FLOPs and time of a model, from its annotated shapes
  check    check shapes statically, without mypy

typedtorch COMMAND --help says more; typedtorch --version says which version this is.
"""
_UNKNOWN = re.compile(r"Unrecognized options: --([a-z][\w-]*)")
_UNPARSED = re.compile(r"Error parsing (\S+): no type matching (\S+) could be instantiated from \['(.*?)'\]")
_NO_NUMBER = re.compile(
    r"Error parsing (\S+): (?:(invalid literal for int\(\).*)|could not convert string to float): '(.*)'"
)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_COMMANDS = {"account": "typedtorch.accounting.cli", "check": "typedtorch.check.cli"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 (it failed), 2 (asked wrongly), or 128 plus a signal.

    It is 2 as well where the output cannot be written.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    typedtorch ...
    0
    """
    _open_streams()
    try:
        code = _main(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # whoever read what is printed has read enough
        _drop_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        _drop_output()
        return _complain(f"the output cannot be written: {error.strerror}")


def command() -> NoReturn:
    """Run a command as a process of its own, which then ends.

    After a check it ends at once: to free the model of a program object by object takes long.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    code = main()
    if "typedtorch.check.cli" in sys.modules:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Ctrl-C: an exception, but not where code is imported, which may catch it or give it another name."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            os._exit(128 + number)
        frame = frame.f_back
    raise KeyboardInterrupt


def _open_streams() -> None:
    """Standard output and error that are there, and take every character, if need be as a question mark."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started us: the next file opened would take its number
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for good
        elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Leave nothing for the interpreter to write, and to complain about, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _main(args: list[str]) -> int:
    command = args.pop(0) if args else "--help"
    if command in ("-h", "--help"):
        print(_USAGE, end="")
        return 0
    if command == "--version":
        print(f"typedtorch {__version__}")
        return 0
    if command not in ("train", *_COMMANDS):
        close = difflib.get_close_matches(command, ["train", *_COMMANDS], n=1)
        expected = f"did you mean {close[0]}?" if close else "expected train, account or check"
        return _complain(f"unknown command {command!r}: {expected}")
    try:
        os.getcwd()
    except FileNotFoundError:
        return _complain("the current folder is gone")
    if command == "train":
        return _train(args)
    run = importlib.import_module(_COMMANDS[command]).main
    return int(run(args))


def _complain(text: str, code: int = 2) -> int:
    """One line on standard error, and the exit code."""
    _say(f"typedtorch: error: {' '.join(text.split())}")
    return code


def _say(text: str) -> None:
    """On standard error, where there still is one."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _train(args: list[str]) -> int:
    try:
        import tyro  # noqa: PLC0415 - the library is usable without it
    except ImportError:
        return _complain("the command line needs tyro: pip install 'typedtorch[train]'")
    from typedtorch.training.config import GROUP_OF, TrainConfig  # noqa: PLC0415 - imports torch

    written = _completed(args)
    output = io.StringIO()
    try:
        with contextlib.redirect_stderr(output):
            config = tyro.cli(
                tyro.conf.OmitArgPrefixes[TrainConfig],
                args=written,
                prog="typedtorch train",
                description="Train a Transformer language model. Values in brackets are for a CPU / a GPU.",
            )
    except SystemExit as error:
        return _complain(_suggesting(first_section(output.getvalue()))) if error.code else 0
    named = {arg.split("=")[0].removeprefix("--").removeprefix("no-").replace("-", "_") for arg in written}
    flat = config.flat()
    return _leave(_run(config, {name: flat[name] for name in named & set(GROUP_OF)}))


def _leave(code: int) -> int:
    """Return, or as one of many processes leave at once.

    All is written and closed. Threads of the libraries that connect processes may still be there, and on the
    way out of an interpreter abort it: a run that went well would be reported as one that did not.
    """
    from typedtorch.training.distributed import launched  # noqa: PLC0415 - imports torch

    if launched():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _run(config: object, explicit: dict[str, object]) -> int:
    """Train, with every expected failure as one line."""
    from typedtorch.data import FileProblem, PrefetchError  # noqa: PLC0415 - imports torch
    from typedtorch.training import errors, train  # noqa: PLC0415 - likewise

    try:
        train(config, **explicit)  # type: ignore[arg-type]  # a TrainConfig and its own fields
    except errors.CheckpointMismatch as error:  # a line for each difference
        _say(f"typedtorch: error: {error}")
        return 2
    except (errors.ConfigError, FileProblem) as error:
        return _complain(str(error))
    except (errors.NonFiniteError, errors.OutOfMemory, PrefetchError) as error:
        return _complain(str(error), 1)
    except errors.Interrupted as stop:
        _say(f"typedtorch: stopped by signal {stop.signal_number} after step {stop.step}")
        return 128 + stop.signal_number
    return 0


def _completed(args: list[str]) -> list[str]:
    """``--resume`` alone is auto, ``--compile`` is True, ``--no-compile`` False; dtypes get our names."""
    from typedtorch.training.precision import plain_name  # noqa: PLC0415 - imports torch

    result: list[str] = []
    for i, arg in enumerate(args):
        last = i + 1 == len(args) or args[i + 1].startswith("-")
        if arg == "--resume" and last:
            result += ["--resume", "auto"]
        elif arg == "--compile" and last:
            result += ["--compile", "True"]
        elif arg == "--no-compile":
            result += ["--compile", "False"]
        elif arg.startswith("--precision="):
            result += ["--precision", str(plain_name(arg.partition("=")[2]))]
        elif i and args[i - 1] == "--precision":
            result.append(str(plain_name(arg)))
        else:
            result.append(arg)
    return result


def _suggesting(text: str) -> str:
    """The line about an unknown option, with the one of ours that another tool calls so."""
    from typedtorch.training.names import from_elsewhere  # noqa: PLC0415 - imports torch

    unknown = _UNKNOWN.match(text)
    ours = from_elsewhere(unknown[1].replace("-", "_")) if unknown else None
    return f"{text.partition(' (perhaps')[0]} (perhaps --{ours.replace('_', '-')})" if ours else text


def first_section(box: str) -> str:
    """What a boxed error says, in one line: its first section, and the name it suggests if it suggests one.

    >>> first_section("╭─ No ─╮\\n│ no such │\\n│ flag    │\\n│ ─────── │\\n│ Perhaps you meant:\\n│ --lr")
    'no such flag (perhaps --lr)'
    >>> first_section(" No\\n ----\\n no such flag\\n ----\\n For help")
    'no such flag'
    """
    framed = box.startswith("╭")
    sections: list[list[str]] = [[]]
    for line in box.splitlines()[framed:]:  # a frame carries the title in its first line
        inner = line.strip("│╰╯ \t")
        if inner and not inner.strip("─-"):
            sections.append([])
        elif inner:
            sections[-1].append(inner)
    if not framed and len(sections) > 1:
        del sections[0]  # without a frame the title is a section of its own
    text = " ".join(sections[0]) or "the arguments could not be read"
    if unparsed := _UNPARSED.search(text):
        return f"{unparsed[1]}: expected {unparsed[2].replace('{None}|', '')}, got {unparsed[3]!r}"
    if number := _NO_NUMBER.search(text):
        return f"{number[1]}: expected {'INT' if number[2] else 'FLOAT'}, got {number[3]!r}"
    for section in sections[1:]:
        if section and section[0].startswith("Perhaps you meant"):
            names = [word for line in section for word in line.split() if word.startswith("--")]
            if names:
                return f"{text} (perhaps {names[0]})"
    return text
