"""What holds of every rule that is called, and how a program's values come to it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes import dtypes
from typedtorch.shapes.infer import Program
from typedtorch.shapes.rule import apply
from typedtorch.shapes.tensor import UNKNOWN, ShapeError, Tensor


def test_no_tensor_has_a_negative_size() -> None:
    with pytest.raises(ShapeError, match="-2 is not a size"):
        apply("torch.linspace", 0, 1, -2)


def test_of_nothing_the_dtype_is_not_held_against_it() -> None:
    some, none = Tensor((2, 3), dtypes.INT64), Tensor((2, 0), dtypes.INT64)
    with pytest.raises(ShapeError, match="floating"):
        apply("torch.softmax", some, 1)
    assert apply("torch.softmax", none, 1) is UNKNOWN


def _revealed(*lines: str) -> list[str]:
    text = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n" + "\n".join(lines) + "\n"
    return [f.message for f in Program(lambda name: None).check("m", Path("m.py"), text).findings]


def test_a_list_that_is_written_empty_is_empty() -> None:
    assert _revealed("reveal_type(torch.ones([]))", "reveal_type(torch.tensor([[], []]))") == [
        "torch.ones([]) has shape a scalar (), float32",
        "torch.tensor([[], []]) has shape (2, 0), float32",
    ]
    assert _revealed("found = []", "reveal_type(torch.tensor(found))") == [
        "torch.tensor(found) has shape (...,), any dtype"
    ]


def test_numbers_become_floats_of_the_default_dtype() -> None:
    wide = "torch.set_default_dtype(torch.float64)"
    counted = ["x = torch.arange(3)", "reveal_type(x / 2)", "reveal_type(torch.tensor(1.5))"]
    assert _revealed(*counted) == [
        "x / 2 has shape (3,), float32",
        "torch.tensor(1.5) has shape a scalar (), float32",
    ]
    assert _revealed(wide, *counted) == [
        "x / 2 has shape (3,), float",
        "torch.tensor(1.5) has shape a scalar (), float",
    ]
    assert _revealed(wide, "y = torch.zeros(2, dtype=torch.float32)", "reveal_type(y * 2)") == [
        "y * 2 has shape (2,), float32"
    ]


def test_relu_may_be_in_place() -> None:
    assert _revealed("x = torch.zeros(2, 3)", "reveal_type(F.relu(x, True))") == [
        "F.relu(x, True) has shape (2, 3), float32"
    ]


def test_subscripts_of_an_einsum_may_be_lists() -> None:
    lines = (
        "a, b = torch.zeros(2, 3), torch.zeros(3, 4)",
        "reveal_type(torch.einsum(a, [0, 1], b, [1, 2], []))",
    )
    assert _revealed(*lines) == ["torch.einsum(a, [0, 1], b, [1, 2], []) has shape a scalar (), float32"]


def test_added_keys_have_weights_too() -> None:
    lines = (
        "m = nn.MultiheadAttention(6, 3, add_bias_kv=True, add_zero_attn=True)",
        "x = torch.zeros(5, 2, 6)",
        "reveal_type(m(x, x, x)[1])",
    )
    assert _revealed(*lines) == ["m(x, x, x)[1] has shape (2, 5, 7), float32"]


def test_norms_and_attention_are_of_the_default_dtype() -> None:
    for made in ("nn.LayerNorm(4)", "nn.BatchNorm1d(4)", "nn.PReLU()", "nn.TransformerEncoderLayer(4, 2)"):
        found = _revealed(f"m = {made}", "m(torch.zeros(3, 4, dtype=torch.float64))")
        assert len(found) == 1, made
        assert "float64" in found[0]
    for made in ("nn.LayerNorm(4, elementwise_affine=False)", "nn.RMSNorm(4)", "nn.Linear(4, 4).double()"):
        assert not _revealed(f"m = {made}", "m(torch.zeros(3, 4, dtype=torch.float64))"), made


def test_one_number_is_cast_where_a_mask_chooses_and_not_where_integers_do() -> None:
    program = (
        "x, rows = torch.zeros(4, 3), torch.tensor([0, 1])",
        "x[x > 0] = torch.tensor(1)",
        "x[rows[0]] = torch.tensor(1)",
        "x[rows] = 1",
    )
    assert not _revealed(*program)
    assert "one dtype" in _revealed(*program, "x[rows] = torch.tensor(1)")[0]


def test_empty_vectors_are_joined_along_any_axis() -> None:
    assert str(apply("torch.cat", [Tensor((0,)), Tensor((0,))], 2)) == "(0,)"
    with pytest.raises(ShapeError, match="out of range"):
        apply("torch.cat", [Tensor((0,)), Tensor((2,))], 2)


def test_a_bias_of_two_axes_may_be_one_for_each_row() -> None:
    operands = Tensor((8, 3)), Tensor((4, 3))
    assert apply("torch.nn.functional.linear", *operands, Tensor((1, 4))) is UNKNOWN
    with pytest.raises(ShapeError, match="5 elements"):
        apply("torch.nn.functional.linear", *operands, Tensor((1, 5)))


_IMAGE = "torch.zeros(1, 3, 8, 8)"


@pytest.mark.parametrize(
    "call",
    [
        f"F.interpolate({_IMAGE}, 4, mode='nearest', align_corners=True)",
        f"F.interpolate({_IMAGE}, 4, recompute_scale_factor=True)",
        f"F.interpolate({_IMAGE}, scale_factor=0.1)",
        f"F.max_pool2d({_IMAGE}, 3, padding=-1)",
        f"F.pad({_IMAGE}, (1, 1, 1, 1), mode='reflect', value=1.0)",
        "F.pad(torch.zeros(1, 1), (1, -2))",
        f"F.unfold({_IMAGE}, 2, dilation=0)",
        f"nn.ConvTranspose2d(3, 4, 3, stride=2)({_IMAGE}, output_size=(30, 30))",
        "nn.LSTM(3, 4, proj_size=4)",
        "torch.stft(torch.zeros(20), 8, win_length=9, return_complex=True)",
        "torch.zeros(0, 3).max()",
        "torch.zeros(2, 3).softmax(0, dtype=torch.int64)",
        "torch.zeros(2, 3, 4).norm('nuc')",
        "torch.zeros(5).unfold(0, 2, 0)",
        "torch.bincount(torch.tensor([1, 2]), weights=torch.ones(3))",
        "torch.cov(torch.zeros(2, 4), fweights=torch.ones(3, dtype=torch.int64))",
        "torch.cross(torch.zeros(3), torch.zeros(3, dtype=torch.float64), dim=0)",
        "torch.tril_indices(3, 3, dtype=torch.float32)",
        "torch.zeros(2, 3).repeat_interleave(torch.tensor([1, 2, 3]), dim=0)",
        "F.layer_norm(torch.zeros(2, 3), ())",
        "F.scaled_dot_product_attention(*3 * [torch.zeros(4, 8)], enable_gqa=True)",
        "F.soft_margin_loss(torch.zeros(3), torch.zeros(2, 3))",
    ],
)
def test_what_torch_refuses_is_refused(call: str) -> None:
    with pytest.raises((RuntimeError, ValueError, IndexError)):
        eval(call, {"torch": torch, "F": torch.nn.functional, "nn": torch.nn})  # our own text
    assert len(_revealed(call)) == 1
