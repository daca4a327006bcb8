"""A finding is an error like any of mypy's: shown, silenced, cached, replayed, sent home by workers."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from mypy_plugin.running import PLUGIN, STUBS, Project
from typedtorch.mypy_plugin.reporter import LAST_WORD

HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
BAD = (
    HEAD + 'def product(x: Float[Tensor, "b d"], w: Float[Tensor, "k d"]) -> Float[Tensor, "b k"]:\n'
    "    return x @ w\n"
)
GOOD = BAD.replace("x @ w", "x @ w.transpose(0, 1)")
LIBRARY = HEAD + 'def norms(x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:\n    return x.sum(1)\n'
USER = (
    HEAD + "from library import norms\n\n\n"
    'def use(x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:\n    return norms(x)\n'
)
LINE = 6  # of the product
MISSPELT = """from torch import nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Module()

    def forward(self) -> object:
        return self.proejct
"""
BY_FILE = """[tool.typedtorch.per-file-ignores]
"by_file.py" = ["attribute"]
"""


def test_finding_is_printed_with_its_code_and_fails_the_run(project: Project) -> None:
    project.write(bad=BAD, good=GOOD)
    outcome = project.mypy("bad.py", "good.py")
    assert outcome.lines == [f"bad.py:{LINE} shape"]
    assert "x @ w: the last axis of x is d and the first axis of w is k  [shape]" in outcome.stdout
    assert outcome.code == 1


def test_finding_is_replayed_from_a_warm_cache(project: Project) -> None:
    project.write(bad=BAD)
    cold, warm = project.mypy("bad.py"), project.mypy("bad.py")
    assert cold.messages == warm.messages != set()


def test_type_ignore_silences_it_and_counts_as_used(project: Project) -> None:
    text = BAD.replace("x @ w", "x @ w  # type: ignore[shape]")
    project.write(silenced=text, wrong_code=text.replace("[shape]", "[dtype]"))
    outcome = project.mypy("silenced.py", "wrong_code.py")
    assert outcome.lines == [f"wrong_code.py:{LINE} unused-ignore", f"wrong_code.py:{LINE} shape"]


def test_unused_ignore_of_a_shape_is_reported(project: Project) -> None:
    project.write(good=GOOD.replace("(0, 1)", "(0, 1)  # type: ignore[shape]"))
    assert project.mypy("good.py").lines == [f"good.py:{LINE} unused-ignore"]


def test_own_comment_silences_it(project: Project) -> None:
    project.write(silenced=BAD.replace("x @ w", "x @ w  # typedtorch: ignore[shape]"))
    assert project.mypy("silenced.py").messages == set()


@pytest.mark.skipif(not LAST_WORD, reason="mypy 2.3 looks for unused comments before it asks")
@pytest.mark.parametrize(
    "product",
    [
        "(\n        x{}\n        @ w\n    )",
        "(x\n        @ w{}\n    )",
        "x.__matmul__(\n w,{}\n)",
        "x.__matmul__(\n w\n){}",
    ],
)
@pytest.mark.parametrize("comment", ["type: ignore[shape]", "typedtorch: ignore[shape]"])
def test_a_comment_on_any_line_of_an_expression_silences_it(
    project: Project, product: str, comment: str
) -> None:
    project.write(silenced=BAD.replace("x @ w", product.format(f"  # {comment}")))
    assert project.mypy("silenced.py").messages == set()


def test_own_comment_silences_an_attribute_too(project: Project) -> None:
    silenced = MISSPELT.replace("proejct", "proejct  # typedtorch: ignore[attribute]")
    project.write(bad=MISSPELT, silenced=silenced, by_file=MISSPELT)
    (project.folder / "pyproject.toml").write_text(BY_FILE)
    assert project.mypy("bad.py", "silenced.py", "by_file.py").lines == ["bad.py:10 attribute"]


def test_a_comment_for_mypys_own_code_of_the_same_fault_silences_it(project: Project) -> None:
    text = MISSPELT.replace("proejct", "proejct  # type: ignore[attr-defined]")
    project.write(silenced=text, other_fault=text.replace("attr-defined", "no-any-return"))
    found = [line for line in project.mypy("silenced.py", "other_fault.py").lines if "attribute" in line]
    assert found == ["other_fault.py:10 attribute"]


@pytest.mark.skipif(not LAST_WORD, reason="mypy 2.3 asks before it has found all that a comment may silence")
def test_own_comment_that_silences_nothing_is_reported_as_mypys_are(project: Project) -> None:
    used = BAD.replace("x @ w", "x @ w  # type: ignore[misc]  # typedtorch: ignore[shape, dtype]")
    project.write(good=GOOD.replace("(0, 1)", "(0, 1)  # typedtorch: ignore"), used=used)
    outcome = project.mypy("good.py", "used.py")
    assert outcome.lines == [f"good.py:{LINE} unused-ignore", *[f"used.py:{LINE} unused-ignore"] * 2]
    assert 'unused "typedtorch: ignore" comment' in outcome.stdout
    assert 'unused "typedtorch: ignore[dtype]" comment' in outcome.stdout
    assert project.mypy("good.py", "used.py").messages == outcome.messages


@pytest.mark.parametrize("comment", ["# mypy: ignore-errors", '# mypy: disable-error-code="shape"'])
def test_comment_for_the_whole_file_silences_it(project: Project, comment: str) -> None:
    project.write(silenced=f"{comment}\n{BAD}")
    assert project.mypy("silenced.py").messages == set()


@pytest.mark.parametrize("section", ["disable_error_code = shape", "ignore_errors = True"])
def test_configuration_of_one_module_silences_it_there_alone(project: Project, section: str) -> None:
    project = replace(project, config=f"{PLUGIN}[mypy-quiet]\n{section}\n")
    project.write(quiet=BAD, loud=BAD)
    assert project.mypy("quiet.py", "loud.py").lines == [f"loud.py:{LINE} shape"]


def test_error_code_is_known_to_the_command_line(project: Project) -> None:
    project.write(bad=BAD)
    assert project.mypy("--disable-error-code=shape", "bad.py").messages == set()


@pytest.mark.parametrize("follow", ["silent", "skip"])
def test_modules_that_mypy_does_not_report_on_are_not_reported_on(project: Project, follow: str) -> None:
    project.write(bad=BAD, user="import bad\n")
    assert project.mypy("user.py").lines == [f"bad.py:{LINE} shape"]
    assert project.mypy(f"--follow-imports={follow}", "user.py").messages == set()


def test_unreachable_code_is_not_reported_on(project: Project) -> None:
    inner = "".join(f"    {line}\n" if line else "\n" for line in BAD.splitlines())
    project.write(other="import sys\n\nif sys.platform == 'no such':\n" + inner)
    assert project.mypy("other.py").messages == set()


def test_workers_report_what_one_process_does(project: Project, tmp_path: Path) -> None:
    project = replace(project, cache=tmp_path / "cache")
    project.write(bad=BAD, library=LIBRARY, user=USER, other=BAD.replace("x @ w", "x @ w  # type: ignore"))
    files = ("bad.py", "library.py", "user.py", "other.py")
    alone = project.mypy("--cache-dir", str(tmp_path / "alone"), *files)
    assert project.mypy("-n", "2", *files).messages == alone.messages != set()


def test_workers_find_what_rests_on_modules_that_nobody_imports(project: Project, tmp_path: Path) -> None:
    project = replace(project, cache=tmp_path / "cache")
    head = "from __future__ import annotations\n\nimport torch\n"
    project.write(
        layers=head + "def row(n: int) -> torch.Tensor:\n    return torch.zeros(n)\n",
        makers=head + "from layers import row\n\n\ndef made() -> torch.Tensor:\n    return row(3)\n",
        conftest="import pytest\nfrom makers import made\n\n\n@pytest.fixture\ndef x():\n    return made()\n",
        test_row="import torch\n\n\ndef test_sum(x):\n    x + torch.zeros(4)\n",
        shared=head + "def add(x: torch.Tensor) -> torch.Tensor:\n    return x + torch.zeros(4)\n",
        user="import layers\nimport shared\n\nshared.add(layers.row(3))\n",
    )
    files = ("test_row.py", "layers.py", "makers.py", "conftest.py", "user.py")
    alone = project.mypy("--cache-dir", str(tmp_path / "alone"), *files)
    assert {"test_row.py:5 shape", "user.py:4 shape"} < set(alone.lines)
    for _ in range(2):  # the second time from the cache
        assert project.mypy("-n", "2", *files).messages == alone.messages
    assert project.mypy(*files).messages == alone.messages


def test_of_installed_packages_what_names_tensors_is_followed(project: Project, tmp_path: Path) -> None:
    """And not the logger that takes a while to go through, and says nothing of shapes."""
    packages = tmp_path / "site-packages"
    head = "from typing import Any\n\n{}\n\ndef flat(x: Any) -> Any:\n    return x.reshape(-1)\n"
    for name, names_tensors in (("logs", ""), ("nets", "import torch")):
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").write_text("")
        (packages / name / "py.typed").write_text("")
        (packages / name / "parts.py").write_text(head.format(names_tensors))
    project = replace(project, environment={"MYPYPATH": os.pathsep.join([str(packages), str(STUBS)])})
    project.write(
        flatten="import torch\nfrom logs import parts as logs\nfrom nets import parts as nets\n\n"
        "logs.flat(torch.zeros(2, 3)) + torch.zeros(5)\nnets.flat(torch.zeros(2, 3)) + torch.zeros(5)\n"
    )
    assert project.mypy("flatten.py").lines == ["flatten.py:6 shape"]


_KNOWS_NOTHING = "from typedtorch.mypy_plugin import workers\n\nworkers.known_files = dict\n"


def test_what_a_worker_finds_that_does_not_know_all_modules_is_not_kept(
    project: Project, tmp_path: Path
) -> None:
    """Should another mypy hold its states in another way."""
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    project = replace(project, cache=tmp_path / "cache", environment={"PYTHONPATH": path})
    fixture = "import pytest\nimport torch\n\n\n@pytest.fixture\ndef x():\n    return torch.zeros(3)\n"
    project.write(test_row="import torch\n\n\ndef test_sum(x):\n    x + torch.zeros(4)\n", conftest=fixture)
    project.write(sitecustomize=_KNOWS_NOTHING)
    lacking = project.mypy("-n", "2", "test_row.py").lines
    (tmp_path / "sitecustomize.py").unlink()
    assert "test_row.py:5 shape" not in lacking
    assert project.mypy("test_row.py").lines == sorted([*lacking, "test_row.py:5 shape"])


@pytest.mark.parametrize("parser", ["--native-parser", "--no-native-parser"])
def test_both_parsers_give_the_same_findings(project: Project, parser: str) -> None:
    project.write(bad=BAD)
    assert project.mypy(parser, "bad.py").lines == [f"bad.py:{LINE} shape"]


def test_machine_readable_output_has_place_and_code(project: Project) -> None:
    project.write(bad=BAD)
    found = json.loads(project.mypy("--output=json", "bad.py").stdout)
    assert (found["line"], found["column"], found["end_column"], found["code"]) == (LINE, 11, 16, "shape")


def test_text_that_an_editor_has_not_saved_is_what_is_checked(project: Project) -> None:
    project.write(good=GOOD)
    (project.folder / "unsaved").write_text(BAD)
    assert project.mypy("--shadow-file", "good.py", "unsaved", "good.py").lines == [f"good.py:{LINE} shape"]


def test_editing_only_a_shape_in_an_imported_module_rechecks_the_importer(project: Project) -> None:
    project.write(library=LIBRARY, user=USER)
    assert project.mypy("user.py").messages == set()
    project.write(library=LIBRARY.replace('"b"', '"d"').replace("x.sum(1)", "x.sum(0)"))
    assert project.mypy("user.py").lines == ["user.py:9 shape"]
    project.write(library=LIBRARY)
    assert project.mypy("user.py").messages == set()


def test_editing_a_shape_behind_a_second_module_rechecks_too(project: Project) -> None:
    alias = HEAD + 'Image = Float[Tensor, "b d"]\n'
    middle = HEAD + "from alias import Image\n\n\ndef same(x: Image) -> Image:\n    return x\n"
    user = (
        HEAD + 'from middle import same\n\n\ndef use(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:\n'
        "    return same(x)\n"
    )
    project.write(alias=alias, middle=middle, user=user)
    assert project.mypy("user.py").messages == set()
    project.write(alias=alias.replace("b d", "b d 2"))
    assert "user.py:9 shape" in project.mypy("user.py").lines


def test_editing_a_file_that_gives_an_attribute_rechecks_those_that_read_it(project: Project) -> None:
    given = "def give(block: object) -> None:\n    block.proejct = 1  # type: ignore\n"
    project.write(library=MISSPELT, other=given)
    for _ in range(2):
        project.write(other=given)
        assert project.mypy("library.py", "other.py").messages == set()
        project.write(other="x = 1\n")
        assert project.mypy("library.py", "other.py").lines == ["library.py:10 attribute"]


_LOADED = "import sys\n{}\nprint([m for m in {} if m in sys.modules])"


def _loaded(project: Project, statement: str, *modules: str) -> str:
    (project.folder / "loaded.py").write_text(_LOADED.format(statement, modules))
    return project.mypy(command=("loaded",)).stdout


def test_plugin_imports_neither_torch_nor_the_engine(project: Project) -> None:
    wanted = ("torch", "numpy", "jaxtyping", "typedtorch.shapes.infer", "typedtorch.shapes.rules")
    assert _loaded(project, "import typedtorch.mypy_plugin", *wanted) == "[]\n"
    assert _loaded(project, "import typedtorch.shapes.rules", *wanted) == "['typedtorch.shapes.rules']\n"


def test_the_engine_imports_no_torch_either(project: Project) -> None:
    assert _loaded(project, "import typedtorch.shapes.infer", "torch", "numpy", "mypy") == "[]\n"
    assert _loaded(project, "import numpy", "torch", "numpy", "mypy") == "['numpy']\n"


def test_a_byte_order_mark_is_no_part_of_a_source(project: Project) -> None:
    (project.folder / "marked.py").write_bytes(b"\xef\xbb\xbf" + BAD.encode())
    assert project.mypy("marked.py").lines == [f"marked.py:{LINE} shape"]
