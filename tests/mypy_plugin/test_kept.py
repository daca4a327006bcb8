"""What was found in a module is kept for as long as all that it rests on is as it was, and no longer."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mypy_plugin.running import FAILING, Outcome, Project
from typedtorch.mypy_plugin.kept_facts import KeptFacts, Written
from typedtorch.shapes import given_elsewhere, texts
from typedtorch.shapes.answers import Answer, Kept, stamp
from typedtorch.shapes.findings import Finding
from typedtorch.shapes.module_facts import SourceFacts
from typedtorch.shapes.neighbours import look_again
from typedtorch.shapes.store import Store
from typedtorch.shapes.texts import Texts

HEAD = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor\n"
LIBRARY = (
    HEAD + '\n\ndef heads(x: Float[Tensor, "b s d"], n: int, w: int) -> Float[Tensor, "b s n w"]:\n'
    "    return x.view(x.shape[0], x.shape[1], n, w)\n"
)
USER = HEAD + "from library import heads\n\nheads(torch.ones(2, 3, 8), 2, 3)\n"


@pytest.fixture
def own(project: Project, tmp_path: Path, stubs_read: Path) -> Project:
    """A project whose cache holds nothing of other tests."""
    return replace(project, cache=shutil.copytree(stubs_read, tmp_path / "cache"))


def _shapes(outcome: Outcome) -> list[str]:
    """Where shapes are wrong: the stubs of torch here are small, and mypy finds that they lack things."""
    return [line.removesuffix(" shape") for line in outcome.lines if line.endswith(" shape")]


def test_editing_the_body_of_an_annotated_function_rechecks_the_calls_that_it_refused(own: Project) -> None:
    own.write(library=LIBRARY, user=USER)
    assert _shapes(own.mypy("user.py")) == ["user.py:6"]
    own.write(library=LIBRARY.replace("x.view", "x[..., :1, None].expand"))
    assert _shapes(own.mypy("user.py")) == []
    own.write(library=LIBRARY)
    assert _shapes(own.mypy("user.py")) == ["user.py:6"]


def test_editing_a_number_in_a_function_rechecks_those_who_use_it_through_another(own: Project) -> None:
    own.write(
        sizes="def width() -> int:\n    return 4\n",
        library=HEAD + "from sizes import width\n\n\ndef row() -> Tensor:\n    return torch.ones(width())\n",
        user=HEAD + "from library import row\n\nx = row() + torch.ones(4)\n",
    )
    assert _shapes(own.mypy("user.py")) == []
    own.write(sizes="def width() -> int:\n    return 5\n")
    assert _shapes(own.mypy("user.py")) == ["user.py:6"]


def test_of_an_import_cycle_only_what_changed_is_looked_at_again(own: Project) -> None:
    text = HEAD + "from names import third\n\nx = torch.ones(2) + torch.ones(third)\n"
    names = "".join(f"from {name} import {name} as {name}\n" for name in ("first", "second", "third"))
    own.write(first=text + "first = 1\n", second=text + "second = 1\n", third="third = 3\n", names=names)
    own.write(failing=FAILING)
    assert _shapes(own.mypy("first.py", "second.py")) == ["first.py:6", "second.py:6"]
    own.write(first=text.replace("ones(2)", "ones(4)") + "first = 1\n")
    outcome = own.mypy("first.py", "second.py", command=("failing",))
    assert _shapes(outcome) == ["second.py:6"]
    assert "could not check the shapes in first.py" in outcome.stdout


def test_a_module_that_appears_rechecks_those_that_missed_it(own: Project) -> None:
    own.write(
        library=HEAD + "from sizes import WIDTH\n\nROW = torch.ones(WIDTH)\n",
        user=HEAD + "from library import ROW\n\nx = ROW + torch.ones(4)\n",
    )
    assert _shapes(own.mypy("user.py")) == []
    own.write(sizes="WIDTH = 5\n")
    own.write(library=HEAD + "from sizes import WIDTH\n\nROW = torch.ones(WIDTH)\n")
    assert _shapes(own.mypy("user.py")) == ["user.py:6"]


def test_a_conftest_counts_whether_mypy_is_given_it_or_not_and_so_do_its_edits(own: Project) -> None:
    fixture = "import pytest\nimport torch\n\n\n@pytest.fixture\ndef x():\n    return torch.ones(2, {})\n"
    own.write(test_row="import torch\n\n\ndef test_sum(x):\n    x + torch.ones(4)\n")
    assert _shapes(own.mypy("test_row.py")) == []
    own.write(conftest=fixture.format(3))
    for given in (["test_row.py"], ["test_row.py", "conftest.py"]):
        assert _shapes(own.mypy(*given)) == ["test_row.py:5"]
    own.write(conftest=fixture.format(4))
    assert _shapes(own.mypy("test_row.py")) == []
    own.write(conftest=fixture.format(5))
    assert _shapes(own.mypy("test_row.py")) == ["test_row.py:5"]
    (own.folder / "conftest.py").unlink()
    assert _shapes(own.mypy("test_row.py")) == []


def test_what_mypy_prints_after_an_edit_is_what_it_prints_from_nothing(
    own: Project, tmp_path: Path, stubs_read: Path
) -> None:
    """Twenty edits, one to three at a time, of modules that rest on each other in many ways."""
    chance = random.Random(7)

    def written() -> dict[str, str]:
        n, m, k = (chance.choice((3, 4)) for _ in range(3))
        how = chance.choice(("x.sum(1)", "x.mean(1)", "x.sum(0)"))
        return {
            "sizes": f"WIDTH = {n}\n\n\ndef height() -> int:\n    return {m}\n",
            "layers": f"{HEAD}from torch import nn\nimport sizes\n\n\nclass Block(nn.Module):\n"
            f"    def __init__(self) -> None:\n        super().__init__()\n"
            f"        self.size = sizes.height() + {k}\n\n"
            f"    def make(self) -> Tensor:\n        return torch.ones(self.size, sizes.WIDTH)\n",
            "ops": f'{HEAD}\n\ndef norms(x: Float[Tensor, "a b"]) -> Float[Tensor, "a"]:\n    return {how}\n',
            "names": "from layers import *\nfrom ops import norms as norms\n",
            "user": f"{HEAD}from names import Block, norms\n\n"
            f"x = Block().make() + torch.ones(7, 3)\ny = norms(torch.ones(3, 4)) + torch.ones({k})\n",
            "second": f"{HEAD}import user\n\nz = user.x + torch.ones({m})\nw = user.y @ torch.ones(3)\n",
        }

    files = ("sizes.py", "layers.py", "ops.py", "names.py", "user.py", "second.py")
    own.write(**written())
    seen = set()
    for turn in range(20):
        new = written()
        edited = {name: new[name] for name in chance.sample(sorted(new), chance.randint(1, 3))}
        own.write(**edited)
        found = own.mypy(*files)
        nothing = shutil.copytree(stubs_read, tmp_path / str(turn))
        fresh = own.mypy("--cache-dir", str(nothing), *files)
        assert found.messages == fresh.messages
        seen.add(tuple(_shapes(found)))
    assert len(seen) > 3


def _kept(folder: Path, files: Mapping[str, Path]) -> Kept:
    return Kept(Store(folder), Texts(), files.get)


def test_an_answer_comes_back_as_it_was_until_a_text_changes(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.py" for name in ("user", "library")}
    for path in paths.values():
        path.write_text("x = 1\n")
    finding = Finding(str(paths["user"]), 1, 0, 1, 1, "shape", "wrong", "mend it")
    answer = Answer(stamp(paths["user"]), [finding], frozenset({"library"}), frozenset({"missing"}))
    _kept(tmp_path, paths).keep("user", str(paths["user"]), answer)

    again = _kept(tmp_path, paths)
    assert again.answer("user", str(paths["user"])) == answer
    assert again.holds("user") is True
    assert again.holds("library") is None
    assert _kept(tmp_path, {**paths, "missing": tmp_path}).answer("user", str(paths["user"])) is None

    paths["library"].write_text("x = 2\n")
    assert _kept(tmp_path, paths).holds("user") is False
    assert _kept(tmp_path, paths).answer("user", str(paths["user"])) is None


def test_what_another_engine_found_and_what_cannot_be_read_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "user.py"
    path.write_text("x = 1\n")
    kept = _kept(tmp_path / "kept", {"user": path})
    kept.keep("user", str(path), Answer(stamp(path), [], frozenset(), frozenset()))
    with monkeypatch.context() as patch:
        patch.setattr(texts, "engine", lambda: "another")
        assert _kept(tmp_path / "kept", {"user": path}).holds("user") is None
    for text in (b"{", b"[]", b"{}"):
        Store(tmp_path / "kept").write("user.json", text)
        assert _kept(tmp_path / "kept", {"user": path}).holds("user") is None


CLASSES = """from torch import nn

