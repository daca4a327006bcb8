"""The golden corpus through other checkers of tensor shapes, beside ours.

Each tool runs as its users run it, once over the buggy twins and once over the correct programs.  A pair is
*solved* when the tool says something in the function that holds the bug (some report returns at the ``def``)
and nothing in the clean twin; a *false alarm* is a correct program in which it says something.  What pyrefly
says of a program without its tensor stubs is not about shapes and is not counted.

``python benchmarks/static_peers.py`` makes the tools' environments under a temporary folder, kept between
runs (torch is taken from this environment), and writes ``benchmarks/results/static_peers.txt``.
"""

from __future__ import annotations

import argparse
import ast
import json
import platform
import re
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from static.corpus import CASES, SILENT, Case, load

RESULTS = Path(__file__).parent / "results" / "static_peers.txt"
SITE = Path(sysconfig.get_path("purelib"))
PYREFLY = ["pyrefly==1.4.1", "pyrefly-torch-stubs==1.4.0", "pyrefly-shape-extensions==1.4.0"]
TORCHTYC = ["torchtyc==0.5.0"]
Said = set[tuple[str, int]]  # (path relative to the folder that was checked, line)
Run = Callable[[Path], Said]


@dataclass(frozen=True)
class Tool:
    """A way to check a folder, and what it does to a program's text before."""

    name: str
    run: Run
    prepare: Callable[[str], str] = lambda text: text


@dataclass(frozen=True)
class Score:
    name: str
    solved: int
    caught: int
    alarms: int
    wall: float
    cpu: float


def environment(where: Path, name: str, packages: list[str]) -> Path:
    """A virtual environment with these packages and no others, made once."""
    folder = where / name
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", "--no-deps", *packages], check=True)
        (folder / "done").touch()
    return folder


def ours(folder: Path) -> Said:
    options = ["--no-cache", "--jobs", "1", "--json"]
    command = [sys.executable, "-m", "typedtorch", "check", *options, str(folder)]
    findings = json.loads(_output(command, folder))["findings"]
    return {(_relative(f["path"], folder), f["line"]) for f in findings}


def pyrefly(home: Path, *, stubs: bool) -> Run:
    own = next(home.glob("lib/*/site-packages"))

    def run(folder: Path) -> Said:
        paths = [own, SITE] if stubs else [SITE]
        # Every program is a project of its own: the twins would shadow one another.
        said: Said = set()
        config = f'python-version = "3.12"\nsite-package-path = {json.dumps([str(p) for p in paths])}\n'
        for project in sorted(folder.iterdir()):
            (project / "pyrefly.toml").write_text(config)
        command = [str(home / "bin" / "pyrefly"), "check", "--output-format", "json", "**/*.py"]
        for error in json.loads(_output(command, folder))["errors"]:
            if error["severity"] == "error":
                said.add((_relative(error["path"], folder), error["line"]))
        return said

    return run


def torchtyc(home: Path) -> Run:
    (next(home.glob("lib/*/site-packages")) / "torch.pth").write_text(f"{SITE}\n")

    def run(folder: Path) -> Said:
        python = str(home / "bin" / "python")
        command = [str(home / "bin" / "torchtyc"), "check", "--format", "json", "--python", python]
        projects = sorted(map(str, folder.iterdir()))
        said: Said = set()
        # A few dozen programs at a time: its worker does not survive hundreds.
        for chunk in (projects[i : i + 30] for i in range(0, len(projects), 30)):
            report = json.loads(_output([*command, "--timeout", "3000", *chunk], folder))
            found = (d for d in report["diagnostics"] if d["severity"] == "error")
            said |= {(_relative(d["path"], folder), d["line"]) for d in found}
        return said

    return run


def _output(command: list[str], folder: Path) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not run.stdout.strip():
        raise RuntimeError(f"{command[0]} failed: {run.stderr[-2000:]}")
    return run.stdout


def _relative(path: str, folder: Path) -> str:
    return str((folder / path).resolve().relative_to(folder.resolve()))


def declare(text: str) -> str:
    """The program with ``@static_jaxtyping("names")`` on every function, as pyrefly wants it, line for line.

    Each decorator stands on the line of the statement before it, so that lines keep their numbers.
    """
    lines = text.split("\n")
    out: list[str] = []
    for number, line in enumerate(lines):
        head = re.match(r"(\s*)(async def|def) ", line)
        names = _names(lines, number) if head else []
        out.append(f'{head[1]}@static_jaxtyping("{" ".join(names)}")\n{line}' if head and names else line)
    first = next((i for i, x in enumerate(out) if re.match(r"(import|from) (?!__future__)", x)), 0)
    out[first] = f"from shape_extensions import static_jaxtyping\n{out[first]}"
    return "\n".join(out)


