"""mypy without our plugin, pyright, pyrefly and ty read the same types from the examples."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXAMPLES = sorted((HERE / "examples").glob("*.py"))
BIN = Path(sys.executable).parent


@dataclass
class Seen:
    """What a checker says of one file, by line: the types it reveals, and where it finds errors."""

    types: dict[int, str] = field(default_factory=dict)
    errors: set[int] = field(default_factory=set)


def wanted(path: Path) -> Seen:
    """What the comments of an example say."""
    seen = Seen()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code, _, comment = line.partition("  # ")
        if code.strip().startswith("reveal_type("):
            seen.types[number] = comment
        elif comment == "E":
            seen.errors.add(number)
    return seen


def plain(text: str) -> str:
    """A type without the modules its names come from."""
    return re.sub(r"\b\w+\.(?=\w)", "", text.strip().strip('"`')).replace("builtins.", "")


def mypy(path: Path, folder: Path, python: str = sys.executable) -> Seen:
    config = folder / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\n")
    cache = ROOT / ".mypy_cache" / ("examples" if python == sys.executable else "examples_elsewhere")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(config), "--no-error-summary", "--no-pretty",
         "--python-executable", python, "--cache-dir", str(cache), str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    pattern = rf"(?:.*/)?{re.escape(path.name)}:(\d+): (?P<kind>error|note): (?P<text>.*)"
    return by_line(run.stdout, pattern, "Revealed type is ")


def pyright(path: Path, folder: Path, python: str = sys.executable) -> Seen:
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "include": [str(path)]})
    )
    run = subprocess.run(
        [str(BIN / "basedpyright"), "-p", str(folder), "--outputjson", "--pythonpath", python],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seen = Seen()
    for found in json.loads(run.stdout)["generalDiagnostics"]:
        line = found["range"]["start"]["line"] + 1
        revealed = re.match(r'Type of ".*" is "(.*)"$', found["message"], re.DOTALL)
        if revealed:
            seen.types[line] = plain(revealed[1])
        elif found["severity"] == "error" and found.get("rule") not in STYLE:
            seen.errors.add(line)
    return seen


# what strict pyright says of torch's own unannotated parts and of expressions written to be looked at
STYLE = {
    "reportUnusedExpression",
    "reportUnknownMemberType",
    "reportUnknownVariableType",
    "reportUnusedVariable",
}


def ty(path: Path, folder: Path, python: str = sys.executable) -> Seen:
    run = subprocess.run(
        [str(BIN / "ty"), "check", "--output-format", "concise", "--python", python, str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return by_line(run.stdout, r".*?:(\d+):\d+: (?P<kind>\w+)\[[\w-]+\] (?P<text>.*)", "Revealed type: ")


def pyrefly(path: Path, folder: Path, python: str = sys.executable) -> Seen:
    (folder / "pyrefly.toml").write_text('preset = "strict"\n[errors]\nmissing-override-decorator = false\n')
    run = subprocess.run(
        [str(BIN / "pyrefly"), "check", "--config", str(folder / "pyrefly.toml"),
         "--output-format", "min-text", "--python-interpreter-path", python,
         "--search-path", str(ROOT), str(path)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return by_line(
        run.stdout, r"\s*(?P<kind>\w+) .*?:(\d+):[\d:-]+ (?P<text>.*) \[[\w-]+\]$", "revealed type: "
    )


def by_line(output: str, pattern: str, reveals: str) -> Seen:
    """What a checker says that prints one finding a line."""
    seen = Seen()
    for found in filter(None, (re.match(pattern, line) for line in output.splitlines())):
        number = next(int(group) for group in found.groups() if group.isdigit())
        if found["text"].startswith(reveals):
            seen.types[number] = plain(found["text"].removeprefix(reveals))
        elif found["kind"].lower() == "error":
            seen.errors.add(number)
    return seen


@pytest.mark.parametrize("checker", [mypy, pyright, pyrefly, ty], ids=lambda checker: str(checker.__name__))
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_checkers_see_what_the_comments_say(
    checker: Callable[[Path, Path], Seen], path: Path, tmp_path: Path
) -> None:
    expected, seen = wanted(path), checker(path, tmp_path)
    assert seen.types == expected.types
    assert seen.errors == expected.errors
    assert expected.types
