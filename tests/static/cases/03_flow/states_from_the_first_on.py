import torch
from jaxtyping import Float, Int
from torch import Tensor


def trajectory(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "steps+1 d"]:
    xs = [x0]
    for u in us:
        xs.append(0.9 * xs[-1] + u)
    return torch.stack(xs)  #! return torch.stack(xs[1:])  # E: shape


def after_each_input(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "steps d"]:
    xs = [x0]
    for t in range(us.shape[0]):
        xs.append(0.9 * xs[t] + us[t])
    return torch.stack(xs[1:])  #! return torch.stack(xs)  # E: shape


def by_midpoints(y0: Float[Tensor, "b d"], times: Float[Tensor, "t"]) -> Float[Tensor, "t b d"]:
    ys = []
    ys.append(y0)
    for a, b in zip(times[:-1], times[1:]):  #! for a, b in zip(times, times):
        half = ys[-1] + 0.5 * (b - a) * ys[-1].sin()
        ys.append(ys[-1] + (b - a) * half.sin())
    return torch.stack(ys)  #! return torch.stack(ys)  # E: shape


def best_path(emissions: Float[Tensor, "t tags"], moves: Float[Tensor, "tags tags"]) -> Int[Tensor, "t"]:
    score, back = emissions[0], []
    for e in emissions[1:]:
        best, came_from = (score[:, None] + moves).max(0)
        back.append(came_from)
        score = best + e
    path = [score.argmax()]
    for came_from in reversed(back):
        path.append(came_from[path[-1]])
    return torch.stack(path[::-1])  #! return torch.stack(path[:-1])  # E: shape


def increments(x0: Float[Tensor, "d"], us: Float[Tensor, "steps d"]) -> Float[Tensor, "steps d"]:
    xs = [x0]
    for u in us:
        if u.sum() > 0:
            xs.append(xs[-1] + u)
        else:
            xs.append(xs[-1] - u)
    return torch.stack([b - a for a, b in zip(xs, xs[1:])])  #! return torch.stack([b + a for a, b in zip(xs, xs)])  # E: shape


def two_halves(us: Float[Tensor, "steps d"]) -> Float[Tensor, "2*steps d"]:
    parts = []
    for u in us:
        parts.append(u.relu())
        parts.append((-u).relu())  #!
    return torch.stack(parts)  #! return torch.stack(parts)  # E: shape


# run: trajectory(randn(3), randn(5, 3)), after_each_input(randn(3), randn(5, 3))
# run: by_midpoints(randn(2, 3), torch.linspace(0, 1, 5)), best_path(randn(5, 3), randn(3, 3))
# run: increments(randn(3), randn(5, 3)), two_halves(randn(5, 3))
