"""An account in the terminal: a tree of modules, a summary with the formula under each figure."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from typedtorch.accounting.answers import Account
from typedtorch.accounting.devices import Device
from typedtorch.accounting.errors import SymbolError
from typedtorch.accounting.roofline import Time
from typedtorch.accounting.units import binary, decimal, seconds

_FIGURES = (
    ("parameters", "parameters.total", ""),
    ("FLOPs forward", "flops.forward", "FLOP"),
    ("FLOPs backward", "flops.backward", "FLOP"),
    ("FLOPs optimizer", "flops.optimizer", "FLOP"),
    ("FLOPs done twice", "flops.recompute", "FLOP"),
    ("bytes moved", "bytes.step", "B"),
    ("parameters", "memory.parameters", "B"),
    ("gradients", "memory.gradients", "B"),
    ("optimizer state", "memory.optimizer", "B"),
    ("inputs", "memory.inputs", "B"),
    ("saved for backward", "memory.saved", "B"),
    ("peak of a step", "memory.peak", "B"),
)


def render(
    account: Account, *, device: Device | str | None = None, depth: int = 3, formulas: bool = True
) -> Group:
    """Everything an account says, ready to print with rich."""
    parts: list[RenderableType] = [modules(account, device=device, depth=depth), Text()]
    parts.append(summary(account, formulas=formulas))
    if device is not None:
        parts += [Text(), on_device(account, device)]
    parts += [Text(note, style="yellow") for note in _notes(account)]
    return Group(*parts)


def modules(account: Account, *, device: Device | str | None = None, depth: int = 3) -> Table:
    """Modules as a tree, each with its output's shape and what it costs; repeated blocks in one line."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("module", no_wrap=True)
    table.add_column("output", overflow="fold")
    for name in ("parameters", "forward", "backward", "share", "FLOP/B", "bound"):
        table.add_column(name, justify="right", no_wrap=True)
    time = account.time(device) if device is not None else None
    total = max(account.flops.forward + account.flops.backward, 1)
    for path, label, indent in _lines(account, depth):
        cost = account.modules[path]
        work = cost.forward + cost.backward
        table.add_row(
            Text("  " * indent) + Text(label, style="cyan" if indent else "bold"),
            _shape(account, path),
            decimal(cost.parameters) if cost.parameters else "",
            decimal(cost.forward) if cost.forward else "",
            decimal(cost.backward) if cost.backward else "",
            f"{work / total:.1%}" if work else "",
            f"{work / cost.bytes:.3g}" if work and cost.bytes else "",
            _bound(time, path),
        )
    return table


def _lines(account: Account, depth: int) -> Iterator[tuple[str, str, int]]:
    """Path, what to call it, and how deep it stands; blocks that equal their neighbour are joined."""
    order = list(account.modules)
    children: dict[str, list[str]] = {}
    for path in order:
        if path:
            children.setdefault(path.rpartition(".")[0], []).append(path)
    yield "", account.name, 0
    yield from _below(account, children, "", depth, 1)


def _below(
    account: Account, children: dict[str, list[str]], parent: str, depth: int, indent: int
) -> Iterator[tuple[str, str, int]]:
    if indent > depth:
        return
    row = sorted(children.get(parent, []), key=_natural)
    at = 0
    while at < len(row):
        end = at + 1
        while end < len(row) and account.modules[row[end]] == account.modules[row[at]] and _numbered(row[at]):
            end += 1
        name = row[at].rpartition(".")[2]
        label = name if end == at + 1 else f"{name} ... {row[end - 1].rpartition('.')[2]}  ({end - at} alike)"
        yield row[at], label, indent
        yield from _below(account, children, row[at], depth, indent + 1)
        at = end


def _numbered(path: str) -> bool:
    return path.rpartition(".")[2].isdigit()


def _natural(path: str) -> tuple[int, str]:
    last = path.rpartition(".")[2]
    return (int(last), "") if last.isdigit() else (-1, "")


def _shape(account: Account, path: str) -> str:
    meta = account.trace.modules.get(path)
    if meta is None:
        return ""
    named = account.named_shape(path)
    numbers = " ".join(map(str, meta.shape))
    return numbers if named is None or named == numbers else f"{named}  =  {numbers}"


