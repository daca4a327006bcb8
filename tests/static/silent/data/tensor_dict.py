"""Nested dictionaries of tensors, mapped and indexed together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Union

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

Tree = Union[Tensor, Mapping[str, "Tree"], list, tuple]


def tree_map(fn: Callable[[Tensor], Any], tree: Tree) -> Any:
    if isinstance(tree, Tensor):
        return fn(tree)
    if isinstance(tree, Mapping):
        return {k: tree_map(fn, v) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(tree_map(fn, v) for v in tree)
    raise TypeError(f"cannot map over {type(tree).__name__}")


def leaves(tree: Tree) -> Iterator[Tensor]:
    match tree:
        case Tensor():
            yield tree
        case dict():
            for value in tree.values():
                yield from leaves(value)
        case [*items]:
            for value in items:
                yield from leaves(value)


class TensorDict(dict[str, Tensor]):
    batch_size: int

    def __init__(self, *args: Any, batch_size: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.batch_size = next(iter(self.values())).shape[0] if batch_size is None else batch_size
        for key, value in self.items():
            if value.shape[0] != self.batch_size:
                raise ValueError(f"{key} has {value.shape[0]} rows, wanted {self.batch_size}")

    def __getattr__(self, name: str) -> Tensor:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def index(self, idx: Int[Tensor, "k"] | Bool[Tensor, "n"] | slice) -> TensorDict:
        return TensorDict({k: v[idx] for k, v in self.items()})

    def split(self, size: int) -> list[TensorDict]:
        parts = {k: v.split(size) for k, v in self.items()}
        count = len(next(iter(parts.values())))
        return [TensorDict({k: v[i] for k, v in parts.items()}) for i in range(count)]

    @staticmethod
    def cat(items: list[TensorDict]) -> TensorDict:
        return TensorDict({k: torch.cat([item[k] for item in items]) for k in items[0]})

    def to(self, *args: Any, **kwargs: Any) -> TensorDict:
        return TensorDict({k: v.to(*args, **kwargs) for k, v in self.items()})


def stack_trees(trees: list[dict[str, Float[Tensor, "..."]]]) -> dict[str, Shaped[Tensor, "n ..."]]:
    keys = trees[0].keys()
    return {key: torch.stack([t[key] for t in trees]) for key in keys}


def global_norm(tree: Tree) -> Float[Tensor, ""]:
    return torch.sqrt(sum((x.square().sum() for x in leaves(tree)), torch.zeros(())))


def clip(tree: Tree, limit: float) -> Any:
    scale = (limit / global_norm(tree)).clamp(max=1.0)
    return tree_map(lambda x: x * scale, tree)


def flatten(tree: dict[str, Tensor]) -> tuple[Float[Tensor, "total"], Callable[[Tensor], dict[str, Tensor]]]:
    shapes = {k: v.shape for k, v in tree.items()}
    sizes = [v.numel() for v in tree.values()]

    def restore(flat: Tensor) -> dict[str, Tensor]:
        return {k: part.view(shape) for (k, shape), part in zip(shapes.items(), flat.split(sizes))}

    return torch.cat([v.reshape(-1) for v in tree.values()]), restore


# run: td = TensorDict(x=randn(7, 3), y=randint(0, 5, (7,))); td.index(torch.tensor([0, 3])); td.x.shape
# run: TensorDict.cat(td.split(2)).to(torch.float64); td.index(td.y > 2); td.index(slice(0, 3))
# run: clip({"a": [randn(3, 5)], "b": (randn(7),)}, 1.0); stack_trees([{"w": randn(2, 3)}, {"w": randn(2, 3)}])
# run: flat, back = flatten({"w": randn(2, 3), "b": randn(5)}); back(flat)["w"].shape
