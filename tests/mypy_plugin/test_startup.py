"""Wrong options, and environments in which mypy cannot be right, are told in one line before all else."""

from __future__ import annotations

import os
import sys
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from mypy_plugin.running import FAILING, Project
from mypy_plugin.test_reporting import BAD, LINE


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ('disabel = ["shape"]', '[tool.typedtorch] has no option "disabel"; did you mean "disable"?'),
        ('disable = ["shpae"]', 'disable: no error code "shpae"; did you mean "shape"?'),
        ('disable = "shape"', 'disable is a list of strings, for example disable = ["broadcast"]'),
        ("exclude = 3", 'exclude is a list of strings, for example exclude = ["tests/legacy/*"]'),
    ],
)
def test_wrong_option_is_named_with_its_line_and_stops_the_run(
    project: Project, option: str, message: str
) -> None:
    project.write(bad=BAD)
    (project.folder / "pyproject.toml").write_text(f"[tool.other]\n[tool.typedtorch]\n{option}\n")
    outcome = project.mypy("bad.py")
    assert outcome.stderr == f"{project.folder}/pyproject.toml:3: error: {message}\n"
    assert outcome.code == 2


def test_options_leave_codes_and_files_out(project: Project) -> None:
    project.write(bad=BAD, legacy__bad=BAD)
    config = project.folder / "pyproject.toml"
    config.write_text('[tool.typedtorch]\nexclude = ["legacy"]\n')
    assert project.mypy("bad.py").messages != set()
    assert project.mypy("legacy/bad.py").messages == set()
    config.write_text('[tool.typedtorch.per-file-ignores]\nlegacy = ["shape"]\n')
    assert project.mypy("bad.py").messages != set()
    assert project.mypy("legacy/bad.py").messages == set()
    config.write_text('[tool.typedtorch]\ndisable = ["shape"]\n')
    assert project.mypy("bad.py").messages == set()


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter without torch."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def test_missing_torch_is_an_error_even_where_missing_imports_are_ignored(
    project: Project, bare_python: Path
) -> None:
    project = replace(project, environment={"MYPYPATH": ""})
    project.write(bad=BAD)
    outcome = project.mypy("--python-executable", str(bare_python), "--ignore-missing-imports", "bad.py")
    assert outcome.lines == ["bad.py:2 import-not-found", f"bad.py:{LINE} shape"]
    assert f"torch is not installed in the environment that mypy looks into ({bare_python})" in outcome.stdout
    assert "language: system" in outcome.stdout


def test_missing_torch_is_a_note_beside_mypys_own_error(project: Project, bare_python: Path) -> None:
    project = replace(project, environment={"MYPYPATH": ""})
    project.write(bad=BAD, other=BAD)
    outcome = project.mypy("--python-executable", str(bare_python), "bad.py", "other.py")
    assert outcome.stdout.count("torch is not installed") == 1
    assert "note: torch is not installed" in outcome.stdout


def test_torch_imported_for_another_platform_is_not_missed(project: Project, bare_python: Path) -> None:
    project = replace(project, environment={"MYPYPATH": ""})
    project.write(good="import sys\n\nif sys.platform == 'none':\n    import torch\n")
    assert project.mypy("--python-executable", str(bare_python), "good.py").messages == set()


def test_stubs_made_for_pyrefly_are_named(project: Project, bare_python: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = bare_python.parent.parent / "lib" / version / "site-packages"
    stubs = packages / "torch-stubs"
    installed = packages / "pyrefly_torch_stubs-1.4.0.dist-info"
    stubs.mkdir()
    installed.mkdir()
    try:
        project.write(bad=BAD)
        outcome = project.mypy("--python-executable", str(bare_python), "bad.py")
    finally:
        stubs.rmdir()
        installed.rmdir()
    assert outcome.code == 2
    assert f"{stubs} takes the place of torch's own types" in outcome.stderr
    assert "pip uninstall pyrefly-torch-stubs" in outcome.stderr


def test_failure_of_the_engine_is_one_note_and_no_crash(project: Project) -> None:
    new = BAD.replace("product", "multiplied")  # of nothing else is there an answer in the cache
    project.write(bad=new, other=new, failing=FAILING)
    outcome = project.mypy("bad.py", command=("failing",))
    assert outcome.code == 0
    assert "note: typedtorch could not check the shapes in bad.py (KeyError: 'x')" in outcome.stdout
    traced = project.mypy("--show-traceback", "other.py", command=("failing",))
    assert 'raise KeyError("x")' in traced.stderr
    assert "report it with the traceback above" in traced.stdout
