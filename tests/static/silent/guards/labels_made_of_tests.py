"""Texts and lists on whose tests a method is called, where a later test is of what they gave."""

import torch
from jaxtyping import Float
from torch import Tensor


def labelled(name: str, x: Float[Tensor, "n d"]) -> tuple[str, Float[Tensor, "n d"]]:
    label = "".join([" " + c if c.isupper() else c for c in name]).strip()
    if label is None or not label:
        label = str([part for part in label.split() if part or label].index)
    return label, x * 2


def counted(names: list[str], x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    kept = sorted([n for n in names if n or len(names) > 1], key=len)
    first = (kept or names).copy()
    if len(first) == len(names):
        return x
    first = [n if n in first else "" for n in names].copy()
    return x + len(first) if first else x


# run: labelled("SomeModel", torch.rand(2, 3)); counted(["a", ""], torch.rand(2, 3)); counted(["b"], torch.rand(2, 3))
