"""Weights of other libraries, in and out."""

from typedtorch.nn.interop.huggingface import (
    config_from_huggingface,
    from_huggingface,
    key_map,
    load_huggingface,
    to_huggingface,
)
from typedtorch.nn.interop.keymap import Difference, Entry, KeyMap, StateDictMismatch

__all__ = [
    "Difference",
    "Entry",
    "KeyMap",
    "StateDictMismatch",
    "config_from_huggingface",
    "from_huggingface",
    "key_map",
    "load_huggingface",
    "to_huggingface",
]
