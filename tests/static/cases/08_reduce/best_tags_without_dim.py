import torch
from jaxtyping import Float
from torch import Tensor


def viterbi(emissions: Float[Tensor, "t k"], moves: Float[Tensor, "k k"]) -> list[int]:
    best, history = emissions[0], []
    for t in range(1, len(emissions)):
        score, index = (best[:, None] + moves).max(0)  #! score, index = (best[:, None] + moves).max()  # E: shape
        best = score + emissions[t]
        history.append(index)
    path = [int(best.argmax())]
    for index in reversed(history):
        path.append(int(index[path[-1]]))
    return path[::-1]


# run: viterbi(randn(6, 5), randn(5, 5))
