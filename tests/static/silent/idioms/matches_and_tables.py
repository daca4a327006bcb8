"""Enumerations with behaviour, matching on structure, dictionaries of functions, visitors."""
from __future__ import annotations

import enum
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


class Act(enum.Enum):
    RELU = ("relu", 1)
    GLU = ("glu", 2)
    MAXOUT = ("maxout", 3)

    def __init__(self, label: str, factor: int):
        self.label, self.factor = label, factor

    def __call__(self, x: Tensor) -> Tensor:
        match self:
            case Act.RELU:
                return x.relu()
            case Act.GLU:
                return torch.nn.functional.glu(x, -1)
        return x.unflatten(-1, (-1, self.factor)).amax(-1)

    @classmethod
    def parse(cls, s: str) -> Act:
        return cls[s.upper()]


class Flags(enum.IntFlag):
    KEEP = 1
    SQUARE = 2
    FLIP = 4


class Size(enum.IntEnum):
    SMALL = 4
    BIG = 8


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Op:
    fn: str
    args: tuple[Any, ...]


class Dim(NamedTuple):
    axis: int
    size: int


Expr = Var | Op | float
TABLE: dict[str, Callable[..., Tensor]] = {
    "add": operator.add,
    "mul": torch.mul,
    "outer": lambda a, b: a[..., None] * b[..., None, :],
    "sum": lambda a: a.sum(-1),
    "cat": lambda *xs: torch.cat(xs, -1),
}


def run(e: Expr, env: dict[str, Tensor]) -> Tensor:
    match e:
        case Var(name):
            return env[name]
        case Op("neg", (inner,)):
            return -run(inner, env)
        case Op(fn="cat" | "outer" as fn, args=[first, *rest]):
            out = run(first, env)
            for r in rest:
                out = TABLE[fn](out, run(r, env))
            return out
        case Op(fn, args):
            return TABLE[fn](*(run(a, env) for a in args))
        case int() | float():
            return torch.tensor(float(e))
        case _:
            raise TypeError(e)


def shape_case(x: Tensor) -> Tensor:
    match x.shape:
        case ():
            return x.view(1, 1)
        case (n,):
            return x[None]
        case (n, m) if n > m:
            return x.T
        case (_, _):
            return x
        case (b, *rest):
            return x.reshape(b, math.prod(rest))


def by_dict(cfg: dict) -> Tensor:
    match cfg:
        case {"kind": "zeros", "shape": [*dims]}:
            return torch.zeros(dims)
        case {"kind": "eye", "n": n, **extra} if not extra:
            return torch.eye(n)
        case {"kind": "eye", "n": n, "m": m}:
            return torch.eye(n, m)
        case {"kind": str(kind)}:
            return torch.zeros(len(kind))
    return torch.zeros(0)


def apply_flags(x: Float[Tensor, "n d"], flags: Flags) -> Tensor:
    if flags & Flags.FLIP:
        x = x.T
    if Flags.SQUARE in flags:
        x = x @ x.T
    return x if flags & Flags.KEEP else x.sum(0)


class Visitor:
    def visit(self, node: Any) -> Any:
        return getattr(self, f"visit_{type(node).__name__}", self.generic)(node)

    def generic(self, node: Any) -> Tensor:
        return torch.zeros(1)

    def visit_list(self, node: list) -> Tensor:
        return torch.cat([self.visit(n) for n in node])

    def visit_int(self, node: int) -> Tensor:
        return torch.zeros(node)


def main():
    x = torch.zeros(2, 12)
    outs = {a.label: a(x) for a in Act}
    a, b = Act.parse("glu")(x), outs["maxout"]
    widths = torch.zeros(sum(a.factor for a in Act), len(Act))
    env = {"x": torch.zeros(3), "y": torch.zeros(4)}
    c = run(Op("outer", (Var("x"), Var("y"))), env)
    d = run(Op("sum", (Op("add", (Op("outer", (Var("x"), Var("y"))), 2.0)),)), env)
    e = run(Op("cat", (Var("x"), Op("neg", (Var("y"),)), Var("x"))), env)
    shapes = [shape_case(torch.zeros(s)) for s in [(), (3,), (5, 2), (2, 5), (2, 3, 4)]]
    f, g = shapes[2], shapes[-1]
    h, i = by_dict({"kind": "zeros", "shape": [2, 3]}), by_dict({"kind": "eye", "n": 3, "m": 5})
    j, k = by_dict({"kind": "eye", "n": 3}), by_dict({"kind": "other"})
    z = torch.zeros(3, 5)
    l, m = apply_flags(z, Flags.SQUARE | Flags.FLIP), apply_flags(z, Flags.KEEP)
    n = Visitor().visit([2, [3, 4], "x"])
    o = torch.zeros(Size.BIG, Size.SMALL + 1, Size(4), Size["BIG"].value)
    dims = [Dim(1, 3), Dim(axis=0, size=2)]
    p = torch.zeros([s for _, s in sorted(dims)])
    q = torch.zeros(2, 3).transpose(*(d.axis for d in dims))
    return a, b, widths, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q


# run: main()
