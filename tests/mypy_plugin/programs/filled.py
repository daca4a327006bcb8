"""A dict or list that a module returns is filled with other things; what it gave is known where it is not."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

import torch
from torch import Tensor, nn


class Outputs(TypedDict):
    logits: Tensor


class Named(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {"x": x}


class Nested(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, dict[str, list[Tensor]]]:
        return x, {"x": [x]}


class ReadOnly(nn.Module):
    def forward(self, x: Tensor) -> Mapping[str, Tensor]:
        return {"x": x}


class Keys(nn.Module):
    def forward(self, x: Tensor) -> Outputs:
        return {"logits": x}


class Several(nn.Module):
    def forward(self, x: Tensor) -> list[Tensor]:
        return [x]


class Parts(nn.Module):
    def forward(self, x: Tensor) -> Iterable[Tensor]:
        yield from x


class Rows(nn.Module):
    def forward(self, x: Tensor) -> Iterator[Tensor]:
        return iter(x)


class Nothing(nn.Module):
    def forward(self, x: Tensor) -> None:
        self.last = x


def dicts(x: Tensor, count: int) -> None:
    a = Named()(x)
    a["n"] = None
    b = Named()(x)
    b["n"] = count
    c = Named()(x)
    c.update(loss=1.0)
    d = Named()(x)
    d.update({"loss": 1.0})
    e = Named()(x)
    e["n"], k = 1.0, 2
    f = Named()(x)
    f.setdefault("n", 1.0)
    g = Named()(x)
    other = g
    other["n"] = count
    h = ReadOnly()(x)
    h["n"] = 1.0
    i = Keys()(x)
    i["loss"] = 1.0
    y, j = Nested()(x)
    j["x"].append(count)
    y.nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]
    m = Named()(x)
    for key in list(m):
        m[key] = m[key].tolist()
    b.nothing  # E: "dict[Any, Any]" has no attribute "nothing"  [attr-defined]
    print(a, b, c, d, e, f, g, h, i, j, k, m)


def lists(x: Tensor) -> None:
    g = Several()(x)
    g.append(1.0)
    h = Several()(x)
    h[0] = 3
    i = Several()(x)
    i.extend([None])
    j = Several()(x)
    j.insert(0, "s")
    print(g, h, i, j)


def tensors(x: Tensor) -> None:
    a = Named()(x)
    a["y"] = torch.relu(x)
    a["x"].nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]
    b = Several()(x)
    b.insert(0, x.relu())
    b[0].nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]
    c = nn.Linear(2, 2)(x)
    c[0] = 0.0
    c.nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]


def generated(x: Tensor) -> None:
    parts = Parts()(x)
    print(next(parts).shape, next(Parts()(x)).shape)
    parts.close()
    next(parts).nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]
    Rows()(x).close()  # E: "Iterator[Tensor]" has no attribute "close"  [attr-defined]
    out = Nothing()(x)
    print(out)
