"""Where formulas do not hold they say so: at sizes of 1, and at sizes that are rounded."""

from __future__ import annotations

import itertools

import pytest
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch.accounting import SizeError, account

from .zoo_more import ZOO


class Attention(nn.Module):
    """At a size of 1 it saves views where it saves copies elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x: Float[Tensor, "batch seq 16"]) -> Float[Tensor, "batch seq 16"]:
        out: Tensor = self.attention(x, x, x, need_weights=False)[0]
        return out


class Image(nn.Module):
    """Halved three times, rounded up, and once more, rounded down."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 4, 7, stride=2, padding=3), nn.MaxPool2d(3, 2, 1), nn.Conv2d(4, 4, 3, 2, padding=1),
            nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(4, 2),
        )  # fmt: skip

    def forward(self, image: Float[Tensor, "batch 3 height width"]) -> Float[Tensor, "batch 2"]:
        out: Tensor = self.layers(image)
        return out


class Pairs(nn.Module):
    """An odd row out is dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(4, 4)

    def forward(self, x: Float[Tensor, "batch seq 4"]) -> Float[Tensor, "batch pairs 4"]:
        out: Tensor = self.out(x[:, : x.shape[1] // 2 * 2].unflatten(1, (-1, 2)).sum(2))
        return out


FIGURES = ("flops.forward", "flops.backward", "flops.elementwise", "memory.saved", "bytes.step")


def exact(build: type[nn.Module], here: dict[str, int], *others: dict[str, int]) -> list[int]:
    """How many figures the formulas from one size give right at others; the rest of them they refuse."""
    found, counts = account(build(), sizes=here), []
    for there in others:
        numbers, count = account(build(), sizes=there).numbers, 0
        for figure in FIGURES:
            try:
                assert found.formula(figure).subs(there) == numbers[figure], (figure, there)
                count += 1
            except SizeError:
                continue
        counts.append(count)
    return counts


def test_attention_is_exact_or_refused_at_sizes_of_one() -> None:
    there = [{"batch": b, "seq": s} for b, s in itertools.product((1, 2, 3), (1, 2, 5))]
    counts = exact(Attention, {"batch": 8, "seq": 10}, *there)
    assert counts == [3 if 1 in sizes.values() else 5 for sizes in there]  # not what is saved and moved


def test_a_formula_says_where_it_does_not_hold() -> None:
    formula = account(Attention(), batch=8, seq=10).formula("memory.saved")
    assert formula.above_one == ("batch", "seq")
    assert str(formula) == "336*batch*seq + 4 (batch, seq above 1)"
    assert formula.polynomial
    with pytest.raises(SizeError, match=r"memory.saved holds for seq above 1: at 1 other operators run"):
        formula.subs(batch=8, seq=1)
    assert not account(Attention(), batch=8, seq=10).formula("flops.forward").above_one


def test_at_a_size_of_one_its_own_formula_holds() -> None:
    assert exact(Attention, {"batch": 1, "seq": 10}, {"batch": 1, "seq": 10}) == [5]


@pytest.mark.parametrize("height", [64, 65, 72, 79])
def test_images_are_exact_or_refused_at_every_size(height: int) -> None:
    others = [{"batch": 3, "height": h, "width": 64} for h in (32, 48, 63, 65, 66, 71, 73, 80, 97, 128)]
    counts = exact(Image, {"batch": 2, "height": height, "width": 64}, *others)
    if height == 64:
        assert counts == [5 if sizes["height"] % 16 == 0 else 0 for sizes in others]


@pytest.mark.parametrize("height", [53, 61])
def test_a_layer_that_no_small_picture_reaches_is_bounded_below(height: int) -> None:
    formula = account(Image(), batch=2, height=height, width=64).formula("forward", module="layers.4")
    assert "height" in str(formula)
    for other in (32, 33, 64, 100):
        there = {"batch": 2, "height": other, "width": 64}
        try:
            assert formula.subs(there) == account(Image(), **there).formula(
                "forward", module="layers.4"
            ).subs(there)
        except SizeError as error:
            assert "account for that size" in str(error)  # noqa: PT017


class Downsampled(nn.Module):
    """Halved three times, rounded up: a stem and the first layer of a ResNet's second stage."""

    down: nn.Module

    def __init__(self, width: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, stride=2, padding=3), nn.MaxPool2d(3, 2, 1))
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)

    def forward(self, image: Float[Tensor, "batch 3 side side"]) -> Float[Tensor, "batch width"]:
        out: Tensor = self.down(self.stem(image)).mean((2, 3))
        return out


