"""Nested state to JSON and named tensors, and back; nothing is pickled, so reading it cannot run code.

JSON keeps None, booleans, integers, floats, strings, lists and dictionaries with string keys as they are.
What it does not have is an object with one key that begins with ``$``: ``$tensor``, ``$array``,
``$tuple``, ``$items`` (a dictionary with other keys), ``$float`` (nan, inf), ``$bytes``.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Shaped
from torch import Tensor

from typedtorch.training.errors import told


class Unserialisable(TypeError):
    """The state holds something that is neither a plain value nor a tensor."""


def encode(value: object, path: str = "") -> tuple[Any, dict[str, Tensor]]:
    """A JSON value and the tensors it names; tensors that share their memory exactly are named once.

    >>> skeleton, tensors = encode({"a": torch.ones(2), "b": (1, None)})
    >>> skeleton, list(tensors)
    ({'a': {'$tensor': 'a'}, 'b': {'$tuple': [1, None]}}, ['a'])
    >>> encode({"f": print})
    Traceback (most recent call last):
    typedtorch.training.tree.Unserialisable: f: a builtin_function_or_method cannot be saved

    Raises:
        Unserialisable: naming where in the state, and what.
    """
    encoder = _Encoder()
    return encoder.encode(value, path), encoder.tensors


class _Encoder:
    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._seen: dict[tuple[object, ...], str] = {}

    def encode(self, value: object, path: str) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        if isinstance(value, Tensor):
            return {"$tensor": self._tensor(value, path)}
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            return {"$array": self._tensor(torch.from_numpy(value.copy()), path)}
        if type(value) is bytes:
            return {"$bytes": base64.b64encode(value).decode("ascii")}
        if type(value) is list:
            return [self.encode(item, _join(path, i)) for i, item in enumerate(value)]
        if type(value) is tuple:
            return {"$tuple": [self.encode(item, _join(path, i)) for i, item in enumerate(value)]}
        if isinstance(value, Mapping):
            return self._mapping(value, path)
        raise Unserialisable(f"{path or 'state'}: {told(value)} cannot be saved")

    def _mapping(self, value: Mapping[Any, object], path: str) -> Any:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: self.encode(item, _join(path, key)) for key, item in value.items()}
        pairs = [[self.encode(k, path), self.encode(item, _join(path, k))] for k, item in value.items()]
        return {"$items": pairs}

    def _tensor(self, tensor: Shaped[Tensor, "*shape"], path: str) -> str:
        if tensor.layout is not torch.strided or tensor.is_quantized or type(tensor) not in _PLAIN:
            raise Unserialisable(f"{path}: {told(tensor)} of layout {tensor.layout} cannot be saved")
        place = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride(), str(tensor.device))
        if tensor.numel() and place in self._seen:
            return self._seen[place]
        self._seen[place] = path
        self.tensors[path] = tensor.detach()
        return path


_PLAIN = (Tensor, torch.nn.Parameter, torch.nn.Buffer)


def _join(path: str, key: object) -> str:
    return f"{path}/{key}" if path else str(key)


def decode(skeleton: Any, tensors: Mapping[str, Tensor]) -> Any:
    """What :func:`encode` took apart.

    >>> state = {"step": 3, 7: [torch.ones(1), float("inf")], "rng": ("MT", np.arange(2))}
    >>> decode(*encode(state))
    {'step': 3, 7: [tensor([1.]), inf], 'rng': ('MT', array([0, 1]))}

    Raises:
        ValueError: an unknown mark, or a tensor that is not there.
    """
    if isinstance(skeleton, list):
        return [decode(item, tensors) for item in skeleton]
    if not isinstance(skeleton, dict):
        return skeleton
    mark = next(iter(skeleton), "")
    if len(skeleton) != 1 or not mark.startswith("$"):
        return {key: decode(item, tensors) for key, item in skeleton.items()}
    return _decode_mark(mark, skeleton[mark], tensors)


def _decode_mark(mark: str, inner: Any, tensors: Mapping[str, Tensor]) -> Any:
    if mark in ("$tensor", "$array"):
        if inner not in tensors:
            raise ValueError(f"the state names tensor {inner!r}, which is not in the file")
        return tensors[inner] if mark == "$tensor" else tensors[inner].numpy()
    if mark == "$tuple":
        return tuple(decode(item, tensors) for item in inner)
    if mark == "$items":
        return {decode(key, tensors): decode(item, tensors) for key, item in inner}
    if mark == "$float":
        return float(inner)
    if mark == "$bytes":
        return base64.b64decode(inner, validate=True)
    raise ValueError(f"the state holds an unknown mark {mark!r}")
