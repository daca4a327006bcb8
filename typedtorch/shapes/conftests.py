"""Which ``conftest.py`` a test rests on: pytest reads them without being asked, and so does the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from typedtorch.shapes.sources import is_installed


def conftests(name: str) -> Iterator[str]:
    """The names of ``conftest.py`` beside a module, and of those in the folders above it.

    >>> list(conftests("tests.models.test_vit"))
    ['tests.models.conftest', 'tests.conftest', 'conftest']
    """
    package = name.split(".")[:-1]
    for end in range(len(package), -1, -1):
        yield ".".join([*package[:end], "conftest"])


def conftest_files(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    """The same with their files, of those that there are.

    >>> list(conftest_files("tests.test_vit", Path("/nowhere/tests/test_vit.py")))
    []
    """
    folder = path.parent
    for conftest in conftests(name):
        file = folder / "conftest.py"
        if file.is_file():
            yield conftest, file
        folder = folder.parent


def is_test(name: str) -> bool:
    """Whether pytest looks for tests in a module of this name.

    >>> is_test("tests.test_vit"), is_test("tests.conftest")
    (True, False)
    """
    last = name.rpartition(".")[2]
    return last.startswith("test_") or last.endswith("_test")


def beside_tests(paths: Mapping[str, str]) -> dict[str, str]:
    """Each ``conftest.py`` of the tests among some modules; none where two have one name.

    >>> beside_tests({"test_vit": "/nowhere/test_vit.py"})
    {}
    """
    found: dict[str, set[str]] = {}
    for name, path in paths.items():
        if is_test(name) and not is_installed(Path(path)):
            for conftest, file in conftest_files(name, Path(path)):
                found.setdefault(conftest, set()).add(str(file))
    return {name: files.pop() for name, files in found.items() if len(files) == 1}
