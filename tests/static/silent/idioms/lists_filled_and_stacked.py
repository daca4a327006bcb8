"""Lists filled in loops and by comprehensions, shortened, lengthened and stacked; tensors that need not be given."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def pad_list(xs: list[Float[Tensor, "_ d"]]) -> Float[Tensor, "b t d"]:
    longest = max(x.shape[0] for x in xs)
    rows = []
    for x in xs:
        rows.append(F.pad(x, (0, 0, 0, longest - x.shape[0])))
    return torch.stack(rows)


def rollout(x0: Float[Tensor, "b d"], a: Float[Tensor, "d d"], steps: int) -> Float[Tensor, "b steps_plus d"]:
    xs = [x0]
    for _ in range(steps):
        xs.append(xs[-1] @ a)
    return torch.stack(xs, dim=1)


def deltas(x: Float[Tensor, "t d"]) -> Float[Tensor, "t-1 d"]:
    out = []
    for i in range(1, x.shape[0]):
        out.append(x[i] - x[i - 1])
    return torch.stack(out)


def deltas0(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out = [torch.zeros_like(x[0])]
    for i in range(1, len(x)):
        out.append(x[i] - x[i - 1])
    return torch.stack(out)


def deltas1(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out = []
    for i in range(1, len(x)):
        out.append(x[i] - x[i - 1])
    out.insert(0, out[0])
    return torch.stack(out)


def deltas2(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out = []
    for i in range(1, len(x)):
        out.append(x[i] - x[i - 1])
    out = [torch.zeros_like(x[0])] + out
    return torch.stack(out)


def deltas3(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out = []
    for i in range(1, len(x)):
        out += [x[i] - x[i - 1]]
    out.append(out[-1])
    return torch.stack(out)


def deltas4(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out = [x[i] - x[i - 1] for i in range(1, len(x))]
    out.append(out[-1])
    return torch.stack(out)


def deltas5(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out = [x[i] - x[i - 1] for i in range(1, len(x))]
    out.extend([x[0]])
    return torch.stack(out)


def chunks(x: Float[Tensor, "t d"], size: int) -> Float[Tensor, "t d"]:
    out = []
    for i in range(0, x.shape[0], size):
        out.append(x[i : i + size] * 2)
    return torch.cat(out, dim=0)


def chunks2(x: Float[Tensor, "t d"], size: int) -> Float[Tensor, "t d"]:
    out = []
    for part in x.split(size):
        out.append(part * 2)
    return torch.cat(out)


def chunks3(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    return torch.cat([part.relu() for part in x.chunk(4)])


def rows_in_groups(x: Float[Tensor, "gn d"], g: int, n: int) -> Float[Tensor, "g n d"]:
    return torch.stack([x[i * n : (i + 1) * n] for i in range(g)])


def reverse(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    out: list[Tensor] = []
    for t in reversed(range(x.shape[0])):
        out.append(x[t])
    out.reverse()
    return torch.stack(out)


def reverse2(x: Float[Tensor, "t b d"]) -> Float[Tensor, "b t d"]:
    out: list[Tensor] = []
    for t in range(x.size(0) - 1, -1, -1):
        out.append(x[t])
    return torch.stack(out[::-1], dim=1)


def last_k(x: Float[Tensor, "t d"], k: int) -> Float[Tensor, "k d"]:
    out = [r for r in x]
    return torch.stack(out[-k:])


def filtered(x: Float[Tensor, "t d"]) -> Float[Tensor, "m d"]:
    out = []
    for row in x:
        if row.sum() > 0:
            out.append(row)
    return torch.stack(out) if out else x


def nested(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    outer = []
    for seq in x:
        inner = []
        for step in seq:
            inner.append(step.tanh())
        outer.append(torch.stack(inner))
    return torch.stack(outer)


def nested_flat(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b*t d"]:
    rows = []
    for seq in x:
        for step in seq:
            rows.append(step.tanh())
    return torch.stack(rows)


def pairs(x: Float[Tensor, "n d"]) -> Float[Tensor, "p d"]:
    out = []
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            out.append(x[i] * x[j])
    return torch.stack(out)


def zipped(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "k d"]:
    return torch.stack([p + q for p, q in zip(a, b)])


def zipped2(x: Float[Tensor, "t d"]) -> Float[Tensor, "t-1 d"]:
    return torch.stack([b - a for a, b in zip(x[:-1], x[1:])])


def zipped3(x: Float[Tensor, "t d"]) -> Float[Tensor, "t-1 d"]:
    return torch.stack([b - a for a, b in zip(x, x[1:])])


class Stack(nn.Module):
    def __init__(self, d: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(depth)])
        self.mix = nn.Linear(d * (depth + 1), d)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        hs = [x]
        for layer in self.layers:
            x = layer(x).relu()
            hs.append(x)
        return self.mix(torch.cat(hs, dim=-1))

    def all_hidden(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "depth b d"]:
        hs = []
        for layer in self.layers:
            x = layer(x).relu()
            hs.append(x)
        return torch.stack(hs)


class Heads(nn.Module):
    def __init__(self, d: int, n_heads: int) -> None:
        super().__init__()
        assert d % n_heads == 0
        self.heads = nn.ModuleList([nn.Linear(d, d // n_heads) for _ in range(n_heads)])
        self.out = nn.Linear(d, d)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        return self.out(torch.cat([h(x) for h in self.heads], dim=-1))


def average(models: list[Float[Tensor, "n k"]]) -> Float[Tensor, "n k"]:
    total = sum(m.softmax(-1) for m in models)
    return total / len(models)


def lengths(xs: list[Float[Tensor, "_ d"]]) -> Int[Tensor, "b"]:
    return torch.tensor([len(x) for x in xs])


def index_table(n: int) -> Int[Tensor, "n n"]:
    return torch.tensor([[i * j for j in range(n)] for i in range(n)])


def sliding(x: Float[Tensor, "t"], k: int) -> Float[Tensor, "w k"]:
    return torch.stack([x[i : i + k] for i in range(len(x) - k + 1)])


def poly(x: Float[Tensor, "n"], degree: int) -> Float[Tensor, "n degree_plus_1"]:
    return torch.stack([x**p for p in range(degree + 1)], dim=-1)


def while_list(x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
    todo = [r for r in x]
    done = []
    while todo:
        done.append(todo.pop(0))
    return torch.stack(done)


def patience(x: Float[Tensor, "t d"]) -> Float[Tensor, "m d"]:
    kept = []
    for row in x:
        kept.append(row)
        if len(kept) >= 3:
            break
    return torch.stack(kept)


def helper(out: list[Tensor], x: Tensor) -> None:
    out.append(x)


def with_helper(x: Float[Tensor, "t d"]) -> Float[Tensor, "u d"]:
    out = [r for r in x]
    helper(out, x[0])
    return torch.stack(out)


def twice(x: Float[Tensor, "t d"]) -> Float[Tensor, "u d"]:
    out = []
    for _ in range(2):
        for r in x:
            out.append(r)
    return torch.stack(out)


def epochs(x: Float[Tensor, "t d"], n: int) -> Float[Tensor, "n"]:
    history = []
    for _ in range(n):
        losses = []
        for r in x:
            losses.append(r.mean())
        history.append(torch.stack(losses).mean())
    return torch.stack(history)


def opt_scale(x: Float[Tensor, "n d"], w: Float[Tensor, "d k"] | None = None, b: Float[Tensor, "k"] | None = None) -> Float[Tensor, "n k"]:
    if w is not None:
        x = x @ w
    if b is not None:
        x = x + b
    return x


def attend(q: Float[Tensor, "n d"], k: Float[Tensor, "m d"] | None = None, bias: Float[Tensor, "n m"] | None = None) -> Float[Tensor, "n d"]:
    if k is None:
        k = q
    s = q @ k.T
    if bias is not None:
        s = s + bias
    return s.softmax(-1) @ k

# run: lists = [torch.rand(2, 3), torch.rand(4, 3)]
# run: pad_list(lists), lengths(lists), average([torch.rand(2, 3)] * 2)
# run: rollout(torch.rand(2, 3), torch.rand(3, 3), 4)
# run: for f in (deltas, deltas0, deltas1, deltas2, deltas3, deltas4, deltas5, reverse): f(torch.rand(5, 3))
# run: for f in (pairs, zipped2, zipped3, while_list, patience, with_helper, twice, chunks3): f(torch.rand(5, 3))
# run: filtered(torch.rand(5, 3)), chunks(torch.rand(5, 3), 2), chunks2(torch.rand(5, 3), 2), last_k(torch.rand(5, 3), 2)
# run: reverse2(torch.rand(5, 2, 3)), nested(torch.rand(2, 3, 4)), nested_flat(torch.rand(2, 3, 4))
# run: rows_in_groups(torch.rand(6, 2), 3, 2), zipped(torch.rand(3, 2), torch.rand(4, 2)), epochs(torch.rand(3, 2), 4)
# run: Stack(3, 2)(torch.rand(2, 3)), Stack(3, 2).all_hidden(torch.rand(2, 3)), Heads(4, 2)(torch.rand(2, 3, 4))
# run: index_table(3), sliding(torch.rand(6), 2), poly(torch.rand(3), 2)
# run: opt_scale(torch.rand(2, 3), torch.rand(3, 4), torch.rand(4)), opt_scale(torch.rand(2, 3))
# run: attend(torch.rand(2, 3)), attend(torch.rand(2, 3), torch.rand(4, 3), torch.rand(2, 4))
