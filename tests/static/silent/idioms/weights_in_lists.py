"""Weights of layers in a list or dict: an annotation names the axes of each, and layers may differ in width."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def chained(x: Float[Tensor, "b d"], weights: list[Float[Tensor, "i o"]]) -> Float[Tensor, "b out"]:
    for weight in weights:
        x = (x @ weight).relu()
    return x


def product(first: Float[Tensor, "n m"], matrices: Sequence[Float[Tensor, "i o"]]) -> Float[Tensor, "n out"]:
    *others, last = matrices
    for matrix in others:
        first = first @ matrix
    assert all(a.shape[1] == b.shape[0] for a, b in zip(matrices, matrices[1:]))
    return first @ last


def adapted(
    x: Float[Tensor, "b d"], layers: list[tuple[Float[Tensor, "o i"], Float[Tensor, " o"]]], rate: float = 0.1
) -> Float[Tensor, "b out"]:
    for i, (weight, bias) in enumerate(layers):
        x = F.linear(x, weight * (1 - rate), bias)
        if i < len(layers) - 1:
            x = torch.relu(x)
    return x


def by_name(x: Float[Tensor, "b d"], weights: dict[str, Float[Tensor, "o i"]]) -> Float[Tensor, "b out"]:
    for name, weight in weights.items():
        x = x @ weight.T if name.endswith("weight") else x + weight[:, 0]
    return x


def two_layers(x: Float[Tensor, "b d"], weights: list[Float[Tensor, "o i"]]) -> Float[Tensor, "b out"]:
    up, down = weights
    return (x @ up.T).relu() @ down.mT


def matrix_product_state(cores: list[Float[Tensor, "left phys right"]], n: int) -> Float[Tensor, "_ out"]:
    state = torch.ones(n, 1, 1)
    for core in cores:
        state = state @ core.transpose(0, 1)[torch.zeros(n, dtype=torch.long)]
    return state.flatten(1)


def norms(weights: list[Float[Tensor, "o i"]]) -> Float[Tensor, " layers"]:
    squares = [w.square().sum() for w in weights]
    return torch.stack(squares).sqrt()


def balanced(weights: list[Float[Tensor, "o i"]] | None = None) -> list[Float[Tensor, "p q"]]:
    weights = weights or []
    for a, b in zip(weights, weights[1:]):
        assert (b @ a).shape == (b.shape[0], a.shape[1])
    return [w - w.mean(0) for w in weights]


# run: x, weights = torch.randn(4, 3), [torch.randn(3, 3) for _ in range(3)]
# run: assert chained(x, weights).shape == (4, 3) and product(x, weights).shape == (4, 3)
# run: assert chained(x, [torch.randn(3, 5)]).shape == (4, 5)
# run: adapted(x, [(w, torch.zeros(len(w))) for w in weights]); balanced(weights); balanced()
# run: by_name(x, {"a.weight": torch.randn(5, 3)}); by_name(x, {"a.bias": torch.randn(3, 1)})
# run: two_layers(x, weights[:2]); norms(weights)
# run: assert matrix_product_state([torch.randn(1, 2, 1), torch.randn(1, 2, 1)], 6).shape == (6, 1)
