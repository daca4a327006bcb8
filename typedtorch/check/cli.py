"""The command ``typedtorch check``."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gc
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from typedtorch import __version__
from typedtorch.check import formats, render
from typedtorch.check.run import Checker, Result
from typedtorch.check.targets import Target, TargetError, targets, unsaved
from typedtorch.check.watch import Stamps, changes, stamps
from typedtorch.shapes import config
from typedtorch.shapes.findings import EXPLAIN
from typedtorch.shapes.garbage import uncollected
from typedtorch.shapes.syntax import DEPTH

_DESCRIPTION = """Check the shapes and dtypes of tensors in programs annotated with jaxtyping, without mypy
and without running them. The findings are those of the mypy plugin."""

_EPILOG = f"""Codes: {", ".join(EXPLAIN)}.
"# type: ignore[shape]" or "# typedtorch: ignore[shape]" switches findings on its line off;
[tool.typedtorch] in pyproject.toml has disable = ["CODE"], exclude = ["PATTERN"] and per-file-ignores.
Exit code: 0 no errors, 1 errors found, 2 wrong usage, 130 interrupted."""

_CACHE = ".typedtorch_cache"
_FORMATS = ("text", "json", "github", "sarif")


class UsageError(ValueError):
    """Something on the command line or in the configuration is wrong; the text says what."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit code is returned.

    >>> main(["--explain", "shape"])  # doctest: +ELLIPSIS
    A shape contradicts an annotation, or an operator would refuse it.
    ...
    0
    """
    options = _parser().parse_args(argv)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEPTH))
    try:
        with uncollected():
            return _run(options)
    except (UsageError, TargetError, config.ConfigError) as error:
        print(f"typedtorch check: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("typedtorch check: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="typedtorch check",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        metavar="PATH",
        help="file, notebook, folder or module name; - is standard input (default: here)",
    )
    add("--output-format", choices=_FORMATS, default="text", help="how findings are printed (default: text)")
    add("--json", action="store_const", dest="output_format", const="json", help="--output-format json")
    add("--coverage", action="store_true", help="print how many tensor expressions have a known shape")
    add("--explain", metavar="CODE", help="say what an error code means, with an example, and stop")
    add("--select", action="append", metavar="CODE,...", help="report these codes and no others")
    add("--ignore", action="append", metavar="CODE,...", help="do not report these codes")
    add(
        "--warn-unused-ignores",
        action="store_true",
        help='report each "# typedtorch: ignore" that switches nothing off',
    )
    add("--stdin-filename", metavar="PATH", help="the file that standard input is the text of")
    add(
        "-j",
        "--jobs",
        type=_jobs,
        default=0,
        metavar="N",
        help="processes at once (default: what is worth it)",
    )
    add("--cache-dir", metavar="DIR", help=f"where answers are kept (default: {_CACHE} in the project)")
    add("--no-cache", action="store_true", help="neither read nor keep answers")
    add("--watch", action="store_true", help="check again whenever a file changes, until interrupted")
    add("--pretty", action=argparse.BooleanOptionalAction, help="show source lines (default: on a terminal)")
    add(
        "--show-traceback", action="store_true", help="print the traceback of a failure of the checker itself"
    )
    add("--version", action="version", version=f"typedtorch {__version__}")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.explain:
        print(EXPLAIN[_known_code(options.explain)])
        return 0
    settings = config.load(Path.cwd(), EXPLAIN)
    silenced = _listed(options.ignore)
    if options.select:
        selected = _listed(options.select)
        if not selected:
            raise UsageError(f"--select: wanted error codes, got none; known: {', '.join(EXPLAIN)}")
        silenced |= set(EXPLAIN) - selected
    if not options.watch:
        checker = _checker(options, settings)
        return _once(options, checker, _asked(options, settings), silenced)
    if "-" in options.paths:
        raise UsageError("--watch: standard input does not change; name the file")
    return _watch(options, settings, silenced)


def _asked(options: argparse.Namespace, settings: config.Config) -> list[Target]:
    """What the command line names."""
    if "-" not in options.paths:
        if options.stdin_filename is not None:
            raise UsageError("--stdin-filename: wanted - as the only PATH")
        return targets(options.paths or ["."], settings)
    if len(options.paths) > 1:
        raise UsageError("-: standard input is checked alone")
    return unsaved(Path(options.stdin_filename or "<stdin>"), sys.stdin.buffer.read(), settings)


def _watch(options: argparse.Namespace, settings: config.Config, silenced: Iterable[str]) -> int:
    """Check again and again; a file that is gone for a moment, as while it is saved, ends nothing."""
    imported: set[Path] = set()

    def found() -> list[Target]:
        with contextlib.suppress(TargetError):
            return _asked(options, settings)
        return []

    def look() -> Stamps:
        return stamps({*imported, *(target.path for target in found())})

    _asked(options, settings)  # what is not there from the start is a mistake
    with contextlib.suppress(KeyboardInterrupt):
        for _ in changes(look, imported=imported):
            if sys.stdout.isatty():
                print("\x1b[2J\x1b[H", end="")
            checker = _checker(options, settings)
            _once(options, checker, found(), silenced)
            imported.update(checker.imported())
            sys.stdout.flush()
            del checker
            gc.collect()  # the program as it was
    return 0


def _checker(options: argparse.Namespace, settings: config.Config) -> Checker:
    cache = Path(options.cache_dir) if options.cache_dir is not None else settings.root / _CACHE
    return Checker(
        show_traceback=options.show_traceback,
        warn_unused_ignores=options.warn_unused_ignores,
        jobs=options.jobs,
        cache=None if options.no_cache else cache.absolute(),
    )


def _jobs(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"wanted a number of processes, 1 or more, got {text!r}")


def _once(
    options: argparse.Namespace, checker: Checker, files: Sequence[Target], silenced: Iterable[str]
) -> int:
    result = checker.run(files, silenced=silenced)
    match options.output_format:
        case "json":
            print(render.as_json(result))
        case "sarif":
            print(formats.sarif(result.findings, __version__))
        case "github":
            for line in formats.github(result.findings):
                print(line)
        case _:
            _print(options, result)
    return int(any(finding.severity == "error" for finding in result.findings))


def _print(options: argparse.Namespace, result: Result) -> None:
    style = render.Style.of(sys.stdout)
    if options.pretty is not None:
        style.source = options.pretty
    style.source &= "-" not in options.paths  # what is on disk is another text
    for line in render.text(result, style):
        print(line)
    if options.coverage:
        print()
        for line in render.coverage(result.coverage):
            print(line)


def _listed(values: Sequence[str] | None) -> frozenset[str]:
    """The codes of ``--ignore a,b --ignore c``."""
    return frozenset(
        _known_code(code.strip()) for value in values or () for code in value.split(",") if code.strip()
    )


def _known_code(code: str) -> str:
    """The code itself.

    Raises:
        UsageError: there is none of this name.
    """
    if code in EXPLAIN:
        return code
    close = difflib.get_close_matches(code, EXPLAIN, n=1)
    wanted = f'did you mean "{close[0]}"?' if close else f"known: {', '.join(EXPLAIN)}"
    raise UsageError(f'no error code "{code}"; {wanted}')
