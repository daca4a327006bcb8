"""Losses as modules."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import Layer, layer
from typedtorch.shapes.rules.forms import Function
from typedtorch.shapes.rules.likelihood_losses import gaussian_nll_loss, poisson_nll_loss
from typedtorch.shapes.rules.loss_forms import reduction_of
from typedtorch.shapes.rules.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    hinge_embedding_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    soft_margin_loss,
)
from typedtorch.shapes.rules.ranking_losses import (
    cosine_embedding_loss,
    ctc_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)


def _module(function: Function, *settings: str) -> Function:
    """A loss module: constructor settings, then the tensors; the positional ones in torch's order."""

    def make(*args: Any, **named: Any) -> Layer:
        known = dict(zip(settings, args, strict=False)) | named
        flags = known.get("size_average"), known.get("reduce")
        known["reduction"] = reduction_of(*flags, known.get("reduction", "mean"))
        kept = {k: v for k, v in known.items() if k in _PASSED.get(function, ("reduction",))}
        return Layer(lambda *tensors, **more: function(*tensors, **kept, **more))

    return make


_PASSED: dict[Function, tuple[str, ...]] = {
    cross_entropy: ("reduction", "weight"), nll_loss: ("reduction", "weight"),
    binary_cross_entropy_with_logits: ("reduction", "pos_weight", "weight"),
    kl_div: ("reduction", "log_target"),
}  # fmt: skip

_OLD = ("size_average", "reduce", "reduction")
_MODULES: tuple[tuple[str, Function, tuple[str, ...], str], ...] = (
    ("CrossEntropyLoss", cross_entropy,
     ("weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing"),
     " -> F:b v, I:b | reduction='none' -> F:b v t, I:b t | label_smoothing=0.1 -> F:b v, I:b"),
    ("NLLLoss", nll_loss, ("weight", "size_average", "ignore_index", "reduce", "reduction"),
     " -> F:b v, I:b | "
        "reduction='none' -> F:b v, I:b"),
    ("MSELoss", mse_loss, _OLD, " -> F:*, F:* | reduction='none' -> F:*, F:*"),
    ("L1Loss", l1_loss, _OLD, " -> F:*, F:* | reduction='none' -> F:*, F:*"),
    ("HuberLoss", mse_loss, ("reduction", "delta"), " -> F:*, F:* | 'none' -> F:*, F:*"),
    ("SmoothL1Loss", mse_loss, (*_OLD, "beta"), " -> F:*, F:* | reduction='none' -> F:*, F:*"),
    ("BCELoss", binary_cross_entropy, ("weight", *_OLD), " -> F:*, F:* | reduction='none' -> F:*, F:*"),
    ("BCEWithLogitsLoss", binary_cross_entropy_with_logits, ("weight", *_OLD, "pos_weight"), " -> F:*, F:* | "
        "reduction='none' -> F:*, F:*"),
    ("KLDivLoss", kl_div, (*_OLD, "log_target"), " -> F:*, F:* | "
        "reduction='batchmean' -> F:b c, F:b c | reduction='none' -> F:*, F:*"),
    ("PoissonNLLLoss", poisson_nll_loss, ("log_input", "full", "size_average", "eps", "reduce", "reduction"),
     " -> F:*, F:* | "
        "reduction='none' -> F:*, F:*"),
    ("SoftMarginLoss", soft_margin_loss, _OLD, " -> F:*, F:* | reduction='none' -> F:*, F:*"),
    ("HingeEmbeddingLoss", hinge_embedding_loss, ("margin", *_OLD), " -> F:*, F:* | "
        "reduction='none' -> F:*, F:*"),
    ("GaussianNLLLoss", gaussian_nll_loss, (), " -> F:b d, F:b d, F:b d | "
        "reduction='none' -> F:b d, F:b d, F:b 1"),
    ("CosineEmbeddingLoss", cosine_embedding_loss, ("margin", *_OLD), " -> F:b d, F:b d, F:b | "
        "reduction='none' -> F:b d, F:b d, F:b"),
    ("MarginRankingLoss", margin_ranking_loss, ("margin", *_OLD), " -> F:b, F:b, F:b | "
        "reduction='none' -> F:b, F:b, F:b"),
    ("TripletMarginLoss", triplet_margin_loss, ("margin", "p", "eps", "swap", *_OLD),
     " -> F:b d, F:b d, F:b d | "
        "reduction='none' -> F:b d, F:b d, F:b d"),
    ("TripletMarginWithDistanceLoss", triplet_margin_with_distance_loss, (), " -> F:b d, F:b d, F:b d | "
        "reduction='none' -> F:b d, F:b d, F:b d"),
    ("MultiMarginLoss", multi_margin_loss, ("p", "margin", "weight", *_OLD), " -> F:b c, I:b | "
        "reduction='none' -> F:b c, I:b"),
    ("MultiLabelMarginLoss", multilabel_margin_loss, _OLD, " -> F:b c, I:b c | "
        "reduction='none' -> F:b c, I:b c"),
    ("MultiLabelSoftMarginLoss", multilabel_soft_margin_loss, ("weight", *_OLD), " -> F:b c, F:b c | "
        "reduction='none' -> F:b c, F:b c"),
    ("CTCLoss", ctc_loss, ("blank", "reduction", "zero_infinity"), " -> F:9 b 7, I:b 3, I:b, I:b"),
)  # fmt: skip
for _class, _function, _settings, _sample in _MODULES:
    layer(f"torch.nn.{_class}", sample=_sample)(_module(_function, *_settings))
