"""Sizes compared out of sight of the test: in a helper that says which, why or how many, or before it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

A, B = Float[Tensor, "n d"], Float[Tensor, "m d"]


class Verdict(NamedTuple):
    ok: bool
    why: str = ""


def compatible(*tensors: Tensor) -> bool:
    return len({t.shape for t in tensors}) <= 1


def first_mismatch(a: Tensor, b: Tensor) -> int | None:
    for i, (x, y) in enumerate(zip(a.shape, b.shape)):
        if x != y:
            return i
    return None


def mismatches(a: Tensor, b: Tensor) -> list[int]:
    return [i for i, (x, y) in enumerate(zip(a.shape, b.shape)) if x != y]


def problem(a: Tensor, b: Tensor) -> str:
    if len(a) != len(b):
        return f"{len(a)} and {len(b)}"
    return ""


def problems(a: Tensor, b: Tensor) -> list[str]:
    found = []
    if len(a) != len(b):
        found.append("length")
    if a.dtype != b.dtype:
        found.append("dtype")
    return found


def verdict(a: Tensor, b: Tensor) -> Verdict:
    why = problem(a, b)
    return Verdict(not why, why)


def by_predicate(a: A, b: B) -> A:
    return a + b if compatible(a, b) else a


def by_axis(a: A, b: B) -> A:
    if (axis := first_mismatch(a, b)) is not None:
        return a + b.mean(axis, keepdim=True)
    return a + b


def by_axes(a: A, b: B) -> A:
    bad = mismatches(a, b)
    if bad:
        return a
    return a + b


def by_texts(a: A, b: B) -> A:
    if [f"{x} is not {y}" for x, y in zip(a.shape, b.shape) if x != y]:
        return a
    return a + b


def by_reason(a: A, b: B) -> A:
    if problem(a, b):
        return a
    return a + b


def by_reasons(a: A, b: B) -> A:
    if problems(a, b):
        return a
    return a + b


def by_verdict(a: A, b: B) -> A:
    if verdict(a, b).why:
        return a
    return a + b


def by_count(a: A, b: B) -> A:
    errors = 0
    for x, y in zip(a.shape, b.shape):
        errors += x != y
    if errors:
        return a
    return a + b


def by_list(a: A, b: B) -> A:
    bad: list[int] = []
    for i in range(a.dim()):
        if a.size(i) != b.size(i):
            bad.append(i)
    if bad:
        return a
    return a + b


def by_tensor(a: A, b: B) -> A:
    same = torch.tensor(len(a) == len(b))
    if same:
        return a + b
    return a


def by_what_torch_says(a: A, b: B) -> A:
    try:
        return a + b
    except RuntimeError as error:
        if "must match" not in str(error):
            raise
        return a


def symmetric(
    x: Float[Tensor, "*b n m"], mode: Literal["auto", "never", "always"] = "auto"
) -> Float[Tensor, "*b n m"]:
    do = mode == "always" or (mode == "auto" and x.shape[-1] == x.shape[-2])
    return (x + x.mT) / 2 if do else x


def main(sizes: Sequence[int] = (1, 4, 5)) -> None:
    a = torch.randn(4, 3)
    ways = (by_predicate, by_axis, by_axes, by_texts, by_reason, by_reasons, by_verdict, by_count, by_list, by_tensor, by_what_torch_says)
    for way in ways:
        for n in sizes[1:]:
            assert way(a, torch.randn(n, 3)).shape == a.shape
    symmetric(a)
    symmetric(torch.randn(2, 3, 3))


# run: main()
