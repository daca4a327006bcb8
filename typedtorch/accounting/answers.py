"""``Account``: the answer to :func:`account`, with what follows from its figures."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal

from typedtorch.accounting import conventions
from typedtorch.accounting import timeline as tl
from typedtorch.accounting.attending import Attending, attentions
from typedtorch.accounting.checks import one_of, share
from typedtorch.accounting.devices import Device, Dtype, find, why_unknown
from typedtorch.accounting.generation import decoding
from typedtorch.accounting.inference import DecodeStep
from typedtorch.accounting.napkin import Napkin, napkin
from typedtorch.accounting.result import Figures
from typedtorch.accounting.roofline import Hint, Time, hints, missing, roofline
from typedtorch.accounting.sharding import Sharded, Strategy, sharded
from typedtorch.accounting.trace import Trace
from typedtorch.accounting.units import binary, decimal
from typedtorch.accounting.utilisation import MeasuredPeak, mfu, peak_flops

Convention = Literal["exact", "hardware", "causal", "6N", "kaplan", "palm", "torchtitan"]


class Account(Figures):
    """What a target costs at given sizes: :class:`Figures`, and time, utilisation, runs and shards."""

    def __repr__(self) -> str:
        """One line; without sizes, which are missing."""
        if self.unbound:
            return f"Account({self.target.name}: no sizes for {', '.join(self.unbound)})"
        at = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        figures = (
            f"{decimal(self.parameters.total)} parameters",
            f"{decimal(self.flops.forward, 'FLOP')} forward",
            f"{decimal(self.flops.backward, 'FLOP')} backward",
            f"{binary(self.memory.peak)} at the peak",
        )
        return f"Account({self.target.name}{' at ' + at if at else ''}: {', '.join(figures)})"

    @property
    def tokens(self) -> int:
        """Positions of one step, all micro-batches, by the first input: every element of token numbers,
        every vector of continuous data, every image.
        """
        return tokens_of(self.trace) * self.setup.accumulate

    def counted(self, *, recompute: bool = False, causal: bool = False, elementwise: bool = False) -> int:
        """FLOPs of forward and backward by a choice of what counts (:func:`conventions.counted`)."""
        total = conventions.counted(self.costs, recompute=recompute, causal=causal, elementwise=elementwise)
        return total - (conventions.masked_by_tensors(self.costs, self._attentions) if causal else 0)

    @functools.cached_property
    def _attentions(self) -> list[Attending]:
        """Calls of attention in the forward, fused or written out."""
        return attentions(self.trace)

    def convention(self, name: Convention) -> float:
        """FLOPs of forward and backward as a named source would count them.

        ``exact`` the layers' equations, attention dense; ``hardware`` with what runs twice; ``causal``
        without masked scores; ``6N`` six per parameter and token; ``kaplan`` the same without embeddings
        (tables that rows are looked up in, output heads tied to them too); ``palm`` ``6N`` and dense
        attention; ``torchtitan`` the same with embeddings that are only looked up left out.  Attention is
        seen in any kernel, and written out as a product, a softmax and a product.

        Raises:
            AccountingError: another name; ``causal`` where a mask may be causal and comes from outside.
        """
        n, tokens = self.parameters.total, self.tokens
        known: dict[str, Callable[[], float]] = {
            "exact": self.counted,
            "hardware": lambda: self.counted(recompute=True),
            "causal": lambda: self.counted(causal=True),
            "6N": lambda: 6 * n * tokens,
            "kaplan": lambda: 6 * (n - self.parameters.embedding) * tokens,
            "palm": lambda: 6 * n * tokens + self._dense_attention,
            "torchtitan": lambda: 6 * (n - self.looked_up) * tokens + self._dense_attention,
        }
        one_of(f"convention({name!r})", name, known)
        return known[name]()

    @property
    def _dense_attention(self) -> int:
        return 3 * conventions.attention_forward(self.costs, self._attentions)

    @property
    def looked_up(self) -> int:
        """Parameters that multiply nothing; an embedding that is the output head as well does."""
        used = {
            meta.storage
            for cost in self.costs
            if cost.count.matmul and cost.op.phase == "forward"
            for meta in cost.op.ins
        }
        tied = {self.trace.storages[i].path for i in used if i >= 0}
        return sum(tl.number(w.numel) for w in self.trace.weights if w.embedding and w.path not in tied)

    def time(self, device: Device | str) -> Time | None:
        """Seconds of a step by the roofline; None for a device that is not known or lacks a dtype
        (:meth:`why_no_time` says which).
        """
        found = find(device)
        if found is None or missing(self.costs, found) is not None:
            return None
        return roofline(self.costs, found)

    def why_no_time(self, device: Device | str) -> str:
        """Why :meth:`time` is None for a device."""
        found = find(device)
        return why_unknown(device, None if found is None else missing(self.costs, found))

    def hints(self, device: Device | str = "h100") -> tuple[Hint, ...]:
        """What would make the step faster on a device."""
        return hints(self.costs, self.time(device))

    def mfu(
        self,
        seconds: float,
        device: Device | MeasuredPeak | str,
        dtype: Dtype | None = None,
        *,
        devices: int = 1,
    ) -> float | None:
        """Model FLOPs utilisation of a step that took ``seconds``; None for an unknown device or dtype.

        Forward and backward by the layers' equations: no recomputation, no optimizer.
        """
        spent = self.flops.forward + self.flops.backward
        return mfu(spent, seconds, device, dtype or self.compute_dtype, devices=devices)

    def tokens_per_second(
        self, device: Device | MeasuredPeak | str, *, mfu: float, dtype: Dtype | None = None
    ) -> float | None:
        """Tokens one device trains on each second at a given utilisation; None for an unknown peak."""
        share("tokens_per_second", mfu=mfu)
        peak = peak_flops(device, dtype or self.compute_dtype)
        spent = self.flops.forward + self.flops.backward
        return None if peak is None else mfu * peak / spent * self.tokens

    def napkin(
        self,
        *,
        tokens: float,
        device: Device | str = "h100",
        mfu: float = 0.5,
        devices: float | None = None,
        days: float | None = None,
        dtype: Dtype | None = None,
    ) -> Napkin:
        """Days (or devices) of a run over ``tokens``, at this account's FLOPs per token."""
        spent = (self.flops.forward + self.flops.backward) / self.tokens
        return napkin(
            tokens=tokens, flops_per_token=spent, device=device, mfu=mfu, devices=devices, days=days,
            dtype=dtype or self.compute_dtype,
        )  # fmt: skip

    def sharded(self, world: int, strategy: Strategy = "fsdp2") -> Sharded:
        """Bytes on one of ``world`` devices."""
        return sharded(self.trace, world=world, strategy=strategy)

    def decoding(
        self,
        *,
        context: int,
        batch: int = 1,
        device: Device | str = "h100",
        dtype: Dtype = "bf16",
        devices: int = 1,
    ) -> DecodeStep:
        """One generated token per sequence, with the keys and values of ``context`` positions cached.

        Read off the attention calls of the trace; keys and values are cached as they are before a model
        repeats them for groups of queries.  ``batch`` is the number of sequences that are decoded, whatever
        the batch of the account.  Weights have the bytes of ``dtype``; so have keys and values, but at least
        two.  Of experts as many run as in the forward, and as many are read as ``batch`` tokens may ask for.

        Raises:
            AccountingError: no fused causal self-attention runs, its calls differ from layer to layer, or the
                model does not run with ``context`` positions.
        """
        return decoding(
            self, self._attentions, context=context, batch=batch, device=device, dtype=dtype, devices=devices
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {
            "sizes": dict(self.sizes),
            "parameters": asdict(self.parameters),
            "flops": asdict(self.flops),
            "memory": asdict(self.memory),
            "modules": {path: asdict(cost) for path, cost in self.modules.items()},
            "operators": {name: asdict(cost) for name, cost in self.operators.items()},
            "bytes_moved": self.bytes_moved,
            "intensity": self.intensity,
            "uncounted": [asdict(u) for u in self.uncounted],
            "notes": list(self.target.notes),
        }


def tokens_of(trace: Trace) -> int:
    """Positions of one micro-batch, from the first input."""
    first = next(iter(trace.inputs), None)
    if first is None:
        return 1
    shape = [tl.number(n) for n in first.shape]
    if not first.dtype.is_floating_point:
        return math.prod(shape)
    return shape[0] if len(shape) >= 4 else math.prod(shape[:-1])
