"""Calls of attention in a forward, fused or written out: a product, a softmax of it, a product with that.

What a tensor is follows from the operators that made it, storage by storage: whether it holds scores, shares
(a softmax of scores), a mask that is a triangle, positions, and which inputs of the program it depends on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from typedtorch.accounting.attention import ATTENTION, unused
from typedtorch.accounting.count import argument
from typedtorch.accounting.flops import family
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op, TensorMeta, Trace

_PRODUCTS = {"aten.bmm": 0, "aten.mm": 0, "aten.matmul": 0, "aten.baddbmm": 1, "aten.addmm": 1}
_SHARES = ("aten._softmax", "aten._safe_softmax", "aten.exp", "aten.sigmoid")
_MASKS = ("aten.masked_fill", "aten.where", "aten.add", "aten.sub", "aten.mul", "aten.minimum")
_TRIANGLES = ("aten.tril", "aten.triu")
_COMPARED = ("aten.le", "aten.lt", "aten.ge", "aten.gt")
_COPIES = ("aten.clone", "aten._to_copy", "aten.t", "aten.transpose", "aten.stack", "aten.cat", "aten.expand")

# whether a mask discards what lies above the diagonal: "unknown" where it comes from outside
Masked = str
NONE, CAUSAL, UNKNOWN = "none", "causal", "unknown"


@dataclass(frozen=True)
class Attending:
    """One call of attention: its products (one fused operator, or two), and what it is of."""

    products: tuple[Op, ...]
    query: TensorMeta
    key: TensorMeta
    queries: int
    keys: int
    masked: Masked
    of: tuple[frozenset[str], frozenset[str]]  # the inputs that queries and keys depend on

    @property
    def fused(self) -> bool:
        return len(self.products) == 1

    @property
    def path(self) -> str:
        return self.products[0].path

    @property
    def discarded(self) -> tuple[int, int]:
        """How many of all scores a causal mask makes unnecessary, and how many there are."""
        return number(unused(self.queries, self.keys)), self.queries * self.keys


@dataclass(frozen=True)
class _Scores:
    """A product of two tensors that are no weights, and what has been done to it."""

    op: Op
    query: TensorMeta
    key: TensorMeta
    of: tuple[frozenset[str], frozenset[str]]
    masked: Masked = NONE
    shares: bool = False


@dataclass
class _Known:
    """What the storages hold so far."""

    scores: dict[int, _Scores] = field(default_factory=dict)
    triangles: set[int] = field(default_factory=set)
    positions: set[int] = field(default_factory=set)
    weights: set[int] = field(default_factory=set)
    given: set[int] = field(default_factory=set)  # from inputs and buffers
    of: dict[int, frozenset[str]] = field(default_factory=dict)


def attentions(trace: Trace) -> list[Attending]:
    """The calls of attention in the forward of the last step, each once for all its repetitions."""
    step = trace.ops[-1].step if trace.ops else 0
    known = _Known()
    for index, meta in enumerate(trace.inputs):
        known.of[meta.storage] = frozenset((str(index),))
    for index, storage in enumerate(trace.storages):
        if storage.category in ("parameter", "cast"):
            known.weights.add(index)
        elif storage.category in ("input", "buffer"):
            known.given.add(index)
    found: list[Attending] = []
    seen: set[int] = set()
    for op in trace.ops:
        if op.step == step and op.phase == "forward" and id(op) not in seen:
            seen.add(id(op))  # a repeated block repeats the very same operators
            found += _step(op, known)
    return found


def _step(op: Op, known: _Known) -> Iterator[Attending]:
    """Note what an operator makes; a call of attention that it ends."""
    name, ins = family(op.name), op.ins
    if name in ATTENTION:
        yield from _fused(op, known)
    else:
        pair = _product(op, _PRODUCTS[name], known) if name in _PRODUCTS else None
        if pair is not None:
            yield pair
        elif name not in _PRODUCTS:
            _elementwise(op, name, known)
    of = frozenset[str]().union(*(known.of.get(m.storage, frozenset()) for m in ins))
    for out in op.outs:
        known.of[out.storage] = of | known.of.get(out.storage, frozenset())
    _note_masks(op, name, known)


def _fused(op: Op, known: _Known) -> Iterator[Attending]:
    try:
        query, key = argument(op, "query"), argument(op, "key")
    except KeyError:  # a whole layer
        return
    at = -3 if "_attention_forward" in op.name and "scaled" not in op.name else -2
    masked = CAUSAL if _truth(op, "is_causal") or _truth(op, "custom_mask_type") else NONE
    for which in ("attn_mask", "attn_bias"):
        mask = _optional(op, which)
        if isinstance(mask, TensorMeta) and masked == NONE:
            masked = _kind(mask, number(query.shape[at]), number(key.shape[at]), known)
    yield Attending(
        (op,), query, key, number(query.shape[at]), number(key.shape[at]), masked,
        (known.of.get(query.storage, frozenset()), known.of.get(key.storage, frozenset())),
    )  # fmt: skip


def _optional(op: Op, name: str) -> object:
    try:
        return argument(op, name)
    except KeyError:
        return None


def _truth(op: Op, name: str) -> bool:
    return bool(_optional(op, name))


def _product(op: Op, first: int, known: _Known) -> Attending | None:
    """Scores, or what is mixed by a softmax of them."""
    one, two = op.args[first], op.args[first + 1]
    for operand in (one, two):
        scores = known.scores.get(operand.storage)
        if scores is not None and scores.shares:
            queries, keys = (number(n) for n in scores.op.outs[0].shape[-2:])
            return Attending(
                (scores.op, op), scores.query, scores.key, queries, keys, scores.masked, scores.of
            )
    if one.storage in known.weights or two.storage in known.weights:
        return None
    of = known.of.get(one.storage, frozenset()), known.of.get(two.storage, frozenset())
    scores = _Scores(op, one, two, of)
    if first:
        scores = _with_mask(scores, (op.args[0],), known)
    known.scores[op.outs[0].storage] = scores
    return None


def _elementwise(op: Op, name: str, known: _Known) -> None:
    """Whatever keeps the number of scores keeps them scores."""
    for meta in op.ins:
        scores = known.scores.get(meta.storage)
        if scores is None or not op.outs or op.outs[0].numel != meta.numel:
            continue
        others = tuple(m for m in op.ins if m is not meta and m.storage not in known.scores)
        if name in _MASKS:
            scores = _with_mask(scores, others, known)
        elif name in _TRIANGLES:
            scores = replace(scores, masked=CAUSAL)
        known.scores[op.outs[0].storage] = replace(scores, shares=scores.shares or name in _SHARES)
        return


def _with_mask(scores: _Scores, masks: tuple[TensorMeta, ...], known: _Known) -> _Scores:
    queries, keys = (number(n) for n in scores.op.outs[0].shape[-2:])
    for mask in masks:
        kind = _kind(mask, queries, keys, known)
        if kind != NONE and scores.masked != CAUSAL:
            scores = replace(scores, masked=kind)
    return scores


def _kind(mask: TensorMeta, queries: int, keys: int, known: _Known) -> Masked:
    """What a mask is: one that is the same for all queries is of padding."""
    if mask.storage in known.triangles:
        return CAUSAL
    shape = [number(n) for n in mask.touched]
    squares = len(mask.shape) >= 2 and number(mask.numel) >= queries * keys > 1
    whole = squares and shape[-2:] == [queries, keys] and queries > 1
    return UNKNOWN if whole and mask.storage in known.given else NONE


def _note_masks(op: Op, name: str, known: _Known) -> None:
    """Triangles, positions, what comes from outside, and copies of weights."""
    ins = [m.storage for m in op.ins]
    outs = [m.storage for m in op.outs]
    if name in _TRIANGLES or (name in _COMPARED and len(ins) == 2 and all(i in known.positions for i in ins)):
        known.triangles.update(outs)
    elif name == "aten.arange":
        known.positions.update(outs)
    elif ins and name not in _PRODUCTS:
        if any(i in known.triangles for i in ins) and not any(i in known.scores for i in ins):
            known.triangles.update(outs)
        if all(i in known.positions for i in ins):
            known.positions.update(outs)
        if all(i in known.weights for i in ins) and name in _COPIES:
            known.weights.update(outs)
        if all(i in known.given or i in known.triangles for i in ins):
            known.given.update(outs)
