"""A second process may do the engine's work: what mypy prints is the same, whatever becomes of it."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from mypy_plugin.running import Project
from typedtorch.mypy_plugin import worker
from typedtorch.mypy_plugin.ahead import WORTHWHILE, Ahead, worth_starting
from typedtorch.mypy_plugin.turns import Turns
from typedtorch.shapes.answers import Answer, stamp
from typedtorch.shapes.module_facts import SourceFacts
from typedtorch.shapes.syntax import Syntax

HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
LIBRARY = HEAD + 'def norms(x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:\n    return x.sum(1)\n'
USER = (
    HEAD + "from library import norms\n\n\n"
    'def use(x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:\n    return norms(x)\n'
)
BAD = LIBRARY.replace("sum(1)", "sum(0)")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    paths = {name: tmp_path / f"{name}.py" for name in ("library", "user", "bad", "plain")}
    for path, text in zip(paths.values(), (LIBRARY, USER, BAD, "x = 1\n"), strict=True):
        path.write_text(text)
    return {name: str(path) for name, path in paths.items()}


def _begun(
    files: dict[str, str],
    check: list[str],
    processes: int = 1,
    wanted: Callable[[str], bool] = lambda module: True,
) -> Ahead:
    ahead = Ahead()
    ahead.get_ready(processes)
    ahead.begin(files, _turns(check), wanted)
    return ahead


def _turns(check: list[str]) -> Turns:
    return Turns(dict.fromkeys(check, 100), shared=False)


def _settled(ahead: Ahead) -> Ahead:
    """When everything has been handed out, mypy's process takes nothing back."""
    assert ahead._news.acquire()
    assert ahead._news.wait_for(lambda: not ahead._turns, 60)
    ahead._news.release()
    return ahead


@pytest.mark.parametrize("processes", [1, 2])
def test_the_processes_answer_with_findings_and_with_what_they_rest_on(
    files: dict[str, str], processes: int
) -> None:
    ahead = _settled(_begun(files, ["user", "library", "bad"], processes))
    answers = {name: ahead.answer(name, Path(files[name])) for name in ("bad", "library", "user")}
    bad, library, user = answers["bad"], answers["library"], answers["user"]
    assert bad is not None
    assert library is not None
    assert user is not None
    assert [f.line for f in bad.findings] == [6]
    assert not library.findings
    assert not library.used
    assert not user.findings
    assert user.used == {"library"}


def test_there_is_no_answer_for_what_does_not_concern_tensors(files: dict[str, str]) -> None:
    assert _settled(_begun(files, ["plain"])).answer("plain", Path(files["plain"])) is None


def test_there_is_no_answer_for_what_nobody_asked(files: dict[str, str]) -> None:
    assert _begun(files, ["library"]).answer("bad", Path(files["bad"])) is None


def test_an_answer_on_an_older_text_is_none(files: dict[str, str]) -> None:
    ahead = _settled(_begun(files, ["bad", "library"]))
    assert ahead.answer("library", Path(files["library"])) is not None  # by now it has read the other
    Path(files["bad"]).write_text(BAD + "\n")
    assert ahead.answer("bad", Path(files["bad"])) is None


def test_what_nobody_has_begun_is_taken_back(files: dict[str, str]) -> None:
    ahead = _begun(files, ["bad", "library"], processes=0)
    assert ahead.answer("bad", Path(files["bad"])) is None
    assert [ahead._turns.take(name) for name in ("bad", "library")] == [False, True]


def test_where_there_is_little_to_do_what_nobody_has_begun_is_begun_next(files: dict[str, str]) -> None:
    ahead = _begun(files, ["bad", "library", "user"])
    answers = [ahead.answer(name, Path(files[name]), take_back=False) for name in ("bad", "library", "user")]
    assert None not in answers


def test_nobody_waits_for_processes_that_are_gone(files: dict[str, str]) -> None:
    ahead = _begun(files, [])
    (process,) = ahead._processes
    process.wait(60)  # there is nothing to do
    ahead.begin(files, _turns(["bad"]))
    assert ahead.answer("bad", Path(files["bad"]), take_back=False) is None


def test_what_shows_no_errors_is_not_handed_out(files: dict[str, str]) -> None:
    ahead = _settled(_begun(files, ["bad", "library"], wanted=lambda module: module == "library"))
    assert ahead.answer("bad", Path(files["bad"])) is None
    assert ahead.answer("library", Path(files["library"])) is not None


def test_a_process_that_dies_answers_nothing(files: dict[str, str]) -> None:
    ahead = _settled(_begun(files, ["bad"]))
    ahead._processes[0].kill()
    answer = ahead.answer("bad", Path(files["bad"]))
    assert answer is None or answer.findings  # it may have been quicker


