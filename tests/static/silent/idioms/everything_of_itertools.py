import itertools
import operator
from collections.abc import Iterable, Iterator
from functools import reduce

import torch
from jaxtyping import Float, Int
from torch import Tensor


def first_and_rest(xs: Iterable[Float[Tensor, "n d"]]) -> tuple[Float[Tensor, "m d"], list[Tensor]]:
    it = iter(xs)
    head = list(itertools.islice(it, 2))
    rest = list(it)
    return torch.cat(head), rest


def drained(a: Float[Tensor, "d"], b: Float[Tensor, "2 d"], c: Float[Tensor, "3 d"]) -> Float[Tensor, "3 d"]:
    it = iter([a, b, c])
    for _ in itertools.islice(it, 2):
        pass
    return next(it)


def padded(xs: list[Float[Tensor, "d"]], ys: list[Float[Tensor, "d"]]) -> Float[Tensor, "n d"]:
    sums = []
    for x, y in itertools.zip_longest(xs, ys):
        if x is None:
            sums.append(y)
        elif y is None:
            sums.append(x)
        else:
            sums.append(x + y)
    return torch.stack(sums)


def padded_with_zeros(xs: list[Float[Tensor, "d"]], ys: list[Float[Tensor, "d"]], d: int) -> Float[Tensor, "n d"]:
    zero = torch.zeros(d)
    return torch.stack([x + y for x, y in itertools.zip_longest(xs, ys, fillvalue=zero)])


def grown(xs: list[Float[Tensor, "n d"]]) -> list[Float[Tensor, "m d"]]:
    return list(itertools.accumulate(xs, lambda a, b: torch.cat([a, b])))


def ranks_that_grow(xs: list[Float[Tensor, "d"]]) -> Tensor:
    return reduce(lambda a, b: a[..., None] * b, xs)


def chain_of_maps(x: Float[Tensor, "b i"], weights: list[Float[Tensor, "_ _"]]) -> Float[Tensor, "b o"]:
    return reduce(torch.matmul, weights, x)


def counted(xs: list[Float[Tensor, "d"]]) -> Float[Tensor, "n d"]:
    kept = []
    for i, x in zip(itertools.count(), xs):
        if i % 2 == 0:
            kept.append(x)
    for i in itertools.count(1):
        if len(kept) >= 4:
            break
        kept.append(kept[0] * i)
    return torch.stack(kept)


def lengths(xs: list[Float[Tensor, "_ d"]]) -> list[Float[Tensor, "_ d"]]:
    made = []
    for a, b in itertools.combinations(xs, 2):
        made.append(torch.cat([a, b]))
    for a, b in itertools.pairwise(xs):
        made.append(torch.cat([a[: len(b)], b[: len(a)]]))
    for size, group in itertools.groupby(sorted(xs, key=len), key=len):
        made.append(torch.stack(list(group)).mean(0))
        assert made[-1].shape[0] == size
    return made


def tables(n: int, m: int) -> Int[Tensor, "cells 2"]:
    return torch.tensor(list(itertools.product(range(n), range(m))))


def cells(x: Float[Tensor, "h w d"], n: int, m: int) -> Float[Tensor, "cells d"]:
    return torch.stack([x[i, j] for i, j in itertools.product(range(n), range(m))])


def endless(xs: list[Float[Tensor, "n d"]]) -> Iterator[Float[Tensor, "n d"]]:
    for epoch in itertools.count():
        for x in xs:
            yield x * epoch


def some(xs: list[Float[Tensor, "n d"]]) -> Float[Tensor, "k n d"]:
    small = itertools.takewhile(lambda x: x.abs().max() < 9, xs)
    large = itertools.dropwhile(lambda x: x.abs().max() < 9, xs)
    finite = itertools.filterfalse(lambda x: x.isnan().any(), itertools.chain(small, large))
    one, other = itertools.tee(finite)
    picked = itertools.compress(one, itertools.cycle([True, True, False]))
    return torch.stack([*picked, *itertools.islice(other, 1), *itertools.islice(endless(xs), 3)])


def scores(pairs: list[tuple[Float[Tensor, "d"], Float[Tensor, "d"]]]) -> Float[Tensor, "n"]:
    made = torch.stack(list(itertools.starmap(torch.dot, pairs)))
    firsts = torch.stack(list(map(operator.itemgetter(0), pairs)))
    lasts = torch.stack([operator.itemgetter(-1)(pair) for pair in pairs])
    assert operator.attrgetter("shape")(firsts) == lasts.shape
    return made + operator.methodcaller("sum", -1)(firsts * 0)


# run: first_and_rest([torch.randn(2, 3) for _ in range(4)])
# run: drained(torch.randn(3), torch.randn(2, 3), torch.randn(3, 3))
# run: padded([torch.randn(3)], [torch.randn(3), torch.randn(3)])
# run: padded_with_zeros([torch.randn(3)], [torch.randn(3), torch.randn(3)], 3)
# run: grown([torch.randn(2, 3) for _ in range(4)])
# run: ranks_that_grow([torch.randn(3) for _ in range(4)])
# run: chain_of_maps(torch.randn(2, 3), [torch.randn(3, 4), torch.randn(4, 5)])
# run: counted([torch.randn(3) for _ in range(4)])
# run: lengths([torch.randn(2, 3), torch.randn(4, 3), torch.randn(2, 3)])
# run: tables(2, 3)
# run: cells(torch.randn(2, 3, 4), 2, 3)
# run: some([torch.randn(2, 3) for _ in range(4)])
# run: scores([(torch.randn(3), torch.randn(3)) for _ in range(4)])
