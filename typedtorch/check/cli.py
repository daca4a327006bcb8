"""The command ``typedtorch check``."""

from __future__ import annotations

import argparse
import difflib
import gc
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from typedtorch.check import render
from typedtorch.check.run import Checker, Result
from typedtorch.check.targets import Target, TargetError, targets
from typedtorch.check.watch import changes, stamps
from typedtorch.shapes import config
from typedtorch.shapes.findings import EXPLAIN

_DESCRIPTION = """Check the shapes and dtypes of tensors in programs annotated with jaxtyping, without mypy
and without running them. The findings are those of the mypy plugin."""

_EPILOG = """"# type: ignore[shape]" or "# typedtorch: ignore[shape]" switches findings on its line off.
Exit code: 0 no errors, 1 errors found, 2 wrong usage."""


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
    gc.set_threshold(200_000, 30, 30)  # little becomes garbage: looking for it costs a third of the time
    try:
        return _run(options)
    except (UsageError, TargetError, config.ConfigError) as error:
        print(f"typedtorch check: error: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="typedtorch check",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="file, folder or module name (default: here)")
    add("--json", action="store_true", help="print one JSON document")
    add("--coverage", action="store_true", help="print how many tensor expressions have a known shape")
    add("--explain", metavar="CODE", help="say what an error code means, with an example, and stop")
    add("--select", action="append", metavar="CODE,...", help="report these codes and no others")
    add("--ignore", action="append", metavar="CODE,...", help="do not report these codes")
    add("--watch", action="store_true", help="check again whenever a file changes, until interrupted")
    add("--pretty", action=argparse.BooleanOptionalAction, help="show source lines (default: on a terminal)")
    add(
        "--show-traceback", action="store_true", help="print the traceback of a failure of the checker itself"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.explain:
        print(EXPLAIN[_known_code(options.explain)])
        return 0
    settings = config.load(Path.cwd(), EXPLAIN)
    silenced = settings.disable | _listed(options.ignore)
    if options.select:
        silenced |= set(EXPLAIN) - _listed(options.select)
    names = options.paths or ["."]
    if not options.watch:
        return _once(options, targets(names, settings), silenced)
    try:
        for _ in changes(lambda: stamps(t.path for t in targets(names, settings))):
            if sys.stdout.isatty():
                print("\x1b[2J\x1b[H", end="")
            _once(options, targets(names, settings), silenced)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 0
    return 0


def _once(options: argparse.Namespace, files: Sequence[Target], silenced: Iterable[str]) -> int:
    result = Checker(show_traceback=options.show_traceback).run(files, silenced=silenced)
    if options.json:
        print(render.as_json(result))
    else:
        _print(options, result)
    return int(any(finding.severity == "error" for finding in result.findings))


def _print(options: argparse.Namespace, result: Result) -> None:
    style = render.Style.of(sys.stdout)
    if options.pretty is not None:
        style.source = options.pretty
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
