import asyncio

import torch
from jaxtyping import Float
from torch import Tensor


async def image_tower(x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 512"]:
    return torch.zeros(x.shape[0], 512)


async def text_tower(x: Float[Tensor, "b s d"]) -> Float[Tensor, "b 512"]:
    return torch.ones(x.shape[0], 512)


async def similarity(image: Float[Tensor, "n 3 h w"], text: Float[Tensor, "m s d"]) -> Float[Tensor, "n m"]:
    a = await image_tower(image)
    b = await text_tower(text)  #! b = await image_tower(text)  # E: shape
    return a @ b.T


# run: import asyncio
# run: asyncio.run(similarity(randn(2, 3, 5, 7), randn(3, 5, 11)))
