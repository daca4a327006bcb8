"""``typedtorch check``: what it takes, what it prints, and what its exit code says."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from typedtorch import __version__
from typedtorch.check.cli import main
from typedtorch.check.run import Checker
from typedtorch.check.targets import targets
from typedtorch.shapes import config

HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
BAD = (
    HEAD + 'def product(x: Float[Tensor, "b d"], w: Float[Tensor, "k d"]) -> Float[Tensor, "b k"]:\n'
    "    return x @ w\n"
)
GOOD = BAD.replace("x @ w", "x @ w.transpose(0, 1)")
MESSAGE = "x @ w: the last axis of x is d and the first axis of w is k  [shape]"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test stands in an empty project."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def write(**files: str) -> None:
    for name, text in files.items():
        path = Path(name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_finding_is_one_line_with_place_and_code(capsys: pytest.CaptureFixture[str]) -> None:
    write(bad=BAD)
    assert main(["bad.py"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"bad.py:6:12: error: {MESSAGE}"
    assert lines[1].startswith("bad.py:6:12: note: ")
    assert lines[-1] == "Found 1 error in 1 file (checked 1 source file)"


def test_clean_program_exits_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    write(good=GOOD)
    assert main([]) == 0
    assert capsys.readouterr().out == "No errors (checked 1 source file)\n"


@pytest.mark.parametrize("target", ["net", "net/", "net/layers.py", "net.layers", "."])
def test_file_folder_and_module_name_are_accepted(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(net____init__="", net__layers=BAD)
    Path("net/__init__.py").touch()
    assert main([target]) == 1
    assert capsys.readouterr().out.startswith(f"{os.path.join('net', 'layers.py')}:6:12: error: ")


def test_module_in_a_src_layout_is_found_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    write(src__net__layers=BAD, src__net__use="from net.layers import product\n")
    Path("src/net/__init__.py").touch()
    assert main(["net"]) == 1
    assert "src/net/layers.py:6:12: error" in capsys.readouterr().out.replace(os.sep, "/")


def test_unknown_target_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.py"]) == 2
    assert "nowhere.py: no such file or folder, and no module of this name" in capsys.readouterr().err


def test_folder_without_python_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert main(["empty"]) == 2
    assert "empty: no Python files in this folder" in capsys.readouterr().err


def test_links_to_nothing_are_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    write(good=GOOD)
    Path(".#good.py").symlink_to("somebody@host.1234")  # how Emacs marks a file that it edits
    assert main([]) == 0
    assert "checked 1 source file" in capsys.readouterr().out


def standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_is_checked_as_the_file_it_is_the_text_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(net__bad=GOOD, net__sizes=HEAD + 'def f(x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]: ...\n')
    standard_input(monkeypatch, BAD + "from sizes import f\nreveal_type(f)\n")
    assert main(["-", "--stdin-filename", "net/bad.py", "--pretty"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{os.path.join('net', 'bad.py')}:6:12: error: {MESSAGE}"
    assert not any("return" in line for line in lines)  # the file holds another text
    standard_input(monkeypatch, BAD)
    assert main(["-"]) == 1
    assert capsys.readouterr().out.startswith("<stdin>:6:12: error: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "a.py"], "-: standard input is checked alone"),
        (["--stdin-filename", "a.py"], "--stdin-filename: wanted - as the only PATH"),
        (["--watch", "-"], "--watch: standard input does not change; name the file"),
        (["--select", ""], "--select: wanted error codes, got none; known: shape, "),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"typedtorch {__version__}\n"


def test_folders_that_hold_no_source_of_the_project_are_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    write(good=GOOD, **{".hidden__bad": BAD, "env__lib__bad": BAD, "build__bad": BAD})
    Path("env/pyvenv.cfg").touch()
    assert main([]) == 0
    assert "checked 1 source file" in capsys.readouterr().out


def test_imports_are_followed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    library = HEAD + 'def norms(x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:\n    return x.sum(1)\n'
    user = HEAD + 'from {} import norms\n\n\ndef f(x: Float[Tensor, "b"]) -> Tensor:\n    return norms(x)\n'
    write(library=library, script=user.format("library"))
    write(pkg__library=library, pkg__inside=user.format(".library"), pkg__deep__low=user.format("..library"))
    Path("pkg/__init__.py").touch()
    Path("pkg/deep/__init__.py").touch()
    assert main(["--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    paths = [finding["path"].replace(os.sep, "/") for finding in found if finding["severity"] == "error"]
    assert paths == ["pkg/deep/low.py", "pkg/inside.py", "script.py"]


def test_scripts_of_two_folders_see_their_own_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    model = HEAD + 'def run(x: Float[Tensor, "{}"]) -> None: ...\n'
    train = HEAD + 'from model import run\n\n\ndef f(x: Float[Tensor, "a b"]) -> None:\n    run(x)\n'
    write(one__model=model.format("b d"), two__model=model.format("b"), one__train=train, two__train=train)
    assert main(["one", "two"]) == 1
    assert "two/train.py" in (out := capsys.readouterr().out.replace(os.sep, "/"))
    assert "one/train.py" not in out


def test_json_holds_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    write(bad=BAD)
    assert main(["--json", "bad.py"]) == 1
    document = json.loads(capsys.readouterr().out)
    (finding,) = document["findings"]
    assert finding["message"] + "  [shape]" == MESSAGE
    assert {key: finding[key] for key in ("path", "line", "column", "end_line", "end_column", "code")} == {
        "path": "bad.py",
        "line": 6,
        "column": 11,
        "end_line": 6,
        "end_column": 16,
        "code": "shape",
    }
    assert document["files"] == 1
    assert set(document["coverage"]["bad.py"]) == {"known", "total"}


def test_columns_count_characters(capsys: pytest.CaptureFixture[str]) -> None:
    write(bad=BAD.replace("return x @ w", "é = '日本'; return x @ w"))
    assert main(["--json", "bad.py"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    line = Path("bad.py").read_text().splitlines()[5]
    assert line[finding["column"] : finding["end_column"]] == "x @ w"


def test_github_shows_findings_at_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    write(**{"odd,name": BAD})
    assert main(["--output-format", "github"]) == 1
    (command,) = capsys.readouterr().out.splitlines()
    place = "title=typedtorch (shape),file=odd%2Cname.py,line=6,col=12,endLine=6,endColumn=17"
    assert command.startswith(f"::error {place}::odd,name.py:6:12: x @ w: the last axis of x is d")
    assert "%0Aw is (k, d): x @ w.T fits" in command


def test_sarif_has_a_rule_and_a_region_for_each_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(**{"a b": BAD})
    assert main(["--output-format", "sarif"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    (result,) = run["results"]
    assert result["level"] == "error"
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert result["message"]["text"].startswith(MESSAGE.removesuffix("  [shape]"))
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b.py"},
        "region": {"startLine": 6, "startColumn": 12, "endLine": 6, "endColumn": 17},
    }


def test_sarif_of_a_clean_program_has_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    write(good=GOOD)
    assert main(["--output-format", "sarif"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"] == []


def test_coverage_is_told_by_file_and_in_total(capsys: pytest.CaptureFixture[str]) -> None:
    write(good=GOOD, unknown="from torch import Tensor\n\n\ndef f(x: Tensor) -> Tensor:\n    return x\n")
    assert main(["--coverage"]) == 0
    table = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert [line.split()[0] for line in table] == ["good.py", "unknown.py", "total"]
    assert table[0].split()[1] == "100.0%"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--ignore", "shape"], 0),
        (["--ignore", "dtype,shape"], 0),
        (["--select", "dtype"], 0),
        (["--select", "shape"], 1),
        (["--select", "dtype", "--select", "shape"], 1),
    ],
)
def test_codes_are_selected_and_ignored(arguments: list[str], code: int) -> None:
    write(bad=BAD)
    assert main([*arguments, "bad.py"]) == code


@pytest.mark.parametrize("arguments", [["--ignore", "shpae"], ["--select", "shpae"], ["--explain", "shpae"]])
def test_wrong_code_is_named_with_the_nearest_right_one(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert 'no error code "shpae"; did you mean "shape"?' in capsys.readouterr().err


def test_every_code_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for code in ("shape", "broadcast", "dtype", "axes", "contiguity"):
        assert main(["--explain", code]) == 0
        assert len(capsys.readouterr().out) > 60


def test_options_of_the_project_hold(capsys: pytest.CaptureFixture[str]) -> None:
    write(bad=BAD, legacy__bad=BAD)
    Path("pyproject.toml").write_text('[tool.typedtorch]\nexclude = ["legacy"]\n')
    assert main([]) == 1
    assert "legacy" not in capsys.readouterr().out
    Path("pyproject.toml").write_text('[tool.typedtorch.per-file-ignores]\nlegacy = ["shape"]\n')
    assert main([]) == 1
    assert "legacy" not in capsys.readouterr().out
    Path("pyproject.toml").write_text('[tool.typedtorch]\ndisable = ["shape"]\n')
    assert main([]) == 0


def test_wrong_option_of_the_project_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text("[tool.typedtorch]\nselect = []\n")
    assert main([]) == 2
    assert 'has no option "select"; known: disable, exclude, per-file-ignores' in capsys.readouterr().err


@pytest.mark.parametrize(
    "comment",
    ["# type: ignore", "# type: ignore[shape]", "# typedtorch: ignore[shape]", "# typedtorch: ignore"],
)
def test_comment_switches_a_line_off(comment: str) -> None:
    write(bad=BAD.replace("x @ w", f"x @ w  {comment}"))
    assert main(["bad.py"]) == 0


@pytest.mark.parametrize("comment", ["# type: ignore[dtype]", "# noqa", '"# type: ignore"'])
def test_other_comments_do_not(comment: str) -> None:
    write(bad=BAD.replace("x @ w", f"x @ w  {comment}" if comment[0] == "#" else f"(x @ w, {comment})[0]"))
    assert main(["bad.py"]) == 1


def test_two_comments_of_one_line_both_hold() -> None:
    comment = "# type: ignore[arg-type]  # typedtorch: ignore[shape]"
    write(silenced=BAD.replace("x @ w", f"x @ w  {comment}"))
    assert main(["silenced.py"]) == 0


def test_comments_that_silence_nothing_are_told_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    text = BAD.replace("x @ w", "x @ w  # typedtorch: ignore[shape, dtype]")
    write(silenced=text + "z = 1  # typedtorch: ignore\nu = 1  # type: ignore\n")
    assert main(["silenced.py"]) == 0
    assert main(["--no-pretty", "--warn-unused-ignores", "silenced.py"]) == 1
    assert capsys.readouterr().out.splitlines()[1:-1] == [
        'silenced.py:6:19: error: unused "typedtorch: ignore[dtype]" comment  [unused-ignore]',
        'silenced.py:7:8: error: unused "typedtorch: ignore" comment  [unused-ignore]',
    ]


@pytest.mark.parametrize("comment", ["# type: ignore[shap]", "# typedtorch: ignore[shap]"])
def test_a_comment_about_another_code_is_pointed_out(
    comment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(bad=BAD.replace("x @ w", f"x @ w  {comment}"))
    assert main(["bad.py"]) == 1
    assert "the comment of this line ignores shap, not shape" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"import torch\nx = (\n", "syntax"),
        (b"def f(:\n", "syntax"),
        (
            b"x = 'caf\xe9'  # torch\n",
            "cannot be read as Python: not UTF-8, and no other encoding is declared",
        ),
        (b"# -*- coding: nonsense -*-\nimport torch\n", "cannot be read as Python: unknown encoding"),
        (b"import torch\nx = " + b"-" * 50_000 + b"1\n", "too deeply nested to be read"),
        (b"import torch\nx = '\0'\n", "syntax"),
    ],
)
def test_broken_file_is_a_finding(data: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.py").write_bytes(data)
    write(bad=BAD)
    assert main([]) == 1
    out = capsys.readouterr().out
    assert "[syntax]" in out
    assert "bad.py:6:12" in out
    assert message in out


def test_declared_encoding_is_read() -> None:
    text = "# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n" + BAD
    Path("bad.py").write_bytes(text.encode("latin-1"))
    assert main(["bad.py"]) == 1


def test_source_line_is_underlined(capsys: pytest.CaptureFixture[str]) -> None:
    write(bad=BAD.replace("    return x", "    é = 'é'; return x"))
    assert main(["--pretty", "bad.py"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["        é = 'é'; return x @ w", " " * 24 + "^^^^^"]


def test_colour_is_off_in_a_pipe_and_under_no_color(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(bad=BAD)
    main(["bad.py"])
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["bad.py"])
    assert "\x1b[1;31merror:" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["bad.py"])
    assert "\x1b" not in capsys.readouterr().out


def test_failure_of_the_engine_is_a_note_about_one_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from typedtorch.shapes.infer import Reach

    answer = Reach.answer

    def failing(self: Reach, module: str, *rest: object) -> object:
        if module == "good":
            raise KeyError("inside")
        return answer(self, module, *rest)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(Reach, "answer", failing)
    write(bad=BAD, good=GOOD)
    assert main(["--show-traceback"]) == 1
    captured = capsys.readouterr()
    assert "good.py:1:1: note: this file could not be checked (KeyError: 'inside')" in captured.out
    assert "bad.py:6:12: error" in captured.out
    assert "in failing" in captured.err


def test_a_file_that_is_nested_too_deeply_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    chain = "import torch\nx = torch.ones(3)\ny = x"
    write(deep=chain + ".relu()" * 5000 + "\n", long=chain + ".relu()" * 900 + " @ torch.ones(4)\n", bad=BAD)
    assert main([]) == 1
    out = capsys.readouterr().out
    assert "long.py:3:5: error" in out
    refused = "error: too deeply nested to be read"  # by Python's own parser, from 3.12 on
    unchecked = "note: not checked: its expressions or branches are nested too deeply"
    assert f"deep.py:1:1: {unchecked if sys.version_info < (3, 12) else refused}" in out
    assert "bad.py:6:12: error" in out


def test_what_mypy_says_of_our_own_names_is_found_without_it(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "mypy_plugin" / "programs" / "own_names.py").read_text()
    path = tmp_path / "own_names.py"
    path.write_text(text)
    expected = {
        (number, line.partition("# E: ")[2].removesuffix("  [shape]"))
        for number, line in enumerate(text.splitlines(), start=1)
        if "# E: " in line
    }
    result = Checker().run(targets([str(path)], config.load(tmp_path, {})))
    assert {(f.line, f.message) for f in result.findings} == expected