def _bound(time: Time | None, path: str) -> str:
    """What most of a module's time waits for."""
    if time is None:
        return ""
    inside = [d for d in time.dots if d.path == path or d.path.startswith(f"{path}.") or not path]
    spent = sum(d.seconds * d.calls for d in inside)
    if not spent:
        return ""
    waiting = sum(d.seconds * d.calls for d in inside if d.bound == "memory")
    return "memory" if waiting > spent / 2 else "arithmetic"


def summary(account: Account, *, formulas: bool = True) -> Table:
    """Figures with their formulas."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    numbers = account.numbers
    for label, name, unit in _FIGURES:
        value = numbers[name]
        if not value and name not in ("parameters.total", "flops.forward"):
            continue
        text = binary(value) if unit == "B" else decimal(value, unit)
        table.add_row(label, text, _formula(account, name) if formulas else "")
    for line in _reasons(account) if formulas else ():
        table.add_row("", "", line)
    memory = account.memory
    where = f"{memory.peak_operator} in {memory.peak_module or 'the root'}, {memory.peak_phase}"
    table.add_row("at the peak", "", where)
    held = ", ".join(f"{c} {binary(b)}" for c, b in memory.peak_parts.items() if b)
    table.add_row("", "", held)
    return table


def formulas_only(account: Account) -> Group:
    """The figures of an account some of whose axes have no size."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, name, unit in _FIGURES:
        if name == "memory.peak":
            continue
        try:
            found = account.formula(name)
        except SymbolError as error:
            table.add_row(label, str(error))
            continue
        if found.size != 0:
            table.add_row(label, f"{found}{' bytes' if unit == 'B' else ''}")
    wanted = ",".join(f"{name}=..." for name in account.unbound)
    head = f"no sizes for {', '.join(account.unbound)}: formulas only (numbers and the peak with {wanted})"
    return Group(Text(head), Text(), table)


def _formula(account: Account, name: str) -> str:
    try:
        found = account.formula(name)
    except SymbolError:
        return ""
    if not found.names:
        return ""
    return f"{found.size} ({found.why.partition(':')[0]})" if found.why else str(found)


def _reasons(account: Account) -> Iterator[str]:
    """Why axes are kept at their sizes, each reason once."""
    seen: set[str] = set()
    for _, name, _ in _FIGURES:
        with contextlib.suppress(SymbolError):
            where, _, reason = account.formula(name).why.partition(": ")
            if reason and reason not in seen:
                seen.add(reason)
                yield f"{where}: {reason}"


def on_device(account: Account, device: Device | str) -> RenderableType:
    """The roofline's time on a device, or why there is none."""
    time = account.time(device)
    if time is None:
        return Text(account.why_no_time(device), style="yellow")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    ridge = time.device.ridge(account.compute_dtype)
    table.add_row("device", f"{time.device.name}, {binary(time.device.memory)}, ridge {ridge:.0f} FLOP/B")
    phases = ", ".join(
        f"{p} {seconds(time.phase(p))}"
        for p in ("forward", "backward", "recompute", "optimizer")
        if time.phase(p)
    )
    table.add_row("roofline", f"{seconds(time)} a step ({phases})")
    table.add_row(
        "best MFU",
        f"{account.mfu(time, device) or 0:.1%} at that time; {time.memory_share:.0%} of it waits for memory",
    )
    peak, memory = account.memory.peak, time.device.memory
    fits = "fits" if peak <= memory else "does not fit"
    table.add_row("memory", f"{binary(peak)} of {binary(memory)}: {fits}")
    slow = [
        f"{d.name} in {d.path or 'the root'} ({seconds(d.seconds * d.calls)})" for d in time.memory_bound[:3]
    ]
    table.add_row("waiting most", "; ".join(slow))
    for hint in account.hints(device)[:4]:
        table.add_row("hint", f"{hint.path}: {hint.text}")
    return table


def _notes(account: Account) -> Sequence[str]:
    notes = list(account.target.notes)
    for each in account.uncounted:
        size = binary(each.bytes)
        notes.append(f"not counted: {each.operator}, {each.calls} calls, {size}")
    return notes
