import tempfile

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor


def batch(path: str, size: int, ctx: int) -> tuple[Int[Tensor, "size ctx"], Int[Tensor, "size ctx"]]:
    data = np.memmap(path, dtype=np.uint16, mode="r")
    starts = torch.randint(len(data) - ctx, (size,))
    x = torch.stack([torch.from_numpy(data[i : i + ctx].astype(np.int64)) for i in starts])
    y = [torch.from_numpy(data[i + 1 : i + 1 + ctx].astype(np.int64)) for i in starts]
    return x, torch.stack(y)  #! return x, torch.cat(y)  # E: shape


def tokens(n: int) -> str:
    path = tempfile.mkstemp()[1]
    np.arange(n, dtype=np.uint16).tofile(path)
    return path


# run: batch(tokens(100), 4, 8)
