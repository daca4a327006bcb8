"""Weights of other libraries, in and out; programs for machines without Python."""

from typedtorch.nn.interop.export import ExportError, export
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
    "ExportError",
    "KeyMap",
    "StateDictMismatch",
    "config_from_huggingface",
    "export",
    "from_huggingface",
    "key_map",
    "load_huggingface",
    "to_huggingface",
]
