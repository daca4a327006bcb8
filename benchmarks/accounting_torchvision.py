"""torchvision's table of image classifiers: multiply-adds and parameters, published and accounted for.

Run with ``python -m benchmarks.accounting_torchvision`` where torchvision is installed; the result goes to
``benchmarks/results/accounting_torchvision.txt``.  No weights are downloaded and nothing is allocated.
"""

from __future__ import annotations

import contextlib
import datetime
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from typedtorch.accounting import account

_DETECTORS = ("rcnn", "ssd", "retinanet", "fcos", "deeplab", "fcn", "lraspp", "raft", "quantized")
_VIDEO = ("r3d", "mc3", "r2plus1d", "mvit", "s3d", "swin3d")


def models() -> Any:
    """torchvision.models, also where its compiled operators do not match this torch."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        with contextlib.suppress(RuntimeError):  # defined already
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torchvision.models as found  # type: ignore[import-not-found]  # noqa: PLC0415 - optional
    models.library = library  # type: ignore[attr-defined]  # definitions live as long as it does
    return found


def published(found: Any) -> Iterator[tuple[str, Any]]:
    """Classifiers of images, each with an entry of its weights."""
    for name in found.list_models():
        if not any(part in name for part in (*_DETECTORS, *_VIDEO)):
            for weights in found.get_model_weights(name):
                yield name, weights


def counted(found: Any, name: str, weights: Any) -> tuple[int, float]:
    """Parameters and billions of multiply-adds of one image."""
    size = weights.transforms.keywords["crop_size"]
    options: dict[str, Any] = {"aux_logits": False} if name == "googlenet" else {}
    if name.startswith("vit"):
        options["image_size"] = size
    if name in ("googlenet", "inception_v3"):
        options["init_weights"] = False
    image = torch.empty(1, 3, size, size, device="meta")
    answer = account(lambda: found.get_model(name, **options).eval(), image, phase="inference")
    assert answer.uncounted == ()
    return answer.parameters.total, answer.flops.forward / 2e9


def main() -> None:
    found = models()
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = [
        f"torchvision's table, {date}, torch {torch.__version__}", "",
        f"{'model':24s}{'weights':28s}{'parameters':>12s}{'ours':>12s}{'GMACs':>10s}{'ours':>10s}",
    ]  # fmt: skip
    right = rows = 0
    for name, weights in published(found):
        meta = weights.meta
        total, multiplies = counted(found, name, weights)
        exact = total == meta["num_params"] and abs(multiplies - meta["_ops"]) <= 5.1e-4
        right, rows = right + exact, rows + 1
        lines.append(
            f"{name:24s}{weights.name:28s}{meta['num_params']:12d}{total:12d}{meta['_ops']:10.3f}"
            f"{multiplies:10.3f}{'' if exact else '  differs'}"
        )
    lines += ["", f"{right} of {rows} rows equal in both, to the digits printed"]
    text = "\n".join(lines)
    Path(__file__).with_name("results").joinpath("accounting_torchvision.txt").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
