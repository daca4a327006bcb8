"""What may not be done (``and``, ``or``), lists that change under a loop, and what a later operand changes."""

import torch
from torch import Tensor


def popped(flag: bool) -> Tensor:
    parts = {"a": torch.zeros(3), "b": torch.zeros(3)}
    last = flag and parts.pop("b")
    return (
        torch.stack(list(parts.values())) + torch.zeros(1 if flag else 2, 3) + (0 if last is False else last)
    )


def appended(flag: bool) -> Tensor:
    rows = [torch.zeros(2)]
    flag or rows.append(torch.zeros(2))
    return torch.stack(rows) + torch.zeros(1 if flag else 2, 2)


def moved() -> tuple[Tensor, ...]:
    rows = [torch.zeros(2), torch.zeros(2), torch.zeros(2), torch.zeros(2)]
    for _ in rows:
        del rows[0]
    a = torch.stack(rows) + torch.zeros(2, 2)
    same = rows
    for _ in same:
        rows.remove(rows[0])
    b = torch.stack(rows) + torch.zeros(1, 2)
    parts = [torch.zeros(i + 1, 2) for i in range(6)]
    for first, _ in zip(parts, parts):
        parts[: len(first)] = []
    c = torch.cat(parts) + torch.zeros(11, 2)
    return a, b, c


def in_order() -> Tensor:
    rows = [torch.zeros(2), torch.zeros(2), torch.zeros(3)]
    held = {"rows": rows}
    cut = rows + [rows.pop()[:2]]  # three rows: one is gone before the display is there
    pair = held["rows"], rows.pop()
    return (
        torch.stack(cut)
        + torch.zeros(3, 2)
        + torch.zeros(1, 2)
        + torch.stack(pair[0])
        + torch.zeros(len(pair[0]), 2)
    )


# run: popped(True)
# run: popped(False)
# run: appended(True)
# run: appended(False)
# run: moved()
# run: in_order()
