"""Arrays of jax: they have numpy's operators, and two dtypes meet otherwise than in torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtorch.check.cli import main

HEAD = "import jax.numpy as jnp\nfrom jaxtyping import Array, Bool, Float, Int\n\n\n"


def checked(body: str, capsys: pytest.CaptureFixture[str]) -> str:
    Path("program.py").write_text(HEAD + body)
    main(["program.py"])
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "1 - mask",
        "mask @ x",
        "counts @ x",
        "x - x.max(axis=-1, keepdims=True)",
        "x.at[0].set(1.0)",
        "x.sort()[:, None]",
        "x.astype(jnp.int32) * x",
        "x.swapaxes(0, 1).T",
    ],
)
def test_what_jax_takes(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = 'x: Float[Array, "b d"], mask: Bool[Array, "b"], counts: Int[Array, "b"]'
    assert checked(f"def f({given}):\n    return {line}\n", capsys).startswith("No errors")


def test_shapes_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    body = 'def f(x: Float[Array, "b d"], w: Float[Array, "k d"]) -> Float[Array, "b k"]:\n    return x @ w\n'
    assert "x @ w: the last axis of x is d" in checked(body, capsys)
