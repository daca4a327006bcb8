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
