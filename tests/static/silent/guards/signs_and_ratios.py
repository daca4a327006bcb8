"""Lengths compared by the sign of their difference, its size, their ratio, and by what is picked for that."""

import math

import torch
from jaxtyping import Float
from torch import Tensor


def padded(x: Tensor, n: int) -> Tensor:
    return torch.cat([x, x.new_zeros(x.shape[0], n - x.shape[1], x.shape[2])], 1)


def resized(x: Tensor, n: int) -> Tensor:
    return padded(x, n) if x.shape[1] < n else x[:, :n]


def sign(a: int, b: int) -> int:
    return (a > b) - (a < b)


def by_sign(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    t = x.shape[1]
    match (t > n) - (t < n):
        case 0:
            return x
        case 1:
            return x[:, :n]
        case _:
            return padded(x, n)


def by_sign_of_helper(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    match sign(x.shape[1], n):
        case -1:
            return padded(x, n)
        case 1:
            return x[:, :n]
    return x


def by_two_tests(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    match (x.shape[1] < n, x.shape[1] > n):
        case (True, _):
            return padded(x, n)
        case (_, True):
            return x[:, :n]
        case _:
            return x


def by_guards(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    match x.shape[1]:
        case t if t > n:
            return x[:, :n]
        case t if t < n:
            return padded(x, n)
        case _:
            return x


def by_sum_of_tests(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    longer, shorter = x.shape[1] > n, x.shape[1] < n
    state = 2 * longer + shorter
    return x if state == 0 else resized(x, n)


def by_gap(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    gap = abs(x.shape[1] - n)
    if gap < 1:
        return x
    return resized(x, n)


def by_ratio(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    ratio = n / x.shape[1]
    if math.isclose(ratio, 1.0):
        return x
    return resized(x, n)


def by_octave(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    octaves = math.log2(n / x.shape[1])
    if not octaves:
        return x
    return resized(x, n)


def by_name(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    kind = ("other", "same")[x.shape[1] == n]
    if kind == "same":
        return x
    return resized(x, n)


def by_table(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b {n} d"]:
    match {True: "same", False: "other"}[x.shape[1] == n]:
        case "same":
            return x
        case _:
            return resized(x, n)


def added(x: Float[Tensor, "b t d"], y: Float[Tensor, "b s d"]) -> Float[Tensor, "b t d"]:
    match x.shape[1] <= y.shape[1], x.shape[1] >= y.shape[1]:
        case True, True:
            return x + y
        case True, False:
            return x + y[:, : x.shape[1]]
    return x


def main() -> None:
    ways = (by_sign, by_sign_of_helper, by_two_tests, by_guards, by_sum_of_tests, by_gap, by_ratio, by_octave, by_name, by_table)
    x = torch.randn(2, 5, 3)
    for way in ways:
        for n in (3, 5, 7):
            assert way(x, n).shape == (2, n, 3)
    for n in (3, 5, 7):
        added(x, torch.randn(2, n, 3))


# run: main()
