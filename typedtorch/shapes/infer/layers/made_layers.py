"""Layers and distributions by what they were made with: of other arguments, elsewhere, and read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.operators.rule_values import to_rule
from typedtorch.shapes.infer.values.values import UNKNOWN, LayerV, Object, Value, is_size
from typedtorch.shapes.rule import LAYERS, Layer
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.rules.distributions import DISTRIBUTIONS
from typedtorch.shapes.size import Size
from typedtorch.shapes.tensor import ShapeError, Undecided


def arguments_of(args: Args) -> tuple[Value, ...]:
    """The arguments of a constructor's call, the keywords behind the others as pairs."""
    return (*args.values, *sorted(args.keywords.items()))


def remade(made: LayerV, arguments: tuple[Value, ...]) -> Value:
    """A layer or distribution as its rule makes it of other arguments; unknown where it was changed."""
    if made.arguments is None or made.name not in LAYERS.keys() | DISTRIBUTIONS.keys():
        return UNKNOWN
    before, after = (_layer_of(made.name, given) for given in (made.arguments, arguments))
    if before is None or after is None:
        return UNKNOWN
    if made.name in LAYERS and dict(before.attributes) != dict(made.layer.attributes):
        return UNKNOWN
    return replace(made, layer=after, arguments=arguments)


def _layer_of(name: str, given: tuple[Value, ...]) -> Layer | None:
    """What the rule of a name makes of arguments."""
    function = DISTRIBUTIONS[name] if name in DISTRIBUTIONS else LAYERS[name].function
    values, keywords = _apart(given)
    try:
        layer = call_rule(function, tuple(map(to_rule, values)), {k: to_rule(v) for k, v in keywords.items()})
    except (ShapeError, Undecided):
        return None
    return layer if isinstance(layer, Layer) else None


def _apart(given: tuple[Value, ...]) -> tuple[tuple[Value, ...], dict[str, Value]]:
    last = max((i + 1 for i, value in enumerate(given) if not _is_keyword(value)), default=0)
    return given[:last], dict(given[last:])


def _is_keyword(value: Value) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


# What a module of torch keeps in another form than it is given.
_CONVERTED = frozenset({"kernel_size", "stride", "padding", "output_padding", "output_size"})


def kept_number(made: LayerV, name: str) -> Value:
    """A number that a constructor of torch was given, or has by default, and keeps as an attribute."""
    if made.arguments is None or made.name not in LAYERS or name in _CONVERTED:
        return UNKNOWN
    values, keywords = _apart(made.arguments)
    parameters = LAYERS[made.name].signature.parameters
    value = keywords.get(name, parameters[name].default if name in parameters else UNKNOWN)
    if name in parameters and (place := [*parameters].index(name)) < len(values):
        value = values[place]
    return value if is_size(value) or isinstance(value, float) else UNKNOWN


_PASSED = {
    "torch.nn.Linear": ("in_features", "out_features"),
    "torch.nn.Embedding": ("num_embeddings", "embedding_dim"),
    "numpy.random.Generator": (),
}


def passed_layer(name: str, hint: str, number: Callable[[str], Size]) -> Value:
    """A layer that was made elsewhere: its sizes are its own."""
    if name not in _PASSED:
        return Object(name)
    layer = call_rule(LAYERS[name].function, tuple(number(f"{hint}.{part}") for part in _PASSED[name]), {})
    if not isinstance(layer, Layer):
        return Object(name)
    known = {k: v for k, v in layer.attributes.items() if k != "bias"}
    return LayerV(name, replace(layer, attributes={**known, "bias": UNKNOWN}))
