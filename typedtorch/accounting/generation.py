"""A decoding step of an account: what its forward says of attention, weights and positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from typedtorch.accounting.attending import NONE, Attending
from typedtorch.accounting.checks import counts
from typedtorch.accounting.devices import Device, Dtype, bytes_of
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.figures import Cost, placed, repeated
from typedtorch.accounting.flops import family
from typedtorch.accounting.inference import Cache, DecodeStep, decode_step
from typedtorch.accounting.program import record
from typedtorch.accounting.repetition import cached_heads
from typedtorch.accounting.stage import World
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Trace
from typedtorch.shapes.size import product

if TYPE_CHECKING:
    from typedtorch.accounting.answers import Account


def decoding(
    found: Account,
    calls: Sequence[Attending],
    *,
    context: int,
    batch: int,
    device: Device | str,
    dtype: Dtype,
    devices: int,
) -> DecodeStep:
    """One generated token per sequence (:meth:`Account.decoding`)."""
    counts("a cache", context=context, batch=batch)
    suited(calls)
    runs_with(found, max(call.keys for call in calls), context)
    ops = found.trace.ops
    shapes = {(c.query.shape[-3], cached_heads(ops, c.products[0]), c.query.shape[-1]) for c in calls}
    if len(shapes) > 1:
        raise AccountingError(f"decoding: layers differ in (heads, kv heads, head_dim): {sorted(shapes)}")
    heads, kv_heads, head_dim = (number(n) for n in shapes.pop())
    attending = {id(call.products[0]) for call in calls}
    layers = sum(n for cost, n in repeated(found.costs) if id(cost.op) in attending)
    kind = torch.float32 if bytes_of(dtype) >= torch.float32.itemsize else torch.bfloat16
    cache = Cache(
        layers=layers, kv_heads=kv_heads, head_dim=head_dim, batch=batch, context=context, dtype=kind
    )
    looked_up = found.looked_up
    weights = found.parameters.total - looked_up
    sequences = number(product(calls[0].query.shape[:-3]))
    used = used_weights(found.trace, found.costs, sequences, calls[0].queries)
    return decode_step(
        cache,
        parameters=weights,
        multiplied=weights + sum(n * (share - 1) for n, share in used.values()),
        read=weights + sum(n * (min(1, share * batch) - 1) for n, share in used.values() if share < 1),
        looked_up=looked_up,
        heads=heads,
        device=device,
        dtype=dtype,
        devices=devices,
    )


def suited(calls: Sequence[Attending]) -> None:
    """Refuse what no cache of keys and values that grows by a position describes.

    Raises:
        AccountingError: saying which module's attention, and why.
    """
    wanted = "decoding: wanted causal self-attention in a fused kernel (scaled_dot_product_attention)"
    if not calls:
        raise AccountingError(f"{wanted}, got a forward without attention")
    for call in calls:
        where = f" in module {call.path!r}" if call.path else ""
        if not call.fused:
            raise AccountingError(
                f"{wanted}, got separate products{where}: attention written out, or what torch runs for "
                "dropout and for values of another width than the keys"
            )
        if call.of[0] != call.of[1]:
            raise AccountingError(
                f"{wanted}, got cross attention{where}: its keys depend on other inputs than its queries"
            )
        if call.masked == NONE and call.queries > 1:
            raise AccountingError(
                f"{wanted}, got attention without a causal mask{where}: each position looks at those after "
                "it, so that keys and values change with every token"
            )


def runs_with(found: Account, positions: int, context: int) -> None:
    """Run the forward with as many positions as are cached: a table of positions may have fewer rows.

    Raises:
        AccountingError: it does not run.
    """
    axes = [n for n, s in found.sizes.items() if s == positions and n not in found.target.arguments]
    if context <= positions or len(axes) != 1:
        return
    sizes = {**found.sizes, axes[0]: context}
    call = found.target.call(sizes)
    forward = replace(found.setup_for(call), phase="inference", optimizer=None)
    try:
        record(call, sizes, forward, World(checked=True))
    except AccountingError as error:
        what = f"the model does not run with {axes[0]}={context}"
        raise AccountingError(f"decoding: {what}: {error}") from error


def used_weights(
    trace: Trace, costs: Iterable[Cost], sequences: int, positions: int
) -> Mapping[str, tuple[int, float]]:
    """Weights that a token is multiplied with more or less often than once, and how often: experts that only
    some tokens go to, layers that are run again.

    A matrix that multiplies one position of each sequence is a head, and runs for each token generated.
    """
    sizes = {w.path: number(w.numel) for w in trace.weights}
    spent: dict[str, int] = {}
    for cost, where in placed(costs, trace.copies):
        if cost.op.phase != "forward" or not cost.count.matmul:
            continue
        added = family(cost.op.name) in ("aten.addmm", "aten.baddbmm")
        matrices = [m for m in cost.op.ins[added:] if m.storage >= 0 and len(m.shape) > 1]  # no biases
        paths = {trace.storages[m.storage].path for m in matrices}
        for path in paths & sizes.keys():
            own = _in_block(path, cost.op.path, where, trace.copies)
            spent[own] = spent.get(own, 0) + number(cost.count.matmul) * cost.op.times
    found = {}
    for path, flops in spent.items():
        rows = flops / (2 * sizes[path])
        if rows not in (sequences * positions, sequences):
            found[path] = sizes[path], rows / (sequences * positions)
    return found


def _in_block(weight: str, op: str, where: str, copies: Mapping[str, tuple[str, ...]]) -> str:
    """The weight that a repeated operator reads in the repetition ``where`` of its block.

    >>> _in_block("blocks.2.up.weight", "blocks.2.up", "blocks.5.up", {"blocks.2": ("blocks.5",)})
    'blocks.5.up.weight'
    """
    block = next((p for p in copies if f"{op}.".startswith(f"{p}.")), None)
    if block is None or not weight.startswith(f"{block}."):
        return weight
    return where.removesuffix(op[len(block) :]) + weight[len(block) :]
