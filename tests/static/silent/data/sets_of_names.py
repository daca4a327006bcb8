"""Sets of names: which keys of a batch are padded, stacked or left out."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

PADDED = {"tokens", "labels"}
REDUCED = frozenset({"mean", "sum"})


def padded(rows: list[Int[Tensor, " _"]], length: int) -> Int[Tensor, "{len(rows)} {length}"]:
    return torch.stack([torch.nn.functional.pad(row, (0, length - len(row))) for row in rows])


def collate(batch: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    longest = max(len(item["tokens"]) for item in batch)
    made = {key: padded([item[key] for item in batch], longest) for key in PADDED}
    others = set(batch[0]) - PADDED
    return made | {key: torch.stack([item[key] for item in batch]) for key in others}


def reduced(loss: Float[Tensor, " batch"], how: str) -> Float[Tensor, "*one_or_none"]:
    return getattr(loss, how)() if how in REDUCED else loss


def checked(state: dict[str, Tensor], wanted: set[str]) -> list[str]:
    missing = wanted - state.keys()
    unexpected = state.keys() - wanted
    assert not missing & unexpected
    return sorted(missing | unexpected)


def frozen(parameters: dict[str, Tensor]) -> dict[str, Tensor]:
    trained = {"head.weight"}
    trained.add("head.bias")
    trained |= {"norm.weight"}
    trained.discard("norm.weight")
    kept = {name: value for name, value in parameters.items() if name not in trained}
    assert trained.isdisjoint(kept) and trained.issubset(parameters)
    return {name: value @ value.mT for name, value in kept.items()}


def main() -> None:
    short, long = torch.arange(3), torch.arange(4)
    batch = [{"tokens": t, "labels": t, "image": torch.zeros(3, 8, 8)} for t in (short, long)]
    made = collate(batch)
    assert made["tokens"].shape == (2, 4) and made["image"].shape == (2, 3, 8, 8)
    assert reduced(torch.ones(5), "mean").shape == () and reduced(torch.ones(5), "none").shape == (5,)
    assert checked({"w": short, "v": long}, {"w", "u"}) == ["u", "v"]
    shapes = {"head.weight": torch.zeros(4, 4), "head.bias": torch.zeros(4), "body.weight": torch.zeros(4, 6)}
    assert frozen(shapes)["body.weight"].shape == (4, 4)


# run: main()
