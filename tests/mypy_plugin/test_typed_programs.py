"""What mypy infers with the plugin, on programs whose comments say what it prints: against torch's own types.

A line ends in ``# E: message`` or ``# N: note`` where mypy must print it; it must print nothing else.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mypy_plugin.running import Outcome, Project

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
_EXPECTED = re.compile(r"# ([EN]): (.*)$")


@pytest.fixture(scope="session")
def outcome(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run over all programs; torch itself stays cached from one session to the next."""
    assert pytestconfig.cache is not None
    cache = pytestconfig.cache.mkdir("mypy_torch")
    project = Project(tmp_path_factory.mktemp("typed"), cache, environment={"MYPYPATH": ""})
    for path in PROGRAMS:
        (project.folder / path.name).write_text(path.read_text())
    return project.mypy(*(path.name for path in PROGRAMS))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_mypy_says_what_the_comments_say_and_nothing_else(path: Path, outcome: Outcome) -> None:
    expected = {
        (number, f"{'error' if match[1] == 'E' else 'note'}: {match[2]}")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (match := _EXPECTED.search(line))
    }
    shapes = re.compile(r"note: .* has shape ")  # reveal_type says that as well, and has tests of its own
    printed = {(line, text) for name, line, text in outcome.messages if name == path.name}
    printed = {(line, text) for line, text in printed if not shapes.match(text)}
    assert printed == expected, outcome.stdout + outcome.stderr


def test_a_part_of_torch_that_is_read_from_the_cache_alone_is_torch(
    outcome: Outcome, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    assert outcome.stdout
    assert pytestconfig.cache is not None
    project = Project(tmp_path, pytestconfig.cache.mkdir("mypy_torch"), environment={"MYPYPATH": ""})
    line = "from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present"
    (tmp_path / "part.py").write_text(f"{line}\n\nprint(consume_prefix_in_state_dict_if_present)\n")
    assert project.mypy("part.py").lines == []


READS = """from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)


net = Net()
print(net.anything, net.layer.anything)
"""


@pytest.mark.parametrize(
    ("giving", "wrong"),
    [
        ("import net\n\ndef give(name: str) -> None:\n    setattr(net.Net(), name, 1)\n", False),
        ("def give(o: object, n: str) -> None:\n    setattr(o, n, 1)\n\ngive([], 'anything')\n", False),
        ("def give(o: object, n: str) -> None:\n    setattr(o, n, 1)\n\ngive([], 'another')\n", True),
        (
            "from torch import nn\n\ndef give(m: nn.Module, n: str):\n    m.register_buffer(n, None)\n",
            False,
        ),
        (
            "from torch import nn\n\ndef give(m: nn.Module) -> None:\n    m.register_module('anything', m)\n",
            False,
        ),
    ],
)
def test_names_that_another_file_computes_may_be_any(
    giving: str, wrong: bool, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    assert pytestconfig.cache is not None
    project = Project(tmp_path, pytestconfig.cache.mkdir("mypy_torch"), environment={"MYPYPATH": ""})
    project.write(net=READS, giving=giving)
    assert project.mypy("net.py").lines == (["net.py:11 attribute"] if wrong else [])


HEAD = """from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(3, 4)

    def forward(self, x: Tensor, temperature: float) -> dict[str, Tensor]:
        self.head(x).no_such_method()
        out: dict[str, Tensor] = self.head(x, temperature=temperature)
        return out
"""


@pytest.mark.parametrize("replaces", [True, False])
def test_a_part_that_another_file_replaces_takes_what_that_takes(
    replaces: bool, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    assert pytestconfig.cache is not None
    project = Project(tmp_path, pytestconfig.cache.mkdir("mypy_torch"), environment={"MYPYPATH": ""})
    swap = "def swap(model):\n    model.head = None\n" if replaces else "swap = None\n"
    project.write(net=HEAD, swap=swap)
    also = [] if replaces else ["net.py:11 call-arg"]
    assert project.mypy("net.py").lines == ["net.py:10 attr-defined", *also]


def test_no_hook_failed(outcome: Outcome) -> None:
    assert outcome.stderr == ""
