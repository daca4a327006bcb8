"""Dropout, as functions and layers."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import Layer, layer, rule
from typedtorch.shapes.rules.channel_norms import check_rank
from typedtorch.shapes.rules.forms import Function, need
from typedtorch.shapes.rules.normalisation import want_inexact
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.tensor import (
    UNKNOWN,
    ShapeError,
    Tensor,
)


def _dropout(ranks: tuple[int, ...] | None, wanted: str, scales: bool) -> Function:
    def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
        if isinstance(p, (int, float)) and not 0 <= p <= 1:
            raise ShapeError(f"p={p} is not a probability")
        if ranks is not None:
            check_rank(input, ranks, wanted)
        if scales and training is True and p != 0 and p is not UNKNOWN:
            want_inexact(input)  # what is kept is scaled
        return Tensor(need(input).shape, mask_of(input), layout=input.layout, deliberate=input.deliberate)

    return dropout


for _name, _ranks_, _wanted in (
    ("dropout", None, ""), ("alpha_dropout", None, ""), ("feature_alpha_dropout", None, ""),
    ("dropout1d", (2, 3), "(batch, channels, time) or (channels, time)"),
    ("dropout2d", None, ""), ("dropout3d", None, ""),
):  # fmt: skip
    _drop = _dropout(_ranks_, _wanted, "alpha" not in _name)
    _space = (
        "F:b c t"
        if _name == "dropout1d"
        else "F:b c h w"
        if _name == "dropout2d"
        else "F:b c h w d"
        if _name == "dropout3d"
        else "f:*"
    )
    rule(f"torch.nn.functional.{_name}", sample=f"{_space} | {_space}, 0.2, training=False")(_drop)
    _class = {
        "dropout": "Dropout",
        "alpha_dropout": "AlphaDropout",
        "feature_alpha_dropout": "FeatureAlphaDropout",
    }.get(_name, _name.capitalize())

    def _dropout_layer(p: Any = 0.5, inplace: Any = False, *, _function: Function = _drop) -> Layer:
        if isinstance(p, (int, float)) and not 0 <= p <= 1:
            raise ShapeError(f"p={p} is not a probability")
        return Layer(lambda input: _function(input, training=None))

    layer(f"torch.nn.{_class}", sample=f"0.1 -> {_space} |  -> {_space}")(_dropout_layer)
rule(
    "torch.dropout",
    "torch.alpha_dropout",
    "torch.feature_alpha_dropout",
    "torch.feature_dropout",
    sample="f:a b c, 0.5, False",
)(lambda input, p, train: Tensor(need(input).shape, mask_of(input)))
