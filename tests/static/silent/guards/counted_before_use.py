"""Tests of how long an axis is: what they compare may be one, and an axis that is at most one may be gone."""
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def of_the_shorter(x: Float[Tensor, "b n"], y: Float[Tensor, "b m"]) -> Float[Tensor, "b k"]:
    if x.shape[1] < y.shape[1]:
        y = y[:, : x.shape[1]]
    elif x.shape[1] > y.shape[1]:
        x = x[:, : y.shape[1]]
    return x + y


def neither_longer(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    if len(x) > len(y) or len(x) < len(y):
        raise ValueError("of different lengths")
    return x + y


def neither_longer_nested(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    if x.shape[0] >= y.shape[0]:
        if x.shape[0] <= y.shape[0]:
            return x + y
    return x


def longest_allowed(x: Float[Tensor, "n d"], limit: int) -> Float[Tensor, "n d"]:
    if x.shape[0] >= limit:
        assert x.shape[0] <= limit
        return x + torch.arange(limit)[:, None]
    return x


def one_token(q: Float[Tensor, "b q d"], k: Float[Tensor, "b k d"]) -> Float[Tensor, "b q d"]:
    if q.shape[1] <= 1:
        return (q.squeeze(1) + k[:, -1])[:, None]
    return q


def single_or_many(xs: list[Float[Tensor, "n d"]]) -> Float[Tensor, "n d"]:
    if len(xs) < 2:
        return torch.cat(xs)
    return torch.stack(xs).mean(0)


def up_to_one(x: Float[Tensor, "n d"], w: Float[Tensor, "d"]) -> Float[Tensor, "n d"]:
    if not len(x):
        return x
    return x * w


def numbers_in_all(x: Float[Tensor, "n d"]) -> Float[Tensor, "d n"]:
    if x.numel() <= 1:
        return x.view(x.shape[1], x.shape[0])
    return x.T


def square_where_it_has_to_be(x: Float[Tensor, "n m"]) -> Float[Tensor, "n m"]:
    if x.shape[0] < x.shape[1] + 1 and x.shape[1] < x.shape[0] + 1:
        return x + x.T
    return x


def square_in_all(x: Float[Tensor, "n m"]) -> Float[Tensor, "n m"]:
    if x.shape[0] - x.shape[1] > 0 or x.shape[1] - x.shape[0] > 0:
        return x
    return x + x.T


def halved(x: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        rest = x[2 * half :]
        x = torch.cat([x[:half] + x[half : 2 * half], rest])
    return x[0]


def taken_from_the_front(x: Float[Tensor, "n d"], step: int) -> list[Float[Tensor, "_ d"]]:
    found = []
    while len(x) > 0:
        found.append(x[:step])
        x = x[step:]
    return found


def without_neighbours(order: Int[Tensor, "n"], near: Bool[Tensor, "n n"]) -> list[int]:
    kept = []
    while order.numel() > 0:
        kept.append(int(order[0]))
        order = order[1:][~near[order[0], order[1:]]]
    return kept


def main() -> None:
    of_the_shorter(torch.randn(2, 5), torch.randn(2, 3))
    neither_longer(torch.randn(5, 3), torch.randn(5, 3))
    neither_longer_nested(torch.randn(5, 3), torch.randn(5, 3))
    longest_allowed(torch.randn(5, 3), 5)
    one_token(torch.randn(2, 1, 3), torch.randn(2, 7, 3))
    single_or_many([torch.randn(5, 3)])
    up_to_one(torch.randn(5, 3), torch.randn(3))
    numbers_in_all(torch.randn(5, 3))
    square_where_it_has_to_be(torch.randn(4, 4))
    square_in_all(torch.randn(4, 4))
    halved(torch.randn(7, 3))
    taken_from_the_front(torch.randn(7, 3), 2)
    without_neighbours(torch.arange(5), torch.rand(5, 5) < 0.3)


# run: main()