@pytest.mark.parametrize("side", [37, 42, 45, 47, 57, 60])
@pytest.mark.parametrize("told", [True, False])
def test_multiples_of_a_size_are_no_more_sure_than_other_sizes(side: int, told: bool) -> None:
    here = {"batch": 2, "width": 5, "side": side}
    formula = account(Downsampled, sizes=here).formula("flops.forward")
    if told:
        assert side not in formula.multiples.values()
    answered = 0
    for other in (side, 45, 50, 58, 2 * side, 3 * side, 4 * side, 5 * side, 6 * side):
        there = {**here, "side": other}
        try:
            assert formula.subs(there) == account(Downsampled, sizes=there).flops.forward, other
            answered += 1
        except SizeError as error:
            assert "sizes are rounded there" in str(error)  # noqa: PT017
    assert answered


class Staged(Downsampled):
    """The same with layers that are counted."""

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__(width)
        convolutions = (nn.Conv2d(width, width, 3, padding=1) for _ in range(blocks))
        self.down = nn.Sequential(self.down, *convolutions)

    def forward(self, image: Float[Tensor, "batch 3 side side"]) -> Float[Tensor, "batch width"]:
        return super().forward(image)


@pytest.mark.parametrize(
    ("build", "side"), [(Downsampled, 37), (Downsampled, 42), (Staged, 37), (Staged, 45), (Staged, 42)]
)
def test_what_is_rounded_up_each_time_is_read_so_at_any_size(build: type[nn.Module], side: int) -> None:
    blocks = {"blocks": 2} if build is Staged else {}
    formula = account(build, batch=2, width=5, side=side, **blocks).formula("flops.forward")
    assert "(side + 7)//8" in str(formula)
    assert not formula.multiples
    assert not formula.ranges
    for other in (33, 36, 50, 64, 2 * side):
        there = {"batch": 3, "width": 4, "side": other, **blocks}
        assert formula.subs(there) == account(build, sizes=there).flops.forward, other


def test_what_is_rounded_is_no_polynomial() -> None:
    formula = account(Pairs(), batch=2, seq=8).formula("flops.forward")
    assert str(formula) == "16*batch*seq (seq a multiple of 2)"
    assert not formula.polynomial
    assert formula.subs(batch=3, seq=10) == account(Pairs(), batch=3, seq=10).flops.forward
    with pytest.raises(SizeError, match=r"holds for seq that 2 divides, not for seq=9: sizes are rounded"):
        formula.subs(batch=3, seq=9)


def test_what_the_program_itself_wants_to_divide_is_not_said_again() -> None:
    def heads(x: Float[Tensor, "batch width"]) -> Tensor:
        return x.view(x.shape[0], 4, x.shape[1] // 4).square()

    formula = account(heads, batch=2, width=8).formula("bytes.step")
    assert not formula.multiples
    assert not formula.above_one


def test_sizes_that_are_special_only_together_are_named() -> None:
    entry = ZOO["vit"]
    both = {**entry.sizes, "heads": 1, "head_dim": 1}
    found, there = account(entry.build, sizes=entry.sizes), account(entry.build, sizes=both)
    formula = found.formula("bytes.step")
    assert {"heads", "head_dim"} & set(formula.above_one)
    with pytest.raises(SizeError, match="above 1"):
        formula.subs(both)
    assert found.formula("flops.forward").subs(both) == there.flops.forward


def test_bytes_of_a_fused_lstm_say_what_they_rest_on() -> None:
    found = account(ZOO["lstm"].build, sizes=ZOO["lstm"].sizes)
    assert "workspace padded" in str(found.formula("memory.saved"))
    assert not found.formula("flops.forward").note


class Recurrent(nn.Module):
    """An LSTM, whose workspace is rounded up to pages."""

    def __init__(self, d_in: int, hidden: int) -> None:
        super().__init__()
        self.layer = nn.LSTM(d_in, hidden, batch_first=True)

    def forward(self, x: Float[Tensor, "batch seq d_in"]) -> Float[Tensor, "batch seq hidden"]:
        out: Tensor = self.layer(x)[0]
        return out


@pytest.mark.parametrize(("batch", "seq"), [(3, 5), (5, 7), (4, 6)])
def test_what_is_rounded_to_pages_is_no_axis_that_is_rounded(batch: int, seq: int) -> None:
    given = {"batch": batch, "seq": seq, "d_in": 4, "hidden": 6}
    formula = account(Recurrent, **given).formula("memory.saved")
    assert not {"batch", "seq"} & formula.multiples.keys()
    for other in (2, 6, 7, 11, 20):
        for axis in ("batch", "seq"):
            there = {**given, axis: other}
            assert formula.subs(there) == account(Recurrent, **there).memory.saved, there
