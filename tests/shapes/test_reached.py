"""The modules on which the findings of another rest: those alone from which the engine took something."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.shapes.infer import Program, Reach

HEAD = "import torch\n"
BLOCK = HEAD + "class Block:\n    size = 4\n    def make(self):\n        return torch.ones(self.size)\n"
OTHERS = {
    "unused": "SIZE = 4\n",
    "sizes": "SIZE = 4\nOTHER = 5\n",
    "block": BLOCK,
    "package": "from block import Block\nfrom unused import SIZE\nfrom package.inner import helper\n",
    "package.inner": HEAD + "from sizes import SIZE\ndef helper():\n    return torch.ones(SIZE)\n",
    "starred": "from sizes import *\nfrom block import *\n",
    "derived": "from block import Block\nclass Derived(Block):\n    pass\n",
    "late": "def late():\n    from sizes import SIZE\n    return SIZE\n",
    "quoted": HEAD + 'from block import Block\ndef made(b: "Block"):\n    return b.make()\n',
    "zoo": "from zoo import filler, idle, table\n",
    "zoo.table": "TABLE = {}\ndef put(key):\n    def wrap(f):\n        TABLE[key] = f\n        return f\n"
    "    return wrap\ndef build(key):\n    return TABLE[key]()\n",
    "zoo.filler": HEAD + "from sizes import SIZE\nfrom zoo.table import put\n@put('ones')\ndef ones():\n"
    "    return torch.ones(SIZE)\n",
    "zoo.idle": "from zoo.table import TABLE\n",
    "failing": "try:\n    from fast import SIZE\nexcept ImportError:\n    from sizes import SIZE\n",
}


def _reached(tmp_path: Path, text: str) -> tuple[set[str], set[str]]:
    files = {name: tmp_path / f"{name}.py" for name in (*OTHERS, "user")}
    for name, source in {**OTHERS, "user": HEAD + text}.items():
        files[name].write_text(source)
    program = Program(files.get)
    program.check("user", files["user"])
    found = Reach(program).of("user")
    return set(found.modules), set(found.absent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = torch.ones(3)", set()),
        ("from sizes import SIZE\nx = torch.ones(SIZE)", {"sizes"}),
        ("from package import Block\nx = Block().make()", {"package", "block"}),
        ("from package import helper\nx = helper()", {"package", "package.inner", "sizes"}),
        ("import package.inner as inner\nx = inner.helper()", {"package.inner", "sizes"}),
        ("import package\nx = package.Block().make()", {"package", "block"}),
        ("from starred import SIZE\nx = torch.ones(SIZE)", {"starred", "sizes"}),
        ("from derived import Derived\nx = Derived().make()", {"derived", "block"}),
        ("from late import late\nx = torch.ones(late())", {"late", "sizes"}),
        ("def f():\n    from sizes import SIZE\n    return torch.ones(SIZE)", {"sizes"}),
        ("from quoted import made\ndef f(b):\n    return made(b)", {"quoted", "block"}),
        (
            "from zoo.table import build\nx = build('ones')",
            {"zoo", "zoo.table", "zoo.filler", "zoo.idle", "sizes"},
        ),
        ("import sizes\nx = torch.ones(getattr(sizes, 'SIZE'))", {"sizes"}),
    ],
)
def test_only_that_counts_from_which_something_was_taken(
    tmp_path: Path, text: str, expected: set[str]
) -> None:
    found, absent = _reached(tmp_path, text)
    assert found == expected
    assert not absent & OTHERS.keys()


def test_a_module_that_was_not_there_is_named(tmp_path: Path) -> None:
    found, absent = _reached(tmp_path, "from failing import SIZE\nx = torch.ones(SIZE)")
    assert found == {"failing"}
    assert "fast" in absent


def test_a_module_that_was_read_for_another_before_it_is_checked_itself_stays_known(tmp_path: Path) -> None:
    files = {"one": tmp_path / "one.py", "two": tmp_path / "two.py", "sizes": tmp_path / "sizes.py"}
    files["one"].write_text("import two\nfrom sizes import SIZE\ndef width():\n    return SIZE\nx = two.y\n")
    files["two"].write_text("import torch\nfrom one import width\ny = torch.ones(width())\n")
    files["sizes"].write_text("SIZE = 3\n")
    program = Program(files.get)
    reach = Reach(program)
    for name in ("two", "one", "two"):
        program.check(name, files[name])
        assert "sizes" in reach.of(name).modules


def test_the_fixtures_of_a_test_count_though_it_does_not_import_them(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.py" for name in ("test_it", "conftest", "sizes", "unused")}
    files["sizes"].write_text("SIZE = 4\n")
    files["unused"].write_text("OTHER = 4\n")
    files["conftest"].write_text(
        "import pytest, torch\nfrom sizes import SIZE\nfrom unused import OTHER\n"
        "@pytest.fixture\ndef size():\n    return SIZE\n"
        "@pytest.fixture\ndef x(size):\n    return torch.ones(size)\n"
        "@pytest.fixture\ndef other():\n    return torch.ones(OTHER)\n"
    )
    files["test_it"].write_text(HEAD + "def test_it(x):\n    assert x.shape == (5,)\n")
    program = Program(files.get)
    (finding,) = program.check("test_it", files["test_it"]).findings
    assert "x has shape (4,)" in finding.message
    assert Reach(program).of("test_it").modules == {"conftest", "sizes"}


def test_without_a_conftest_one_that_is_added_later_counts(tmp_path: Path) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(HEAD + "def test_it(x):\n    assert x.shape == (5,)\n")
    program = Program({"tests.test_it": path}.get)
    assert not program.check("tests.test_it", path).findings
    assert Reach(program).of("tests.test_it").absent >= {"tests.conftest", "conftest"}
