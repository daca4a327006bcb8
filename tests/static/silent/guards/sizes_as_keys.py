"""Sizes as keys: what is found under a size has that size, and so has what passes a filter."""

import torch
from jaxtyping import Float
from torch import Tensor

A, B = Float[Tensor, "n d"], Float[Tensor, "m d"]


def tried(x: A, y: B) -> A:
    try:
        found = {len(y): y}[len(x)]
    except KeyError:
        return x
    return x + found


def tried_at_once(x: A, y: B) -> A:
    by_length = {len(y): y}
    try:
        return x + by_length[len(x)]
    except KeyError:
        return x


def asked_for(x: A, y: B) -> A:
    found = {len(y): y}.get(len(x))
    return x if found is None else x + found


def popped(x: A, y: B) -> A:
    found = {y.shape: y}.pop(x.shape, None)
    if found is not None:
        return x + found
    return x


def shape_asked_for(x: A, y: B) -> A:
    if {y.shape: "same"}.get(x.shape):
        return x + y
    return x


def stored(x: A, y: B) -> A:
    by_length = {}
    by_length[len(y)] = y
    if len(x) in by_length:
        return x + y
    return x


def labelled(x: A, y: B) -> A:
    labels = {len(y): "same"}
    if len(x) in labels:
        return x + y
    return x


def labels_stored(x: A, y: B) -> A:
    labels: dict[int, str] = {}
    labels[len(y)] = "same"
    return x + y if len(x) in labels else x


def filtered(x: A, y: B) -> A:
    for same in filter(lambda t: len(t) == len(x), [y]):
        x = x + same
    return x


def filtered_list(x: A, others: list[Tensor]) -> A:
    by_length = {len(other): other for other in others}
    return x + by_length[len(x)]


def main() -> None:
    x = torch.randn(4, 3)
    for way in (tried, tried_at_once, asked_for, popped, shape_asked_for, stored, labelled, labels_stored, filtered):
        for n in (4, 5):
            assert way(x, torch.randn(n, 3)).shape == x.shape
    filtered_list(x, [x, x[:2]])


# run: main()
