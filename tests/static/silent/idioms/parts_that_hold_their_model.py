"""Parts that hold the model they are of, in lists that are filled while it is built."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


class Part:
    def __init__(self, model: Model, width: int) -> None:
        self.model = model
        self.width = width
        self.parts: list[Part] = []


class Linear(Part):
    def __init__(self, model: Model, width: int, out: int) -> None:
        super().__init__(model, width)
        self.weight = torch.randn(width, out)

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b out"]:
        return x @ self.weight * self.model.scale


class Attention(Part):
    def __init__(self, model: Model, width: int) -> None:
        super().__init__(model, width)
        self.q = Linear(model, width, width)
        self.k = Linear(model, width, width)
        self.v = Linear(model, width, width)
        self.parts = [self.q, self.k, self.v]
        if model.has_norm:
            self.norm = Linear(model, width, width)
            self.parts += [self.norm]
        else:
            self.norm = None

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b width"]:
        x = x if self.norm is None else self.norm.forward(x)
        return self.q.forward(x) + self.k.forward(x) + self.v.forward(x)


class Feed(Part):
    def __init__(self, model: Model, width: int, inner: int) -> None:
        super().__init__(model, width)
        self.up = Linear(model, width, inner)
        self.down = Linear(model, inner, width)
        self.parts = [self.up, self.down]
        if model.has_norm:
            self.parts += [Linear(model, width, width)]

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b width"]:
        return x + self.down.forward(self.up.forward(x))


class Model:
    scale = 0.5

    def __init__(self, width: int, layers: int, *, has_norm: bool, gated: bool) -> None:
        self.has_norm = has_norm
        self.modules: list[Part] = []
        self.by_width: dict[int, Part] = {}
        self.contexts: list[Part | None] = []
        first = Linear(self, width, width)
        self.modules += [first]
        if has_norm:
            self.modules += [Linear(self, width, width)]
        for _ in range(layers):
            if gated:
                self.modules += [Feed(self, width, 4 * width)]
            else:
                attention = Attention(self, width)
                feed = Feed(self, width, 2 * width) if has_norm else Feed(self, width, 3 * width)
                self.modules += [attention, feed]
        self.modules += [Linear(self, width, width)]
        for part in self.modules:
            if len(part.parts) > 0:
                for inner in part.parts:
                    self.by_width[inner.width] = inner
            else:
                self.by_width[part.width] = part
        for part in self.modules:
            self.contexts.append(Part(self, 1) if part.parts else None)

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b width"]:
        for part in self.modules:
            x = part.forward(x)
        return x

    def unload(self) -> None:
        for i, part in enumerate(self.modules):
            part.parts = []
            if self.contexts[i] is not None:
                self.contexts[i] = None


def main(x: Float[Tensor, "b width"], *, has_norm: bool, gated: bool) -> Float[Tensor, "b width"]:
    model = Model(x.shape[1], 2, has_norm=has_norm, gated=gated)
    made = model.forward(x)
    model.unload()
    return made


# run: main(randn(2, 3), has_norm=True, gated=False), main(randn(2, 3), has_norm=False, gated=True)
