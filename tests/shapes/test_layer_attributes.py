"""What a rule says of a module's attributes is what the real module has, and no parameter is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from properties import NEEDS, draws
from real import covers, describe, realise, resolve
from sampling import at, draw_sizes, letters

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.infer.layers.made_layers import kept_number
from typedtorch.shapes.infer.values.values import UNKNOWN, LayerV
from typedtorch.shapes.rule import LAYERS, Layer, Rule, lints, spelled
from typedtorch.shapes.tensor import ShapeError, Undecided

# A lazy module has its parameters after the first call; an einops layer has them by its pattern.
LATE = {"einops.layers.torch.EinMix", *(name for name in LAYERS if name.startswith("torch.nn.Lazy"))}


def _is_module(name: str) -> bool:
    made = resolve(name)
    return isinstance(made, type) and issubclass(made, torch.nn.Module) and name not in NEEDS


def _pairs(row: Rule) -> Iterator[tuple[LayerV, torch.nn.Module]]:
    """A layer as its rule makes it, and as torch does, for random arguments that both take."""
    for rng, template in draws(row, "layer", 12, 0):
        call = at(template, draw_sizes(letters(template), rng, distinct=False))
        named = {key: realise(value, "meta", 1) for key, value in call.kwargs.items()}
        try:
            with lints():
                args, kwargs = spelled(row.function, tuple(call.args), call.kwargs)
                made = row.function(*args, **kwargs)
            module = resolve(row.name)(*realise(call.args, "meta", 1), **named)
        except (ShapeError, Undecided, ValueError, TypeError, RuntimeError, AssertionError):
            continue
        assert isinstance(made, Layer)
        yield LayerV(row.name, made, arguments=(*call.args, *sorted(call.kwargs.items()))), module


def _is_true(said: Any, real: Any) -> bool:
    return said is UNKNOWN or callable(said) or isinstance(said, Layer) or said == real or covers(said, real)


@pytest.mark.parametrize("name", [name for name in LAYERS if _is_module(name)])
def test_attributes_are_those_of_the_module(name: str) -> None:
    pairs = list(_pairs(LAYERS[name]))
    assert pairs
    for ours, module in pairs:
        for attribute, said in ours.layer.attributes.items():
            assert _is_true(said, describe(getattr(module, attribute))), attribute
        for parameter, real in module.named_parameters(recurse=False):
            assert parameter in ours.layer.attributes or name in LATE, parameter
            assert ours.layer.attributes.get(parameter, real) is not None, parameter


@pytest.mark.parametrize("name", [name for name in LAYERS if _is_module(name)])
def test_numbers_that_it_was_given_are_kept(name: str) -> None:
    for ours, module in _pairs(LAYERS[name]):
        for parameter in {*LAYERS[name].signature.parameters} - ours.layer.attributes.keys():
            number = kept_number(ours, parameter)
            if number is not UNKNOWN and hasattr(module, parameter):
                assert number == getattr(module, parameter), parameter
