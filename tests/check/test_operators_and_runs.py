"""Operators, and axes that stand for several: working code, beside the mistake that is still found."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import messages

SILENT = {
    "embedding_bag takes its weight first, as it once did": """
        def bags(table: Float[Tensor, "v d"]) -> Float[Tensor, "2 d"]:
            ids, offsets = torch.tensor([1, 2, 4, 5]), torch.tensor([0, 2])
            return torch.nn.functional.embedding_bag(table.float(), ids, offsets)
    """,
    "what is written with out= has the dtype of what it is written into": """
        def frequencies(count: int) -> Tensor:
            freq = torch.empty(count)
            torch.arange(1, count + 1, out=freq).mul_(3.14)
            return freq
    """,
    "a run of axes alone in parentheses is one axis": """
        def flat(x: Float[Tensor, "b h w d"]) -> Float[Tensor, "b h*w d"]:
            return einops.rearrange(x, "b ... d -> b (...) d")
    """,
    "a tensor without axes as an index is an integer": """
        def gathered(ids: Tensor, masks: Float[Tensor, "n h w"]) -> Tensor:
            unique, inverse = torch.unique(ids, return_inverse=True)
            out = torch.zeros(len(unique), masks.shape[1], masks.shape[2])
            for i, mask in zip(inverse, masks):
                out[i] = torch.logical_or(out[i], mask)
            return out
    """,
    "an einsum that only multiplies promotes": """
        def weighted(table: Float64[Tensor, "m l k"], weights: Float64[Tensor, "k"], lmax: int) -> Tensor:
            degree = torch.arange(lmax)
            return torch.einsum("mlk,k,l->mlk", table, weights, 1.0 / (degree + 1))
    """,
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_working_code_is_not_reported(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, body) == []


FOUND = {
    "a run of axes and the axes after it": (
        """
        def encode(x: Float[Tensor, "*bs 3"], n: int) -> Float[Tensor, "*bs n features"]:
            return torch.zeros(n, 3).matmul(x.reshape(-1, 3).T).T.reshape(*x.shape[:-1], n)
        """,
        "returns (*bs, n), annotated (*bs, n, features); wanted 3 axes, got 2 axes",
    ),
    "a run of axes beside which there are too many": (
        """
        def scaled(x: Float[Tensor, "..."], g: Float[Tensor, "1 c 1 1"]) -> Tensor:
            return einops.rearrange(x * g, "c h w -> h w c")
        """,
        "has shape (..., ?, c, ?, ?), at least 4 axes, and 'c h w' has 3",
    ),
    "the truth of a tensor that a number meets": (
        """
        def first(x: Float[Tensor, "b"], used: int) -> bool:
            return bool(used >= x)
        """,
        "the truth of several elements is ambiguous",
    ),
    "masks stored through several indices at once": (
        """
        def stored(out: Float[Tensor, "n d"], rows: Tensor, d: int) -> None:
            out[torch.arange(3)] = torch.ones(3, d, dtype=torch.bool)
        """,
        "assignment through index tensors needs one dtype",
    ),
}


@pytest.mark.parametrize(("body", "message"), FOUND.values(), ids=FOUND)
def test_the_mistake_beside_it_is(tmp_path: Path, body: str, message: str) -> None:
    found = messages(tmp_path, body)
    assert len(found) == 1
    assert message in found[0]


def test_what_a_malformed_string_was_to_say_is_not_held_against_anything(tmp_path: Path) -> None:
    body = """
        def ends(offsets: Float[Tensor, "b + 1"]) -> Float[Tensor, "b + 1"]:
            return offsets

        ends(torch.zeros(3))
        """
    found = messages(tmp_path, body)
    assert len(found) == 2
    assert all("write b+1" in message for message in found)
