"""How many heads of keys and values a model computes, where it repeats them before it attends.

Most code for grouped queries repeats each head of keys and values for its group of queries
(``repeat_interleave``, ``expand`` and ``reshape``): what a decoder caches is what there was before.
"""

from __future__ import annotations

from collections.abc import Sequence

from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op, TensorMeta, metas
from typedtorch.shapes.size import product

_COPIES = ("clone", "repeat", "_to_copy", "index_select", "index", "cat")


def cached_heads(ops: Sequence[Op], attention: Op) -> int:
    """The heads of keys (or of values, where they are more) before they are repeated for a call of attention.

    ``ops`` are those of the trace that the call is from.
    """
    before = ops[: next((i for i, op in enumerate(ops) if op is attention), 0)]
    key, value = attention.args[1], attention.args[2]
    return max(_unrepeated(before, key), _unrepeated(before, value))


def _unrepeated(before: Sequence[Op], meta: TensorMeta) -> int:
    heads, times = number(meta.shape[-3]), _repeats(meta)
    for op in reversed(before):
        if all(out.storage != meta.storage for out in op.outs):
            continue
        sources = tuple(metas(op.args))
        if any(source.storage == meta.storage for source in sources):
            continue  # a view, or written in place
        if not _copies(op, sources):
            break
        held = sources[0]
        times *= max(1, number(op.outs[0].numel) // max(1, number(held.numel))) * _repeats(held)
        meta = held
    return heads // times if heads % times == 0 else heads


def _copies(op: Op, sources: tuple[TensorMeta, ...]) -> bool:
    """Whether it only copies, out of one piece of memory; the tensors of an index are no source."""
    name = op.name.split(".")[1]
    one = name != "cat" or len({source.storage for source in sources}) == 1
    return name in _COPIES and bool(sources) and one


def _repeats(meta: TensorMeta) -> int:
    """How often each number of an expanded tensor is there."""
    return max(1, number(meta.numel) // max(1, number(product(meta.touched))))
