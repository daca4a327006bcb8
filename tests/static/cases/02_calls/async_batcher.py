import asyncio

import torch
from jaxtyping import Float
from torch import Tensor


async def fetch(index: int) -> Float[Tensor, "16 d"]:
    await asyncio.sleep(0)
    return torch.randn(16, 5)


async def merge() -> Float[Tensor, "32 d"]:
    first = await fetch(0)
    second = await fetch(1)
    return torch.cat([first, second])  #! return torch.stack([first, second])  # E: shape


# run: import asyncio
# run: asyncio.run(merge())
