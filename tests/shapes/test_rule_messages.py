"""What a user reads for the mistakes that are made most."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes import dtypes
from typedtorch.shapes.rule import LAYERS, apply, lints
from typedtorch.shapes.size import axis
from typedtorch.shapes.tensor import Entry, Pack, ShapeError, Tensor

b, s, d, h, k, v = (axis(letter) for letter in "bsdhkv")


def t(axes: str, label: str = "", dtype: str = "float32") -> Tensor:
    """A tensor from a string of axes."""
    return Tensor(tuple(_entry(word) for word in axes.split()), dtypes.BIT[dtype], label)


def _entry(word: str) -> Entry:
    return int(word) if word.isdigit() else Pack(word[1:]) if word[0] == "*" else axis(word)


GOLDEN = Path(__file__).with_name("rule_messages.txt")
CALLS = [block.splitlines()[0] for block in GOLDEN.read_text().split("\n\n")]
REWRITE = "TYPEDTORCH_REWRITE" in os.environ


def _said(call: str) -> str:
    """The call, and below it what is said about it."""
    name, _, arguments = call.partition("(")
    args, kwargs = eval(f"(lambda *a, **k: (a, k))({arguments}", globals())  # calls of our own
    with pytest.raises(ShapeError) as caught:
        apply(name, *args, **kwargs)
    hint = f"\n    hint: {caught.value.hint}" if caught.value.hint else ""
    return f"{call}\n    {caught.value.code}: {caught.value.message}{hint}"


@pytest.mark.parametrize("call", CALLS)
def test_message(call: str) -> None:
    """``TYPEDTORCH_REWRITE=1`` writes the messages anew."""
    said = _said(call)
    if REWRITE:
        blocks = GOLDEN.read_text().strip().split("\n\n")
        blocks = [said if block.splitlines()[0] == call else block for block in blocks]
        GOLDEN.write_text("\n\n".join(blocks) + "\n")
    assert said in GOLDEN.read_text()


def test_messages_with_numbers_are_the_same() -> None:
    with pytest.raises(ShapeError, match="the last axis of x is 3 and the first axis of w is 4"):
        apply("torch.matmul", t("2 3", "x"), t("4 5", "w"))


@pytest.mark.parametrize(
    ("name", "args", "forward", "message"),
    [
        ("torch.nn.Linear", (64, 128), t("b s 128", "h"), "in_features is 64, the last axis of h is 128"),
        ("torch.nn.Linear", (d, k), t("b s k", "h"), "in_features is d, the last axis of h is k"),
        ("torch.nn.BatchNorm1d", (d,), t("b s d", "x"), "num_features is d and x has s channels: (b, s, d)"),
        ("torch.nn.LSTM", (d, h), t("b s k", "x"), "input_size is d and the last axis of x is k"),
        ("torch.nn.Embedding", (v, d), t("b s", "x"), "x is float32, wanted int64 or int32 indices"),
        ("torch.nn.Conv2d", (4, 8, 3), t("b 3 h w", "x"), "in_channels is 4, x has 3 channels: (b, 3, h, w)"),
    ],
)
def test_message_of_a_layer(name: str, args: tuple[Any, ...], forward: Tensor, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        LAYERS[name].function(*args).forward(forward)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("axes", "inner", "hint"),
    [
        ("4 32 26 26", 21632, "x is (4, 32, 26, 26): x.flatten(1) fits"),
        ("b s h d", h * d, "x is (b, s, h, d): x.flatten(2) fits"),
        ("b d s", d, "x is (b, d, s): x.mT fits"),
        ("b d h s", d, "x is (b, d, h, s): x.movedim(1, -1) fits"),
        ("d s", d, None),
        ("b d d s", d, None),
        ("*n d s", d, None),
    ],
)
def test_a_linear_layer_says_which_axes_it_could_take(axes: str, inner: Entry, hint: str | None) -> None:
    with pytest.raises(ShapeError) as caught:
        LAYERS["torch.nn.Linear"].function(inner, 7).forward(t(axes, "x"))
    assert caught.value.hint == hint


def test_a_convolution_of_grey_images_says_that_channels_are_missing() -> None:
    with pytest.raises(ShapeError) as caught:
        LAYERS["torch.nn.Conv2d"].function(1, 8, 3).forward(t("64 28 28", "x"))
    assert (
        caught.value.hint == "without a batch the first axis is channels: x.unsqueeze(1) is (64, 1, 28, 28)"
    )


@pytest.mark.parametrize(
    ("axes", "hint"),
    [
        ("b 3 h 5", "y[:, None, None] is (3, 1, 1), which fits"),
        ("3 h 5", "y[:, None, None] is (3, 1, 1), which fits"),
        ("b 3 3 5", None),
        ("b d h 5", None),
    ],
)
def test_a_row_of_numbers_says_how_it_meets_the_one_axis_of_its_size(axes: str, hint: str | None) -> None:
    with pytest.raises(ShapeError) as caught:
        apply("torch.sub", t(axes, "x"), t("3", "y"))
    assert caught.value.hint == hint


def test_attention_says_that_the_batch_is_second() -> None:
    attention = LAYERS["torch.nn.MultiheadAttention"].function
    padding = t("b s", "padding", "bool")
    with pytest.raises(ShapeError) as caught:
        attention(d, 1).forward(t("b s d"), t("b s d"), t("b s d"), key_padding_mask=padding)
    assert caught.value.hint == "batch_first=False takes (seq, batch, embed)"
    first = attention(d, 1, batch_first=True).forward
    first(t("b s d"), t("b s d"), t("b s d"), key_padding_mask=padding)


@pytest.mark.parametrize(
    ("equation", "weights", "values", "hint"),
    [
        ("bhqd,bhdk->bhqk", "b h s d", "b h k d", "'bhkd' fits y"),
        ("bhqk,bhqd->bhqd", "b h s k", "b h k d", None),  # so would 'bhkd' for y
        ("ab,bc->ac", "s d", "h k", None),
        ("a b, b c -> a c", "s d", "k d", "'c b' fits y"),
    ],
)
def test_einsum_says_which_letters_are_the_other_way_round(
    equation: str, weights: str, values: str, hint: str | None
) -> None:
    with pytest.raises(ShapeError) as caught:
        apply("torch.einsum", equation, t(weights, "x"), t(values, "y"))
    assert caught.value.hint == hint


# --- lints -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("torch.Tensor.__sub__", "b", "b 1"),
        ("torch.nn.functional.mse_loss", "b 1", "b"),
        ("torch.Tensor.__mul__", "s", "s 1"),
    ],
)
def test_an_outer_broadcast_by_accident_is_reported(name: str, left: str, right: str) -> None:
    with lints() as found:
        apply(name, t(left, "x"), t(right, "y"))
    assert [lint.code for lint in found] == ["broadcast"]
    assert "every b meets every other b" in found[0].message or "every s" in found[0].message
    column, other = ("x", "y") if left.endswith("1") else ("y", "x")
    assert (found[0].hint or "").startswith(f"{column}.squeeze(-1) has the axes of {other}, or write")


def test_an_outer_broadcast_on_purpose_is_not() -> None:
    x = t("b", "x")
    with lints() as found:
        apply("torch.Tensor.__sub__", apply("torch.Tensor.__getitem__", x, (slice(None), None)), x)
        apply("torch.Tensor.__sub__", apply("torch.unsqueeze", x, 1), x)
        apply("torch.Tensor.__sub__", t("b 1", "x"), t("1 b", "y"))
        apply("torch.Tensor.__add__", t("b s", "x"), t("s", "y"))
        apply("torch.Tensor.__add__", t("s s", "x"), t("s", "y"))
    assert not found


# --- runs of axes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "expected"),
    [
        ("torch.Tensor.__add__", (t("*batch d"), t("d")), {}, "(*batch, d)"),
        ("torch.matmul", (t("*batch s d"), t("d k")), {}, "(*batch, s, k)"),
        ("torch.matmul", (t("*batch s d"), t("*batch d k")), {}, "(*batch, s, k)"),
        ("torch.nn.functional.linear", (t("*batch d"), t("k d")), {}, "(*batch, k)"),
        ("torch.Tensor.transpose", (t("*batch s d"), -1, -2), {}, "(*batch, d, s)"),
        ("torch.Tensor.sum", (t("*batch s d"), -1), {}, "(*batch, s)"),
        ("torch.Tensor.mean", (t("*batch s d"),), {"dim": (-2, -1)}, "(*batch,)"),
        ("torch.Tensor.unsqueeze", (t("*batch d"), -1), {}, "(*batch, d, 1)"),
        ("torch.softmax", (t("*batch d"), -1), {}, "(*batch, d)"),
        ("torch.cat", ([t("*batch d"), t("*batch k")], -1), {}, "(*batch, d + k)"),
        ("torch.stack", ([t("*batch d"), t("*batch d")], -1), {}, "(*batch, d, 2)"),
        ("torch.Tensor.flatten", (t("*batch s d"), -2), {}, "(*batch, d*s)"),
        ("torch.Tensor.view", (t("*batch d"), Pack("batch"), h, -1), {}, "(*batch, h, d//h)"),
        ("torch.Tensor.__getitem__", (t("*batch s d"), (..., 0)), {}, "(*batch, s)"),
        ("torch.Tensor.chunk", (t("*batch 6"), 3, -1), {}, "((*batch, 2), (*batch, 2), (*batch, 2))"),
        ("einops.rearrange", (t("*batch s d"), "... s d -> ... d s"), {}, "(*batch, d, s)"),
        ("torch.einsum", ("...sd,dk->...sk", t("*batch s d"), t("d k")), {}, "(*batch, s, k)"),
        ("torch.nn.functional.layer_norm", (t("*batch d"), (d,)), {}, "(*batch, d)"),
        ("torch.nn.functional.embedding", (t("*batch", "", "int64"), t("v d")), {}, "(*batch, d)"),
        (
            "torch.nn.functional.scaled_dot_product_attention",
            (t("*batch s d"), t("*batch k d"), t("*batch k v")),
            {},
            "(*batch, s, v)",
        ),
    ],
)
def test_a_run_of_axes_goes_through(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], expected: str
) -> None:
    answer = apply(name, *args, **kwargs)
    shown = f"({', '.join(map(str, answer))})" if isinstance(answer, tuple) else str(answer)
    assert shown == expected