class Net(nn.Module):
    def __init__(self):
        self.blocks = nn.ModuleList([nn.Linear(2, 3) for _ in range(4)])
        self.register_buffer("table", make())
"""


def test_facts_come_back_as_they_were_until_the_text_changes(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(CLASSES)
    source = SourceFacts.read(CLASSES)
    KeptFacts(Store(tmp_path), Texts()).keep("net", str(path), Written.of(source, whole=True))
    written = KeptFacts(Store(tmp_path), Texts()).get("net", str(path))
    assert written is not None
    found = written.read()
    assert found is not None
    assert found.interface == source.interface
    assert found.classes["Net"].containers["blocks"].items == ("nn.Linear",)
    assert found.classes["Net"].registered == {"table": "buffer"}
    path.write_text(CLASSES + "\n")
    assert KeptFacts(Store(tmp_path), Texts()).get("net", str(path)) is None


def test_of_a_module_that_is_only_imported_the_text_counts_until_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "net.py"

    def interface() -> str | None:
        found = KeptFacts(Store(tmp_path), Texts()).get("net", str(path), only_imported=True)
        return None if found is None else found.interface

    path.write_text(CLASSES)
    first = interface()
    assert first == interface() == texts.of_text(CLASSES)
    path.write_text(CLASSES + "\n")
    assert interface() is None  # to be read now, and kept
    written = Written.of(SourceFacts.read(path.read_text()), whole=True)
    KeptFacts(Store(tmp_path), Texts()).keep("net", str(path), written)
    assert interface() == written.interface != first


def test_what_other_files_give_is_looked_for_again_when_one_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def look(module: str, path: Path, text: str) -> list[str]:
        asked.append(module)
        return ["é", "head"]

    monkeypatch.setattr(given_elsewhere, "given_around", look)
    path, other = tmp_path / "net.py", tmp_path / "other.py"
    (tmp_path / "README.md").touch()

    def given() -> list[str]:
        look_again()
        facts = KeptFacts(Store(tmp_path / "kept"), Texts())
        if facts.get("net", str(path)) is None:
            facts.keep("net", str(path), Written("interface", b"data"))
        return facts.around("net", str(path), path.read_text())

    path.write_text(CLASSES)
    other.write_text("")
    assert given() == given() == ["é", "head"]
    assert asked == ["net"]
    for file, text in ((other, "net.head = 1\n"), (path, CLASSES + "\n")):
        asked.clear()
        file.write_text(text)
        assert given() == given()
        assert asked == ["net"]
    assert KeptFacts(Store(tmp_path / "kept"), Texts()).get("net", str(path)) == Written("interface", b"data")


def test_what_is_no_facts_is_not_loaded(tmp_path: Path) -> None:
    harmful = tmp_path / "harm"
    calls = pickle.dumps(_Harm(str(harmful)))
    for data in (calls, b"", b"nonsense", pickle.dumps({"a": 1})):
        assert Written("", data).read() is None
    assert not harmful.exists()


class _Harm:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (self.path,)