def test_a_module_on_which_the_engine_fails_is_left_out(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from typedtorch.shapes.infer import Reach

    answer = Reach.answer

    def failing(self: Reach, name: str, path: Path, text: str | None = None) -> object:
        if name == "library":
            raise RecursionError
        return answer(self, name, path, text)

    monkeypatch.setattr(Reach, "answer", failing)
    answered = [name for name, answer in worker.results([files, "library", "bad"]) if answer is not None]
    assert answered == ["bad"]


def test_an_answer_is_on_the_text_that_was_read(files: dict[str, str]) -> None:
    ((module, answer),) = worker.results([files, "bad"])
    assert module == "bad"
    assert isinstance(answer, Answer)
    assert answer.stamp == stamp(Path(files["bad"]))


MODULE = """
class Net(nn.Module):
    def __init__(self, depth):
        self.register_buffer("scale", torch.ones(()))
        self.blocks = nn.ModuleList([Block() for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        y = self.head(cast(Tensor, x))
        y = [y]
        return self.tail(y)
"""


def _reads(folder: Path) -> tuple[Ahead, Path]:
    """When a process has read a source."""
    path = folder / "net.py"
    path.write_text(MODULE)
    ahead = Ahead()
    ahead.read(path)
    ahead.get_ready(1)
    with ahead._news:
        assert ahead._news.wait_for(lambda: path in ahead._facts, 60)
    return ahead, path


def test_facts_say_the_same_when_they_come_from_another_process(tmp_path: Path) -> None:
    ahead, path = _reads(tmp_path)
    written, here = ahead.facts(path), SourceFacts.read(MODULE)
    assert written is not None
    there = written.read()
    assert there is not None
    assert there.interface == here.interface
    for place in ("harmless_places", "kept_results", "rebound_names", "returned_calls", "cast_places"):
        assert getattr(here, place), place
        assert getattr(there, place) == getattr(here, place)
    assert there.outside == here.outside
    ours, theirs = here.classes["Net"], there.classes["Net"]
    assert ours.containers
    assert ours.registered
    for name in ours._KEPT:
        assert getattr(theirs, name) == getattr(ours, name), name


def test_facts_hold_no_tree_when_they_are_sent(tmp_path: Path) -> None:
    sent = pickle.dumps(SourceFacts.of(Syntax(ast.parse(MODULE))))
    assert b"_ast" not in sent


def test_facts_of_an_older_text_are_none(tmp_path: Path) -> None:
    ahead, path = _reads(tmp_path)
    path.write_text(MODULE + "\n")
    assert ahead.facts(path) is None


def test_a_source_that_cannot_be_read_costs_nothing(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:")
    results = dict(worker.results([tmp_path / "latin.py", tmp_path / "none.py", broken, files, "bad"]))
    assert results[tmp_path / "latin.py"] is None
    assert results[tmp_path / "none.py"] is None
    assert results[broken] is not None
    assert results["bad"] is not None


def test_little_is_not_worth_a_process() -> None:
    assert not worth_starting(WORTHWHILE - 1)


def test_without_other_processes_everything_is_done_here(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> None:
        raise BlockingIOError

    monkeypatch.setattr("typedtorch.mypy_plugin.ahead._start", refused)
    assert _begun(files, ["bad"]).answer("bad", Path(files["bad"])) is None


def test_processes_that_get_no_task_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typedtorch.mypy_plugin.ahead._PATIENCE", 0.1)  # as when mypy stops at a syntax error
    ahead = Ahead()
    ahead.get_ready(1)
    ahead.get_ready(1)
    (process,) = ahead._processes
    assert process.wait(60) == 0


def _padded(text: str) -> str:
    return f"{text}\n\n# {'x' * WORTHWHILE}\n"


def test_mypy_prints_the_same_with_it_and_rechecks_what_rests_on_an_edited_shape(project: Project) -> None:
    project.write(library=_padded(LIBRARY), user=_padded(USER), bad=_padded(BAD))
    assert project.mypy("library.py", "user.py", "bad.py").lines == ["bad.py:6 shape"]
    edited = _padded(LIBRARY.replace('Float[Tensor, "b"]', 'Float[Tensor, "d"]').replace("sum(1)", "sum(0)"))
    project.write(library=edited)
    assert project.mypy("library.py", "user.py", "bad.py").lines == ["bad.py:6 shape", "user.py:9 shape"]


def test_modules_that_are_only_imported_are_told_of_when_they_are_given_too(project: Project) -> None:
    wrong = _padded(USER.replace('"b"]:', '"d"]:'))
    project.write(user=wrong, library=_padded(BAD))
    silent = "--follow-imports=silent"
    for _ in range(2):  # from nothing, and from the cache of that
        assert project.mypy(silent, "user.py").lines == ["user.py:9 shape"]
    assert project.mypy(silent, "user.py", "library.py").lines == ["library.py:6 shape", "user.py:9 shape"]
    assert project.mypy(silent, "user.py").lines == ["user.py:9 shape"]
