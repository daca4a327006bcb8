"""Loops that count down, to one end or another: as many turns as there are steps between the two."""
import numpy as np
import torch
from jaxtyping import Float, Float32
from torch import Tensor


def discounted(rewards: Float[Tensor, "batch time"], gamma: float) -> Float[Tensor, "batch time"]:
    running, out = torch.zeros(rewards.shape[0]), []
    for t in range(rewards.shape[1] - 1, -1, -1):
        running = rewards[:, t] + gamma * running
        out.append(running)
    return torch.stack(out[::-1], dim=1)


def differences(x: Float[Tensor, "batch time"]) -> Float[Tensor, "batch time-1"]:
    return torch.stack([x[:, t] - x[:, t - 1] for t in range(x.shape[1] - 1, 0, -1)], dim=1)


def every_other(x: Float[Tensor, "time d"]) -> Float[Tensor, "half d"]:
    return torch.stack([x[t] for t in range(len(x) - 1, -1, -2)])


def by_steps_of(x: Float[Tensor, "time d"], step: int) -> Float[Tensor, "rows d"]:
    return torch.stack([x[t] for t in range(len(x) - 1, -1, step)])


def down_to(x: Float[Tensor, "time d"], first: int) -> Float[Tensor, "kept d"]:
    kept = []
    for t in range(len(x) - 1, first - 1, -1):
        kept.append(x[t])
        if len(kept) == 3:
            break
    return torch.stack(kept)


def viterbi(scores: Float[Tensor, "time tags tags"]) -> list[int]:
    best = scores.argmax(dim=1)
    path = [0]
    for t in range(scores.shape[0] - 1, -1, -1):
        path.append(int(best[t, path[-1]]))
    path.reverse()
    return path[1:]


def padded_on_the_left(x: Float[Tensor, "time d"], lags: int) -> Float[Tensor, "lags time d"]:
    rows = []
    for lag in range(lags, 0, -1):
        rows.append(torch.cat([x.new_zeros(lag, x.shape[1]), x])[: len(x)])
    return torch.stack(rows)


def centred(x: Float[np.ndarray, "n d"], wide: bool) -> Float[np.ndarray, "n d"]:
    """Whatever the dtype of what it is given."""
    return x - x.mean(axis=0) if not wide else x - x.astype(np.float64).mean(axis=0)


def back_in_single(x: Float32[np.ndarray, "n d"], mean: Float[np.ndarray, "d"]) -> Float32[np.ndarray, "n d"]:
    return (x.astype(np.float64) - mean).astype(np.float32)


def single_all_along(x: Float32[np.ndarray, "n d"], mean: Float[np.ndarray, "d"]) -> Float32[np.ndarray, "n d"]:
    return x - mean


def main() -> None:
    discounted(torch.randn(2, 5), 0.9)
    differences(torch.randn(2, 5))
    every_other(torch.randn(7, 3))
    by_steps_of(torch.randn(7, 3), -3)
    down_to(torch.randn(7, 3), 2)
    viterbi(torch.randn(5, 3, 3))
    padded_on_the_left(torch.randn(7, 2), 3)
    centred(np.random.randn(5, 3), True)
    back_in_single(np.zeros((5, 3), np.float32), np.zeros(3))
    single_all_along(np.zeros((5, 3), np.float32), np.zeros(3, np.float32))


# run: main()
