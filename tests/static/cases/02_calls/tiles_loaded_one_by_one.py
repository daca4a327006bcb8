"""Tiles of a map are fetched in turn and laid out in a row."""

import asyncio

import torch
from jaxtyping import Float
from torch import Tensor


async def load_tile(row: int, column: int) -> Float[Tensor, "3 64 64"]:
    await asyncio.sleep(0)
    return torch.full((3, 64, 64), float(row + column))


async def load_row(row: int, columns: int) -> Float[Tensor, "columns 3 64 64"]:
    tiles = [await load_tile(row, column) for column in range(columns)]
    return torch.stack(tiles)  #! return torch.stack(tiles, dim=1)  # E: shape


# run: assert asyncio.run(load_row(0, 2)).shape == (2, 3, 64, 64)
