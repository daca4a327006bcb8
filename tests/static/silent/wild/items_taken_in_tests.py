"""Each ``pop()`` takes one item, however often the checker looks at the test that it stands in."""

import torch
from jaxtyping import Float
from torch import Tensor

A = Float[Tensor, "a"]
B = Float[Tensor, "b"]
C = Float[Tensor, "c"]
D = Float[Tensor, "d"]


def check_size(x: Tensor) -> None:
    if x.shape[0] > 9:
        raise ValueError(x.shape)


def checked(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    check_size(items.pop())
    return items[-1]


def close(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    torch.testing.assert_close(items.pop(), w)
    return items[-1]


def asserted(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    assert items.pop().shape == w.shape
    return items[-1]


def of_a_size(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    if items.pop().shape[0] > 3:
        return items[-1]
    return items[-1]


def between(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    assert 0 < items.pop().shape[0] < 99
    return items[-1]


def asserted_equal(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    assert len(w) == items.pop().shape[0] == w.numel()
    return items[-1]


def both_equal(x: A, y: B, z: C, w: D, n: int) -> C:
    items = [x, y, z, w]
    if n == items.pop().shape[0] == 5:
        return items[-1]
    return items[-1]


def not_none(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    if items.pop() is not None:
        return items[-1]
    return z


def of_a_kind(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    if isinstance(items.pop(), torch.Tensor):
        return items[-1]
    return z


def given_a_name(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    if (t := items.pop()) is not None and t.ndim == 1:
        return items[-1]
    return z


def looped_over(x: A, y: B, z: C, w: D) -> C:
    items = [[x], [y], [z], [w]]
    for _ in items.pop():
        pass
    return items[-1][0]


def until_small(x: A, y: B, z: C, w: D) -> A:
    items = [x, y, z, w]
    while items.pop().shape[0] > 3 and len(items) > 1:
        pass
    return items[0]


def by_a_lambda(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]
    for take in (lambda: items.pop().relu(),):
        take()
    return items[-1]


def by_an_inner_function(x: A, y: B, z: C, w: D) -> C:
    items = [x, y, z, w]

    def f():
        return items.pop()

    if f().ndim == 1:
        return items[-1]
    return items[-1]


def of_two_tests(x: A, y: B, z: C, w: D, flag: bool) -> C:
    items = [x, y, z, w]
    if flag == (items.pop().shape[0] == 3):
        return items[-1]
    return items[-1]


def one_of_two_tests(x: A, y: B, z: C, w: D, flag: bool) -> C:
    items = [x, y, z, w]
    if flag ^ (items.pop() is None):
        return items[-1]
    return items[-1]


def neither(x: A, y: B, z: C, w: D, flag: bool) -> C:
    items = [x, y, z, w]
    if not (items.pop().shape[0] == 3 or flag):
        return items[-1]
    return items[-1]


def collected(x: A, y: B, z: C, w: D) -> D:
    items = [x, y, z]
    hooks = {"keep": lambda item: items.append(item.relu())}
    hooks["keep"](w)
    return items[-1]


# run: checked(randn(2), randn(3), randn(5), randn(7)); close(randn(2), randn(3), randn(5), randn(7)); asserted(randn(2), randn(3), randn(5), randn(7))
# run: of_a_size(randn(2), randn(3), randn(5), randn(7)); between(randn(2), randn(3), randn(5), randn(7)); asserted_equal(randn(2), randn(3), randn(5), randn(7))
# run: both_equal(randn(2), randn(3), randn(5), randn(7), 3); not_none(randn(2), randn(3), randn(5), randn(7)); of_a_kind(randn(2), randn(3), randn(5), randn(7))
# run: given_a_name(randn(2), randn(3), randn(5), randn(7)); looped_over(randn(2), randn(3), randn(5), randn(7)); until_small(randn(2), randn(3), randn(5), randn(7))
# run: by_a_lambda(randn(2), randn(3), randn(5), randn(7)); by_an_inner_function(randn(2), randn(3), randn(5), randn(7)); of_two_tests(randn(2), randn(3), randn(5), randn(7), True)
# run: one_of_two_tests(randn(2), randn(3), randn(5), randn(7), True); neither(randn(2), randn(3), randn(5), randn(7), True); collected(randn(2), randn(3), randn(5), randn(7))
