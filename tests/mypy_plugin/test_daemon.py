"""dmypy: findings follow edits, of the file itself and of what it imports, and survive edits elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from mypy_plugin.running import Outcome, Project
from mypy_plugin.test_reporting import BAD, GOOD, LIBRARY, MISSPELT, USER

FILES = ("bad.py", "library.py", "user.py", "other.py")
SILENCED = BAD.replace("x @ w", "x @ w  # type: ignore[shape]")


@dataclass
class Daemon:
    project: Project

    def check(self) -> list[str]:
        """Errors as ``file:line code``."""
        return self.check_only(*FILES)

    def check_only(self, *files: str) -> list[str]:
        return self.run("check", *files).lines

    def start(self) -> list[str]:
        return self.run("run", "--", "--config-file", "mypy.ini", *FILES).lines

    def run(self, *arguments: str) -> Outcome:
        """Everything that is printed."""
        outcome = self.project.mypy("--status-file", "status.json", *arguments, command=("mypy.dmypy",))
        assert outcome.code in (0, 1), outcome.stdout + outcome.stderr
        return outcome


@pytest.fixture
def daemon(project: Project) -> Iterator[Daemon]:
    project.write(bad=BAD, library=LIBRARY, user=USER, other="x: int = 1\n")
    yield Daemon(project)
    project.mypy("--status-file", "status.json", "stop", command=("mypy.dmypy",))


def test_findings_follow_the_edits_of_a_session(daemon: Daemon) -> None:
    write = daemon.project.write
    assert daemon.start() == ["bad.py:6 shape"]
    assert daemon.check() == ["bad.py:6 shape"]

    write(other="x: int = ''\n")
    assert daemon.check() == ["bad.py:6 shape", "other.py:1 assignment"]

    write(other="x: int = 2\n", library=LIBRARY.replace('"b"', '"d"').replace("x.sum(1)", "x.sum(0)"))
    assert daemon.check() == ["bad.py:6 shape", "user.py:9 shape"]

    write(library=LIBRARY, bad=GOOD)
    assert daemon.check() == []

    write(bad=SILENCED)
    assert daemon.check() == []

    write(bad=SILENCED.replace("[shape]", "[dtype]"))
    assert daemon.check() == ["bad.py:6 unused-ignore", "bad.py:6 shape"]

    write(other="x(\n")
    assert [line.endswith("syntax") for line in daemon.check()] == [True]  # mypy's minors differ in the line

    write(other="x: int = 1\n", bad=BAD)
    assert daemon.check() == ["bad.py:6 shape"]


def test_what_another_file_gives_to_a_module_decides_whether_it_has_it(daemon: Daemon) -> None:
    write = daemon.project.write
    given = "def give(block: object) -> None:\n    block.proejct = 1  # type: ignore\n"
    write(library=MISSPELT, user="", bad="")
    lacking = ["library.py:10 attribute"]
    assert daemon.start() == lacking
    for _ in range(2):
        write(other=given)
        assert daemon.check() == []
        write(other="x: int = 1\n")
        assert daemon.check() == lacking
        write(user="y: int = 1\n")
        assert daemon.check() == lacking
        write(user="")
        assert daemon.check() == lacking
    write(library=MISSPELT.replace("proejct", "project"))
    assert daemon.check() == []


def test_an_attribute_that_is_missing_for_an_edit_elsewhere_is_there_again_after_the_next(
    daemon: Daemon,
) -> None:
    write = daemon.project.write
    net = "from torch import nn\n\n\nclass Inner(nn.Module):\n    def __init__(self) -> None:\n"
    net += "        super().__init__()\n        self.width = 3\n\n\nclass Other(nn.Module):\n"
    net += "    def __init__(self) -> None:\n        super().__init__()\n\n\nclass Net(nn.Module):\n"
    net += "    def __init__(self) -> None:\n        super().__init__()\n        self.inner = Inner()\n"
    read = "from library import Net\n\nprint(Net().inner.width)\n\n\n"
    write(library=net, user=read + "def width(net: Net) -> int:\n    return net.inner.width\n", bad="")
    assert daemon.start() == []
    for _ in range(2):
        write(library=net.replace("self.inner = Inner()", "self.inner = Other()"))
        lacking = daemon.check()
        assert "user.py:3 attribute" in lacking
        assert "user.py:7 attribute" in lacking
        write(other="x: int = ''\n")
        assert daemon.check() == sorted([*lacking, "other.py:1 assignment"])
        write(other="x: int = 1\n", library=net)
        assert daemon.check() == []
        write(library=net + "\n")
        assert daemon.check() == []


def test_a_class_that_is_read_again_for_a_change_elsewhere_keeps_its_forward(daemon: Daemon) -> None:
    write = daemon.project.write
    net = "from torch import nn\nfrom library import WIDTH\n\n\nclass Net(nn.Module):\n    width = WIDTH\n\n"
    body = "    def forward(self, x: int) -> int:\n        return '' if x else x\n"
    write(library="WIDTH = 3\n", bad=net + body, user="from bad import Net\n\nNet().forward('')\n")
    wrong = ["bad.py:9 return-value", "user.py:3 arg-type"]
    assert daemon.start() == wrong
    for value in ("'wide'", "3", "None"):
        write(library=f"WIDTH = {value}\n")
        assert daemon.check() == wrong


def test_calls_in_another_file_follow_what_forward_takes(daemon: Daemon) -> None:
    write = daemon.project.write
    net = "from torch import nn\n\nclass Net(nn.Module):\n    def forward(self, {}: int) -> {}:\n        {}\n"
    user = "from bad import Net\n\n\ndef use() -> str:\n    return Net()(y=3)\n"
    write(bad=net.format("y", "str", "return str(y)"), user=user)
    assert daemon.start() == []
    write(bad=net.format("x", "str", "return str(x)"))
    assert daemon.check() == ["user.py:5 call-arg"]
    write(bad=net.format("y", "int", "return y"))
    assert daemon.check() == ["user.py:5 return-value"]
    write(bad=net.format("y", "str", "return str(y)"))
    assert daemon.check() == []


def test_running_again_finds_the_daemon_as_it_was(daemon: Daemon) -> None:
    """Editors use ``dmypy run``: a restart would read torch anew each time."""
    command = ("--status-file", "status.json", "run", "--", "--config-file", "mypy.ini", *FILES)
    first = daemon.project.mypy(*command, command=("mypy.dmypy",))
    again = daemon.project.mypy(*command, command=("mypy.dmypy",))
    assert "Daemon started" in first.stdout
    assert "Daemon" not in again.stdout + again.stderr
    assert again.lines == first.lines == ["bad.py:6 shape"]


def test_findings_stay_where_another_file_goes(daemon: Daemon) -> None:
    write, folder = daemon.project.write, daemon.project.folder
    wrong = LIBRARY.replace('"b"', '"d"').replace("x.sum(1)", "x.sum(0)")
    write(library=wrong, bad=BAD + "y: int = ''\n")
    more = ["user.py:9 no-any-return"]  # mypy's own
    alone = ["bad.py:6 shape", "bad.py:7 assignment"]
    assert daemon.start() == sorted([*alone, "user.py:9 shape"])

    assert daemon.check_only("bad.py", "library.py", "user.py") == sorted([*alone, "user.py:9 shape"])
    assert daemon.check_only("bad.py") == alone  # the others are there, and no part of the build any more
    write(bad=BAD)
    assert daemon.check_only("bad.py") == ["bad.py:6 shape"]

    assert daemon.check() == ["bad.py:6 shape", "user.py:9 shape"]
    (folder / "other.py").unlink()
    assert daemon.check_only("bad.py", "library.py", "user.py") == ["bad.py:6 shape", "user.py:9 shape"]
    assert daemon.check_only("bad.py", "library.py", "user.py") == ["bad.py:6 shape", "user.py:9 shape"]
    (folder / "library.py").unlink()  # what the finding in user.py rests on
    assert daemon.check_only("bad.py", "user.py") == ["bad.py:6 shape", "user.py:5 import-not-found", *more]


def test_a_shape_that_is_asked_for_is_told_once_in_each_answer(daemon: Daemon) -> None:
    write = daemon.project.write
    write(
        bad=GOOD.replace("    return", "    reveal_type(x)\n    return"),
        user="import bad\n",
        library="import bad\n",
    )
    command = ("run", "--", "--config-file", "mypy.ini", *FILES)
    shape = "x has shape (b, d), float"
    for value in ("1", "2", "''"):
        write(other=f"x: int = {value}\n", library=f"import bad\n\ny = {value}\n")
        assert daemon.run(*command).stdout.count(shape) == 1
    write(bad=GOOD)
    assert shape not in daemon.run(*command).stdout
