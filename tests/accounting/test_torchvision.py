"""torchvision's published multiply-adds, model by model, where torchvision is installed."""

from __future__ import annotations

import importlib.util

import pytest

if importlib.util.find_spec("torchvision") is None:
    pytest.skip("torchvision is not installed", allow_module_level=True)

from benchmarks.accounting_torchvision import counted, models

_MODELS = models()
_ROWS = [
    "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "googlenet", "maxvit_t", "mnasnet0_5",
    "mobilenet_v2", "mobilenet_v3_small", "regnet_x_400mf", "regnet_y_400mf", "resnet18", "resnext50_32x4d",
    "shufflenet_v2_x1_0", "squeezenet1_1", "swin_t", "swin_v2_t", "vgg11", "vit_b_32", "wide_resnet50_2",
]  # fmt: skip


@pytest.mark.parametrize("name", _ROWS)
def test_published_multiply_adds(name: str) -> None:
    weights = next(iter(_MODELS.get_model_weights(name)))
    total, multiplies = counted(_MODELS, name, weights)
    assert total == weights.meta["num_params"]
    assert multiplies == pytest.approx(weights.meta["_ops"], abs=5.1e-4)