def _names(lines: list[str], start: int) -> list[str]:
    """Axis names in the annotations of the signature that begins at ``start``."""
    signature = ""
    for line in lines[start:]:
        signature += line
        if line.rstrip().endswith((":", ": ...")):
            break
    names: list[str] = []
    for axes in re.findall(r"\[[^\[\]\"']*,\s*f?[\"']([^\"']*)[\"']", signature):
        for axis in axes.split():
            star = "*" if "*" in axis[:2] and axis.lstrip("#*").isidentifier() else ""
            found = [star + axis.lstrip("#*?")] if star else re.findall(r"[A-Za-z]\w*", axis.split("=")[-1])
            names += [n for n in found if not n.startswith("_") and n not in names]
    return names


def lay_out(folder: Path, cases: list[Case], *, buggy: bool, prepare: Callable[[str], str]) -> None:
    for number, case in enumerate(cases):
        for path in case.write(folder / f"case{number}", buggy=buggy):
            path.write_text(prepare(path.read_text()))


def original_line(text: str, line: int) -> int:
    """The line of the program that became ``line`` of the prepared text."""
    inserted = (i for i, x in enumerate(text.split("\n"), start=1) if "static_jaxtyping" in x)
    return line - sum(1 for i in inserted if i < line)


def score(tool: Tool, baseline: Tool | None, where: Path) -> Score:
    pairs, silent = load(CASES), load(SILENT)
    correct = pairs + silent
    folders = {}
    for name, cases, buggy in [("buggy", pairs, True), ("clean", correct, False)]:
        folders[name] = where / tool.name.replace(" ", "_") / name
        lay_out(folders[name], cases, buggy=buggy, prepare=tool.prepare)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = {name: tool.run(folder) for name, folder in folders.items()}
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if baseline:
        said = {name: s - baseline.run(folders[name]) for name, s in said.items()}
    alarmed = {int(path.split("/")[0][4:]) for path, _ in said["clean"]}
    caught = {
        i for i, case in enumerate(pairs) if _caught(case, folders["buggy"] / f"case{i}", said["buggy"], i)
    }
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Score(tool.name, len(caught - alarmed), len(caught), len(alarmed), wall, cpu)


def _caught(case: Case, folder: Path, said: Said, number: int) -> bool:
    hits = set()
    for path, line in said:
        if path.startswith(f"case{number}/"):
            inner = path.partition("/")[2]
            hits.add((inner, original_line((folder / inner).read_text(), line)))
    texts = case.twin(buggy=True)
    return all(
        any((path, near) in hits for near in _function(texts[path], line))
        for path, line, _ in case.expected()
    )


def _function(text: str, line: int) -> range:
    """Lines of the innermost function around a line, or the line alone."""
    spans = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return min((s for s in spans if line in s), key=len, default=range(line, line + 1))


def table(scores: list[Score]) -> str:
    pairs, correct = len(load(CASES)), len(load(CASES) + load(SILENT))
    rows = [
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}",
        f"{pairs} pairs, {correct} correct programs",
        "",
        f"{'tool':<36} {'solved':>7} {'caught':>7} {'false alarms':>13} {'wall s':>8} {'CPU s':>8}",
    ]
    rows += [
        f"{s.name:<36} {s.solved:>7} {s.caught:>7} {s.alarms:>13} {s.wall:>8.1f} {s.cpu:>8.1f}"
        for s in scores
    ]
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "typedtorch_peers")
    parser.add_argument("--only", default="", help="tools whose name holds this")
    options = parser.parse_args()
    refly = environment(options.environments, "pyrefly", PYREFLY)
    tyc = environment(options.environments, "torchtyc", TORCHTYC)
    plain = Tool("pyrefly without stubs", pyrefly(refly, stubs=False))
    tools = [
        (Tool("typedtorch", ours), None),
        (Tool("pyrefly 1.4.1", pyrefly(refly, stubs=True)), plain),
        (Tool("pyrefly 1.4.1 with declarations", pyrefly(refly, stubs=True), declare), plain),
        (Tool("torchtyc 0.5.0", torchtyc(tyc)), None),
    ]
    scores = []
    with tempfile.TemporaryDirectory() as name:
        for tool, baseline in tools:
            if options.only in tool.name:
                scores.append(score(tool, baseline, Path(name)))
                print(scores[-1], flush=True)
    text = table(scores)
    print(text)
    if not options.only:
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
