"""Lists of which a loop, a method or a slice says how many items they have, or does not."""
from __future__ import annotations

from collections import deque

import torch
from jaxtyping import Float
from torch import Tensor


def euler(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> tuple[Float[Tensor, "steps+1 d"], Float[Tensor, "steps d"]]:
    xs, changes = [x0], []
    for u in us:
        changes.append(u - 0.1 * xs[-1])
        xs.append(xs[-1] + changes[-1])
    states = torch.stack(xs)
    assert (states[1:] - states[:-1] - torch.stack(changes)).abs().max() < 1e-4
    return states, torch.stack([after - before for before, after in zip(xs, xs[1:], strict=False)])


def until_it_is_small(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "taken d"]:
    xs = [x0]
    for u in us:
        if u.norm() < 1e-3:
            break
        xs.append(xs[-1] * 0.5)
    return torch.stack(xs)


def only_the_large(us: Float[Tensor, "steps d"]) -> Float[Tensor, "kept d"]:
    kept = [us[0]]
    for u in us:
        if u.norm() > 1:
            kept.append(u)
        else:
            kept.pop()
            kept.append(u)
    return torch.stack(kept)


def under_two_names(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "2*steps+1 d"]:
    xs = [x0]
    same = xs
    for u in us:
        xs.append(u)
        same.append(-u)
    return torch.stack(xs)


def by_a_helper(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "3*steps+1 d"]:
    xs = [x0]

    def add(u: Tensor) -> None:
        xs.append(u)
        xs.append(-u)

    for u in us:
        xs.append(u)
        add(u)
    return torch.stack(xs)


def the_last_few(us: Float[Tensor, "steps d"]) -> Float[Tensor, "few d"]:
    recent: deque[Tensor] = deque(maxlen=3)
    for u in us:
        recent.append(u)
    return torch.stack(list(recent))


def mean_of_all_before(us: Float[Tensor, "steps d"]) -> Float[Tensor, "steps d"]:
    means = [us[0]]
    for t in range(1, len(us)):
        means.append(torch.stack(means).mean(0) + us[t])
    return torch.stack(means)


def one_after_the_other(x: Float[Tensor, "b d"], rounds: int) -> Float[Tensor, "b steps d"]:
    outs: list[Tensor] = [x]
    for _ in range(rounds):
        for _ in range(2):
            outs.append(outs[-1].tanh())
    outs.insert(0, x)
    first, *rest = outs
    rest.extend([first, first])
    return torch.stack(rest, dim=1)


def filled_in(us: Float[Tensor, "steps d"]) -> Float[Tensor, "steps d"]:
    rows = [us[0]] * len(us)
    for i, u in enumerate(us):
        rows[i] = rows[i - 1] + u
    return torch.stack(rows)


def backwards(rewards: Float[Tensor, "t"], gamma: float) -> Float[Tensor, "t"]:
    returns = [torch.zeros(())]
    for r in rewards.flip(0):
        returns.insert(0, r + gamma * returns[0])
    returns.pop()
    return torch.stack(returns)


def every_second(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "seen d"]:
    xs = [x0]
    for u in us:
        xs.append(u)
        del xs[0]
        xs.append(x0)
    return torch.stack(xs[::2])


def layers_of_a_cache(cache: dict[str, Float[Tensor, "b d"]], x: Float[Tensor, "b d"]) -> Float[Tensor, "b layers d"]:
    before = len(cache)
    cache["last"] = x
    stacked = torch.stack(list(cache.values()), dim=1)
    weights = torch.ones(len(cache))
    assert len(cache) in (before, before + 1)
    return stacked * weights[:, None]


# run: euler(randn(3), randn(5, 3)), until_it_is_small(randn(3), randn(5, 3)), only_the_large(randn(5, 3))
# run: under_two_names(randn(3), randn(5, 3)), by_a_helper(randn(3), randn(5, 3)), the_last_few(randn(5, 3))
# run: mean_of_all_before(randn(5, 3)), one_after_the_other(randn(2, 3), 2), filled_in(randn(5, 3))
# run: backwards(randn(5), 0.9), every_second(randn(3), randn(5, 3))
# run: layers_of_a_cache({"a": randn(2, 3), "b": randn(2, 3)}, randn(2, 3))
