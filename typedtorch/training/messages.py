"""Values from one process to another: JSON and the bytes of tensors, so that nothing received can run code.

What ``torch.distributed`` sends of itself is a pickle, made by one process and unpickled by the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from typedtorch.training.tensorfile import bytes_of
from typedtorch.training.tree import decode, encode

Move = Callable[[Tensor], object]
"""Moves the bytes of a tensor to the other side, or from it into the tensor."""


def send(value: object, move: Move, device: torch.device) -> None:
    """Say ``value``, plain values and tensors nested in each other, to whoever receives it.

    Raises:
        Unserialisable: it holds something else.
    """
    skeleton, tensors = encode(value)
    outline = [[name, *_outline(tensor)] for name, tensor in tensors.items()]
    head = json.dumps([skeleton, outline]).encode()
    move(torch.tensor([len(head)], device=device))
    move(torch.frombuffer(bytearray(head), dtype=torch.uint8).to(device))
    for tensor in tensors.values():
        _send_bytes(tensor, move, device)


def _outline(tensor: Shaped[Tensor, "*shape"]) -> tuple[str, list[int], bool]:
    return str(tensor.dtype)[6:], list(tensor.shape), tensor.is_meta


def _send_bytes(tensor: Shaped[Tensor, "*shape"], move: Move, device: torch.device) -> None:
    if tensor.numel() and not tensor.is_meta:
        move(bytes_of(tensor.detach().contiguous()).to(device))


def receive(move: Move, device: torch.device) -> Any:
    """The value that is being sent; its tensors in host memory, or ``meta`` ones without bytes."""
    length = torch.zeros(1, dtype=torch.int64, device=device)
    move(length)
    head = torch.empty(int(length), dtype=torch.uint8, device=device)
    move(head)
    skeleton, outline = json.loads(head.cpu().numpy().tobytes())
    tensors = {
        name: _receive_tensor(torch.empty(shape, dtype=getattr(torch, dtype)), move, device)
        if not meta
        else torch.empty(shape, dtype=getattr(torch, dtype), device="meta")
        for name, dtype, shape, meta in outline
    }
    return decode(skeleton, tensors)


def _receive_tensor(
    room: Shaped[Tensor, "*shape"], move: Move, device: torch.device
) -> Shaped[Tensor, "*shape"]:
    if not room.numel():
        return room
    inside = bytes_of(room)
    there = inside if device.type == "cpu" else torch.empty_like(inside, device=device)
    move(there)
    if there is not inside:
        inside.copy_(there)
    return room
