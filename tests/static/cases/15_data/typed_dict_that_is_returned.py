from typing import TypedDict

import torch
from jaxtyping import Bool, Int
from torch import Tensor


class Example(TypedDict):
    ids: Int[Tensor, "seq"]
    labels: Int[Tensor, "seq"]
    mask: Bool[Tensor, "seq"]


def example(ids: Int[Tensor, "seq"], pad: int) -> Example:
    labels = torch.roll(ids, -1)
    return {"ids": ids, "labels": labels, "mask": labels != pad}  #! return {"ids": ids, "labels": ids[1:], "mask": labels != pad}  # E: shape


def kept(made: Example) -> Int[Tensor, "kept"]:
    return torch.masked_select(made["labels"], made["mask"])


# run: kept(example(torch.tensor([3, 4, 0, 0]), 0))
