import asyncio
from collections.abc import AsyncIterator
import torch
from jaxtyping import Float, Int
from torch import Tensor


async def stream(n: int) -> AsyncIterator[tuple[Float[Tensor, "8 16"], Int[Tensor, "8"]]]:
    for _ in range(n):
        await asyncio.sleep(0)
        yield torch.randn(8, 16), torch.zeros(8, dtype=torch.long)


async def mean_feature(n: int) -> Float[Tensor, "16"]:
    total = torch.zeros(16)
    async for x, y in stream(n):
        total = total + x[y == 0].mean(0)  #! total = total + x[:, y].mean(1)  # E: shape
    return total / n


# run: import asyncio
# run: asyncio.run(mean_feature(2))
