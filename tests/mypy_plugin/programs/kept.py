"""Correct programs in which a name holds the result of a module, and other things before or after it."""

from typing import Any

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.lstm = nn.LSTM(3, 3)
        self.criterion = nn.CrossEntropyLoss()
        self.last = None

    def forward(self, x: Tensor) -> Tensor:
        h = self.layer(x)
        h = self.layer(h) + h
        out, (c, d) = self.lstm(h)
        out = self.layer(out) + c + d
        return self.layer(out)

    def accumulate(self, x: Tensor, y: Tensor) -> Any:
        loss = 0
        for _ in range(3):
            loss += self.criterion(self.layer(x), y)
        total = 0.0
        total = total + self.criterion(x, y)
        best = None
        best = self.criterion(x, y)
        mean = self.criterion(x, y).mean()
        number = mean.sum()
        number = number.item()
        return loss, total, best, number

    def collect(self, x: Tensor, y: Tensor) -> Any:
        found = {"logits": self.layer(x), "count": 3}
        found["logits"].sum()
        loss = self.criterion(x, y)
        named = {"loss": loss, "rate": 0.1}
        named["loss"].backward()
        several = []
        several.append(self.layer(x))
        several.append(None)
        self.last = self.layer(x)
        self.last = loss
        state = self.lstm(x)
        state = state[0]
        x = self.lstm(x)
        parts = x[0].split(3)
        parts = list(parts)
        return found, several, state, parts

    def arguments(self, x: dict[str, Tensor], y: Tensor | None, z: Tensor) -> Tensor:
        x = sum(x.values())  # type: ignore[assignment]
        x = self.layer(x)
        total = 0.0
        total = total + self.layer(z)
        print(self.layer(total), self.layer(y), self.layer(x))
        print(self.layer("z"))  # E: Argument 1 to "forward" of "Linear" has incompatible type "str"; expected "Tensor"  [arg-type]
        return self.layer(z)

    def several_or_one(self, *x: Tensor) -> Any:
        x = self.layer(x[0])
        return x
