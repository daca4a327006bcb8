"""``[tool.typedtorch]``: what is wrong with it is said with its place, and nothing else stops a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.shapes.config import ConfigError, load

CODES = ["shape", "dtype", "broadcast"]


def write(folder: Path, data: str | bytes) -> Path:
    path = folder / "pyproject.toml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("disabel = ['shape']", ':2: [tool.typedtorch] has no option "disabel"; did you mean "disable"?'),
        (
            "other = 1",
            ':2: [tool.typedtorch] has no option "other"; known: disable, exclude, per-file-ignores',
        ),
        ("disable = 'shape'", ":2: disable is a list of strings, for example disable = "),
        ("exclude = [1]", ":2: exclude is a list of strings, for example exclude = "),
        ("disable = ['shap']", ':2: disable: no error code "shap"; did you mean "shape"?'),
        ("per-file-ignores = ['a']", ":2: per-file-ignores is a table, for example per-file-ignores = {"),
        (
            "[tool.typedtorch.per-file-ignores]\n'a' = 'shape'",
            ":3: a is a list of strings, for example per-file",
        ),
        ("[tool.typedtorch.per-file-ignores]\na = ['shap']", ':3: a: no error code "shap"; did you mean'),
        ("disable = [", ": not valid TOML: "),
    ],
)
def test_a_wrong_table_is_told_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"[tool.typedtorch]\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, CODES)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[tool]\ntypedtorch = 3\n", ": [tool.typedtorch] is a table, not int"),
        (b"\xff[tool.typedtorch]\n", ": cannot be read: "),
    ],
)
def test_a_file_of_another_kind_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, data)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, CODES)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize("text", ["", "tool = 3  # typedtorch\n", "[tool.other]\nfor = 'typedtorch'\n"])
def test_a_file_that_says_nothing_of_it_has_the_defaults(text: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    assert load(tmp_path / "below", CODES).disable == frozenset()


def test_the_nearest_file_above_holds(tmp_path: Path) -> None:
    write(tmp_path, "[tool.typedtorch]\ndisable = ['dtype']\nexclude = ['old']\n")
    found = load(tmp_path / "a" / "b", CODES)
    assert found.disable == {"dtype"}
    assert found.excludes(tmp_path / "old" / "net.py")
    assert not found.excludes(tmp_path / "new" / "net.py")


def test_codes_are_switched_off_by_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
[tool.typedtorch]
disable = ["broadcast"]

[tool.typedtorch.per-file-ignores]
"tests" = ["shape"]
"*_old.py" = ["dtype"]
""",
    )
    found = load(tmp_path, CODES)
    assert found.disabled(tmp_path / "net.py") == {"broadcast"}
    assert found.disabled(tmp_path / "tests" / "deep" / "net.py") == {"broadcast", "shape"}
    assert found.disabled(tmp_path / "tests" / "net_old.py") == {"broadcast", "shape", "dtype"}
    assert found.disabled(Path("/elsewhere/tests/net.py")) == {"broadcast"}
