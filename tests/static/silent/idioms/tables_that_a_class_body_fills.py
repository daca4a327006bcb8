"""What a class body assigns and then changes, by an item, a method, an augmented assignment or a loop; and
lists of tensors in a long loop that become one."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


class Subjects:
    TABLE = {"physics": ["optics", "heat"], "arts": ["music"]}
    TABLE["all"] = [topic for topics in TABLE.values() for topic in topics]
    SIZES: dict[str, int] = {"optics": 1}
    SIZES.update(heat=2, music=3)
    LAYERS = [4, 8]
    LAYERS.append(16)
    HEADS = [2]
    HEADS += [4]
    SEEN = {"x": 1}
    for letter in "yz":
        SEEN[letter] = len(SEEN) + 1
    WIDTH = 3
    WIDTH = WIDTH + 1
    DEPTH = LENGTH = 2
    DEPTH += 1

    def sizes(self) -> Float[Tensor, "topics"]:
        return torch.tensor([float(self.SIZES[topic]) for topic in self.TABLE["all"]])

    def sums(self) -> tuple[Tensor, ...]:
        layers = torch.ones(len(self.LAYERS)) + torch.ones(3)
        heads = torch.ones(len(self.HEADS)) + torch.ones(2)
        seen = torch.ones(self.SEEN["z"]) + torch.ones(3)
        return (
            layers,
            heads,
            seen,
            torch.ones(self.WIDTH) + torch.ones(4),
            torch.ones(self.DEPTH, 3) + torch.ones(3, 1),
        )


def log_steps(count: int) -> Float[Tensor, "count"]:
    steps = []
    for _ in range(count):
        step = torch.rand(1)
        steps.append(step)
    return torch.tensor(steps)


def stepped(rates: Float[Tensor, "128"]) -> Float[Tensor, "128"]:
    return rates * log_steps(128)


def removed(rows: list[int], columns: list[int], labels: list[int], count: int) -> np.ndarray:
    alike = [pair for pair in zip(rows, columns) if labels[pair[0]] == labels[pair[1]]]
    chosen = np.random.permutation(alike)[:count]
    return chosen[:, 0] - chosen[:, 1]


def blocks(parts: list[Float[Tensor, "n n"]]) -> Tensor:
    kept = [part for part in parts if part.sum() > 1e9]
    return torch.block_diag(*kept) + torch.block_diag(*[]) + torch.zeros(1, 1)


print(Subjects.TABLE["all"], Subjects.SIZES["heat"])

def padded(rows: Float[Tensor, "3 width"], last: Float[Tensor, "1 width"]) -> Float[Tensor, "8 width"]:
    """A short list and others behind it: as long as both."""
    alike = [row[None] for row in rows] + [last]
    alike.append(last)
    return torch.cat([*alike, *[row[None] for row in rows]])


# run: padded(randn(3, 4), randn(1, 4))
# run: Subjects().sizes(), Subjects().sums(), stepped(randn(128))
# run: removed([0, 1, 2], [1, 2, 0], [0, 0, 0], 2), blocks([randn(2, 2)])
