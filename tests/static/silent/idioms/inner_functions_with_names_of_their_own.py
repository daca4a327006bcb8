"""Inner functions that call an axis otherwise than the function around them, whose tensors they use."""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor


@dataclass
class Terms:
    scores: Float[Tensor, "seq"]
    mask: Bool[Tensor, "seq"]
    other: Float[Tensor, "seq"] | None = None


def of_each(
    scores: list[Float[Tensor, "length"]],
    masks: list[Bool[Tensor, "length"]],
    others: list[Float[Tensor, "length"]] | None = None,
) -> list[Terms]:
    found = []
    several = [None] * len(scores) if others is None else others
    for given, mask, other in zip(scores, masks, several, strict=True):

        def terms(kept: Bool[Tensor, "seq"]) -> Terms:
            return Terms(given, kept, other)

        found += [terms(mask), terms(~mask)]
    return found


def weighted(x: Float[Tensor, "n dim"], y: Float[Tensor, "n dim"]) -> Callable[[Tensor], Tensor]:
    def total(weights: Float[Tensor, "rows"]) -> Float[Tensor, ""]:
        return (x * y).sum(-1) @ weights

    total(x[:, 0])
    return total


def with_part(x: Float[Tensor, "n dim"], bias: Float[Tensor, "dim"]) -> Float[Tensor, "n dim"]:
    def shifted(row: Float[Tensor, "width"]) -> Float[Tensor, "width"]:
        return row + bias

    return x + shifted(x[0])


def use(x: Float[Tensor, "4 3"], mask: Bool[Tensor, "4"]) -> Tensor:
    of_each([x[:, 0]], [mask])
    of_each([x[:, 0]], [mask], [x[:, 1]])
    return with_part(x, x[1]).sum() + weighted(x, x)(x[:, 1])


# run: use(randn(4, 3), randn(4) > 0)
