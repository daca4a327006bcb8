"""A formula of a program that branches on a size says up to which sizes it holds, and refuses the others."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from typedtorch.accounting import SizeError, account
from typedtorch.accounting.ranges import Ranges
from typedtorch.losses import linear_cross_entropy


class Chunked(nn.Module):
    """Short sequences attend in full, long ones in chunks of four (the local attention of a Reformer)."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        batch, seq, d_model = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        if seq > 16:
            q, k, v = (z.reshape(batch * (seq // 4), 4, d_model) for z in (q, k, v))
        mixed: Tensor = (q @ k.mT).softmax(-1) @ v
        return mixed.reshape(batch, seq, d_model)


class Window(nn.Module):
    """Keys and values of the last eight positions at most."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(d_model, d_model), nn.Linear(d_model, 2 * d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        k, v = self.kv(x[:, -8:]).chunk(2, -1)
        return (self.q(x) @ k.mT).softmax(-1) @ v


class Scan(nn.Module):
    """As many rounds as the length can be halved (Hillis and Steele)."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.mix = nn.Linear(d_model, d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        step = 1
        while step < x.shape[1]:
            x = x + self.mix(F.pad(x, (0, 0, step, 0))[:, : x.shape[1]])
            step *= 2
        return x


FIGURES = ("flops.forward", "flops.backward", "memory.saved", "bytes.step")
Build = Callable[..., nn.Module]


def right_or_refused(build: Build, here: dict[str, int], others: list[dict[str, int]]) -> int:
    """How often the formulas from one place answer at others, which must be what is counted there."""
    found, answered = account(build, sizes=here), 0
    for there in others:
        numbers = account(build, sizes=there).numbers
        for figure in FIGURES:
            try:
                assert found.formula(figure).subs(there) == numbers[figure], (figure, there)
                answered += 1
            except SizeError:
                continue
    return answered


@pytest.mark.parametrize(
    ("build", "seq", "said"),
    [(Chunked, 8, "seq up to 16"), (Chunked, 32, "seq from 20"), (Window, 5, "seq up to 8"),
     (Window, 40, "seq from 8"), (Scan, 20, "seq from 17 to 32"), (Scan, 100, "seq from 65 to 128")],
)  # fmt: skip
def test_the_sizes_a_branch_is_for_are_named(build: Build, seq: int, said: str) -> None:
    formula = account(build, batch=2, seq=seq, d_model=4).formula("flops.forward")
    assert said in str(formula)
    assert list(formula.ranges) == ["seq"]
    assert not formula.polynomial
    with pytest.raises(
        SizeError, match=f"flops.forward holds for seq .*, not for seq={6 if seq > 8 else 64}"
    ):
        formula.subs(batch=2, seq=6 if seq > 8 else 64, d_model=4)


@pytest.mark.parametrize("build", [Chunked, Window, Scan])
@pytest.mark.parametrize("seq", [5, 8, 32, 100])
def test_a_branch_is_right_or_refused_at_every_size(build: Build, seq: int) -> None:
    here = {"batch": 2, "seq": seq, "d_model": 4}
    others = [{**here, "batch": 3, "seq": s} for s in (4, 8, 12, 16, 20, 64, 1024)]
    answered = right_or_refused(build, here, others)
    assert answered or build is Scan


@pytest.mark.parametrize(
    ("build", "said"), [(Chunked, "from 20"), (Window, "from 8"), (Scan, "from 65 to 128")]
)
def test_without_sizes_they_are_named_too(build: Build, said: str) -> None:
    formula = account(build).formula("flops.forward")
    assert f"seq {said}" in str(formula)
    for seq in (4, 8, 12, 16, 100, 1024):
        there = {"batch": 3, "seq": seq, "d_model": 6}
        try:
            assert formula.subs(there) == account(build, sizes=there).flops.forward
        except SizeError:
            assert seq < 100 or build is Scan


@pytest.mark.parametrize("seed", range(6))
def test_a_random_threshold_is_found(seed: int) -> None:
    draw = random.Random(seed)
    threshold, seq = draw.randrange(10, 300), draw.randrange(4, 400)

    def program(x: Float[Tensor, "batch seq width"], w: Float[Tensor, "width width"]) -> Tensor:
        if draw_axis(x) > threshold:
            x = x @ w
        return x @ w

    def draw_axis(x: Float[Tensor, "batch seq width"]) -> int:
        return x.shape[1]

    formula = account(program, batch=3, seq=seq, width=5).formula("flops.forward")
    low, high = formula.ranges["seq"]
    assert (low, high) == ((None, threshold) if seq <= threshold else (threshold + 1, None))
    for other in (threshold, threshold + 1):
        inside = (other > threshold) == (seq > threshold)
        there = {"batch": 2, "seq": other, "width": 7}
        if inside:
            assert formula.subs(there) == account(program, sizes=there).flops.forward
        else:
            with pytest.raises(SizeError, match="other operators run there"):
                formula.subs(there)


def test_a_bound_on_a_product_of_axes_is_asked_of_the_program() -> None:
    def program(x: Float[Tensor, "batch seq width"], w: Float[Tensor, "width width"]) -> Tensor:
        return torch.tanh(x @ w) @ w if x.shape[0] * x.shape[1] > 4096 else x @ w

    formula = account(program, batch=8, seq=64, width=5).formula("flops.forward")
    assert formula.subs(batch=2, seq=2048, width=5) == 2 * 2 * 2048 * 25  # seq alone may be 512 here
    with pytest.raises(SizeError, match="other operators run there"):
        formula.subs(batch=65, seq=64, width=5)


def test_axes_that_only_together_are_too_large_are_bounded() -> None:
    start = {"a": 4, "b": 4, "c": 4}
    found = Ranges(
        lambda sizes: True, lambda sizes: sizes["a"] + sizes["b"] > 2**20 + 200, start,
        ("a", "b", "c"), ("a", "b", "c"), steps={},
    )  # fmt: skip
    assert not found.high  # four thousand and four thousand are not enough
    found = Ranges(
        lambda sizes: True, lambda sizes: min(sizes["a"], sizes["b"]) > 100, start,
        ("a", "b", "c"), ("a", "b", "c"), steps={},
    )  # fmt: skip
    assert found.high.keys() == {"a", "b"}
    assert all(90 <= end <= 100 for end in found.high.values())


class Codebook(nn.Module):
    """The distances of few vectors to few codes are another kernel's."""

    def __init__(self, width: int, codes: int) -> None:
        super().__init__()
        self.project, self.codes = nn.Linear(width, width), nn.Parameter(torch.empty(codes, width))

    def forward(self, x: Float[Tensor, "rows width"]) -> Float[Tensor, "rows codes"]:
        return torch.cdist(self.project(x), self.codes)


@pytest.mark.parametrize("here", [{}, {"rows": 100, "codes": 63, "width": 8}])
@pytest.mark.parametrize("told", [True, False])
def test_an_input_and_what_a_constructor_is_given_may_only_together_be_too_small(
    here: dict[str, int],
    told: bool,
) -> None:
    formula = account(Codebook, sizes=here).formula("flops.forward")
    if told:
        assert formula.ranges.keys() == {"rows", "codes"}
    for rows, codes in ((17, 13), (25, 25), (25, 26), (26, 25), (26, 26), (4, 40), (40, 4)):
        there = {"rows": rows, "codes": codes, "width": 3}
        if rows <= 25 and codes <= 25:
            with pytest.raises(SizeError, match="other operators run there"):
                formula.subs(there)
        else:
            assert formula.subs(there) == account(Codebook, sizes=there).flops.forward, there


def test_chunks_of_rows_that_two_axes_make_together_are_seen_without_sizes() -> None:
    def program(
        x: Float[Tensor, "batch seq width"], w: Float[Tensor, "vocab width"], y: Int[Tensor, "batch seq"]
    ) -> Float[Tensor, ""]:
        return linear_cross_entropy(x, w, y, chunk=64)

    formula = account(program).formula("flops.elementwise")
    assert formula.ranges.keys() == {"batch", "seq"}  # both count turns, and each alone may be 31
    fits = {"batch": 4, "seq": 8, "width": 5, "vocab": 7}
    assert formula.subs(fits) == account(program, sizes=fits).flops.elementwise
    with pytest.raises(SizeError, match="other operators run there"):
        formula.subs({**fits, "batch": 9})
