"""What was found is kept for the next run, and in several processes the same is found as in one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from typedtorch.check import cli
from typedtorch.shapes import texts
from typedtorch.shapes.infer import Reach
from typedtorch.shapes.store import Store

HEAD = "import torch\nfrom torch import Tensor, nn\nfrom jaxtyping import Float\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that the engine checks."""
    names: list[str] = []
    answer = Reach.answer

    def noting(self: Reach, name: str, path: Path, text: str | None = None) -> object:
        names.append(name)
        return answer(self, name, path, text)

    monkeypatch.setattr(Reach, "answer", noting)
    return names


def _checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a check of this folder prints."""
    cli.main([*arguments, "--coverage", "--output-format", "text", "."])
    return capsys.readouterr().out


def _written(**modules: str) -> None:
    for name, text in modules.items():
        Path(f"{name}.py").write_text(text)


def test_only_what_rests_on_a_changed_file_is_looked_at_again(
    capsys: pytest.CaptureFixture[str], looked_at: list[str]
) -> None:
    _written(
        sizes=HEAD + "def width():\n    return 4\n",
        use=HEAD + "from sizes import width\nx = torch.ones(width()) + torch.ones(3)\n",
        other=HEAD + "y = torch.ones(2) + torch.ones(5)\n",
    )
    first = _checked(capsys)
    assert "use.py:5" in first
    assert "other.py:4" in first
    assert sorted(looked_at) == ["other", "sizes", "use"]
    looked_at.clear()
    assert _checked(capsys) == first
    assert looked_at == []
    _written(sizes=HEAD + "def width():\n    return 3\n")
    second = _checked(capsys)
    assert "use.py" not in second.partition("Found")[0]
    assert "other.py:4" in second
    assert sorted(looked_at) == ["sizes", "use"]


def test_after_any_edits_the_same_is_said_as_from_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(5)
    seen: set[str] = set()
    for _ in range(25):
        n, m, k = (chance.choice((3, 4)) for _ in range(3))
        own, given = ("head", "tail")[k == 4], ("head", "other")[n == 4]
        modules = {
            "sizes": f"WIDTH = {n}\n\n\ndef height():\n    return {m}\n",
            "base": f"{HEAD}import sizes\n\n\nclass Base(nn.Module):\n    def __init__(self):\n"
            f"        super().__init__()\n        self.{own} = nn.Linear(sizes.WIDTH, {m})\n",
            "net": f"{HEAD}from base import *\n\n\nclass Net(Base):\n"
            "    def __init__(self):\n        super().__init__()\n\n"
            "    def forward(self, x: Float[Tensor, 'b 3']):\n        return self.head(x)\n",
            "given": f"{HEAD}from net import Net\n\nnet = Net()\nnet.{given} = nn.Linear(3, {k})\n",
            "user": f"{HEAD}from net import Net\nimport sizes\n\n"
            f"y = Net()(torch.ones(2, 3)) + torch.ones(2, sizes.height())\nz = y + torch.ones({k})\n",
        }
        chosen = chance.sample(sorted(modules), chance.randint(1, 4)) if seen else modules
        _written(**{name: modules[name] for name in chosen})
        if chance.random() < 0.2:
            Path("given.py").unlink(missing_ok=True)
        found = _checked(capsys)
        assert found == _checked(capsys, "--no-cache")
        seen.add(found)
    assert len(seen) > 5


def test_a_module_that_appears_is_seen_by_those_who_missed_it(capsys: pytest.CaptureFixture[str]) -> None:
    _written(use=HEAD + "from sizes import WIDTH\nx = torch.ones(WIDTH) + torch.ones(3)\n")
    assert "No errors" in _checked(capsys)
    _written(sizes="WIDTH = 4\n")
    assert "use.py:5" in _checked(capsys)


def test_comments_and_options_are_read_anew(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = HEAD + "x = torch.ones(4) + torch.ones(3)"
    _written(use=wrong + "\n")
    assert "use.py:4" in _checked(capsys)
    assert "No errors" in _checked(capsys, "--ignore", "shape,broadcast")
    Path("pyproject.toml").write_text('[tool.typedtorch]\nexclude = ["use.py"]\n')
    assert "use.py:4" not in _checked(capsys)
    Path("pyproject.toml").unlink()
    _written(use=wrong + "  # typedtorch: ignore\n")
    assert "No errors" in _checked(capsys)
    assert "use.py:4" not in _checked(capsys, "--warn-unused-ignores")


def test_answers_of_another_engine_count_for_nothing(
    capsys: pytest.CaptureFixture[str], looked_at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(use=HEAD + "x = torch.ones(4) + torch.ones(3)\n")
    _checked(capsys)
    monkeypatch.setattr(texts, "engine", lambda: "another")
    assert "use.py:4" in _checked(capsys)
    assert looked_at == ["use", "use"]


def test_where_answers_are_kept(capsys: pytest.CaptureFixture[str], looked_at: list[str]) -> None:
    _written(use=HEAD + "x = torch.ones(4) + torch.ones(3)\n")
    _checked(capsys, "--no-cache")
    assert not Path(".typedtorch_cache").exists()
    _checked(capsys, "--cache-dir", "elsewhere/cache")
    assert not Path(".typedtorch_cache").exists()
    assert Path("elsewhere/cache/.gitignore").read_text() == "*\n"
    looked_at.clear()
    _checked(capsys, "--cache-dir", "elsewhere/cache")
    assert looked_at == []
    Path("file").write_text("")
    assert "use.py:4" in _checked(
        capsys, "--cache-dir", "file"
    )  # no folder can be made there: nothing is kept


def _many(count: int) -> None:
    _written(sizes=HEAD + "def width(n):\n    return n + 1\n")
    for i in range(count):
        _written(**{f"m{i}": HEAD + f"from sizes import width\nx = torch.ones(width({i})) + torch.ones(3)\n"})


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "typedtorch", "check", *arguments, "--coverage", "."]


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_several_processes_find_what_one_finds() -> None:
    _many(7)
    one = _output(_command("--no-cache", "--jobs", "1"))
    assert one.count("error:") == 5
    assert _output(_command("--no-cache", "--jobs", "3")) == one
    assert _output(_command("--jobs", "30")) == one
    (kept,) = Path(".typedtorch_cache").rglob("kept")
    store = Store(kept.parent)
    assert [i for i in range(9) if store.read(f"m{i}.json")] == list(range(7))
    assert _output(_command("--jobs", "3")) == one


def test_in_a_program_that_has_threads_the_processes_begin_with_nothing() -> None:
    _many(3)
    program = (
        "import sys, threading\nfrom typedtorch.check import cli\n"
        "if __name__ == '__main__':\n"
        "    threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "    sys.exit(cli.main(['--no-cache', '--jobs', '2', '--coverage', 'm0.py', 'm1.py', 'm2.py']))\n"
    )
    Path("program.py").write_text(program)
    assert "Found 1 error in 1 file" in _output([sys.executable, "program.py"])


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_behind(number: signal.Signals) -> None:
    _many(200)
    process = subprocess.Popen(_command("--no-cache", "--jobs", "3"), stderr=subprocess.PIPE, text=True)
    children: list[int] = []
    while len(children) < 3:
        assert process.poll() is None
        children = _children(process.pid)
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(60) == (130 if number == signal.SIGINT else -number)
    assert process.stderr is not None
    assert process.stderr.read() == ("typedtorch check: interrupted\n" if number == signal.SIGINT else "")
    end = time.monotonic() + 60
    while any(map(_runs, children)):
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_what_a_killed_process_did_not_find_is_found_here() -> None:
    _many(60)
    process = subprocess.Popen(_command("--no-cache", "--jobs", "3"), stdout=subprocess.PIPE, text=True)
    while not (children := _children(process.pid)):
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(children[0], signal.SIGKILL)
    output, _ = process.communicate(timeout=120)
    assert output.count("error:") == 58


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in tasks.read_text().split()] if tasks.exists() else []


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False
