"""The plugin inside mypy says what the engine says on its own, over the whole corpus in one run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from static.corpus import CASES, SILENT, Case, load
from typedtorch.shapes.infer import EXPLAIN, check_files

CONFIG = "[mypy]\nplugins = typedtorch.mypy_plugin\nignore_missing_imports = True\nmypy_path = {roots}\n"
# Only mypy looks for attributes of modules, with its own types; the engine alone leaves them.
CODES = EXPLAIN.keys() - {"attribute", "syntax", "unused-ignore"}


def lay_out(root: Path) -> tuple[list[Path], list[Path]]:
    """Write the corpus as modules of distinct names: the files, and the roots they are imported from."""
    files: list[Path] = []
    roots = [root]
    for number, case in enumerate(load(CASES) + load(SILENT)):
        for buggy in [True, False] if case.has_bug and len(case.files) == 1 else [case.has_bug]:
            folder = root / f"{'bug' if buggy else 'clean'}{number}"
            files += case.write(folder, buggy=buggy)
            if is_package(case):
                roots.append(folder)
            else:
                (folder / "__init__.py").write_text("")
    return files, roots


def is_package(case: Case) -> bool:
    return len(case.files) > 1


@pytest.mark.slow
def test_plugin_reports_what_the_engine_finds(tmp_path: Path) -> None:
    files, roots = lay_out(tmp_path / "corpus")
    config = tmp_path / "mypy.ini"
    config.write_text(CONFIG.format(roots=":".join(map(str, roots))))
    mypy = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(tmp_path / "c")]
    run = subprocess.run(
        [*mypy, "--output", "json", "--show-traceback", *map(str, files)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in {0, 1}, run.stdout[-2000:] + run.stderr[-2000:]
    said = set()
    for line in run.stdout.splitlines():
        error = json.loads(line)
        if error["code"] in CODES:
            said.add((str((tmp_path / error["file"]).resolve()), error["line"], error["code"]))
    alone = {
        (str(Path(f.path).resolve()), f.line, f.code)
        for f in check_files(files, search=roots)
        if f.code in CODES and f.severity == "error"
    }
    assert len(alone) > 200
    assert said - alone == set(), "only mypy says"
    assert alone - said == set(), "only the engine says"
