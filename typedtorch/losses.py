"""Losses: pure functions, averaged over the targets that count.

A target equal to ``ignore_index`` does not count.  A batch in which nothing counts has loss 0 and
gradient 0 (torch gives NaN): there is nothing to learn from, and finding out would make a GPU wait.
A ``Trainer`` leaves a step out in all of whose micro-batches nothing counts, and goes on.
:func:`valid_tokens` says how many count; with gradient accumulation, sum the losses of the micro-batches
(``reduction="sum"``) and divide by their joint count, because a mean of means weighs short ones too much.
"""

from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Integer, Shaped
from torch import Tensor

__all__ = ["Reduction", "cross_entropy", "linear_cross_entropy", "mse", "valid_tokens"]

Reduction = Literal["mean", "sum"]


def cross_entropy(
    logits: Float[Tensor, "*batch vocab"],
    targets: Int[Tensor, "*batch"],
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    reduction: Reduction = "mean",
) -> Float[Tensor, ""]:
    """The negative log probability of the target: ``logsumexp(logits) - logits[target]``, in nats.

    Args:
        logits: one score per class; half precision is computed in float32.
        targets: class indices; those equal to ``ignore_index`` do not count.
        ignore_index: the target that does not count.
        label_smoothing: share of the target taken by the uniform distribution (arXiv:1512.00567).
        z_loss: weight of ``logsumexp(logits)**2``, which keeps logits small (arXiv:2204.02311).
        reduction: a mean over the targets that count, or their sum.

    Raises:
        ValueError: ``label_smoothing`` outside [0, 1], ``z_loss`` negative, or an unknown ``reduction``.
        ValueError: the shape of the targets is not that of the scores without their last axis, or the scores
            have no axis.
        TypeError: the targets are not integers, or the scores are.
        IndexError: a target outside ``[0, vocab)`` that is not ``ignore_index`` (on the CPU).

    >>> logits = torch.tensor([[0.0, 0.0], [9.0, 9.0]])
    >>> cross_entropy(logits, torch.tensor([1, -100]))
    tensor(0.6931)
    >>> cross_entropy(logits, torch.tensor([-100, -100]))
    tensor(0.)
    """
    _check(label_smoothing, z_loss, reduction)
    if not logits.is_floating_point():
        raise TypeError(f"logits: expected scores in floating point, got {logits.dtype}")
    _check_targets("logits", logits.shape, targets)
    scores: Float[Tensor, "rows vocab"] = logits.flatten(0, -2) if logits.ndim > 1 else logits[None]
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    flat = targets.flatten().long()
    total = F.cross_entropy(
        scores, flat, ignore_index=ignore_index, label_smoothing=label_smoothing, reduction="sum"
    )
    if z_loss:
        square = torch.logsumexp(scores, dim=-1).square()
        total = total + z_loss * square.masked_fill(flat == ignore_index, 0.0).sum()
    return _reduce(total, flat, ignore_index, reduction)


def linear_cross_entropy(
    hidden: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, "vocab d_model"],
    targets: Int[Tensor, "*batch"],
    *,
    chunk: int = 1024,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    reduction: Reduction = "mean",
) -> Float[Tensor, ""]:
    """``cross_entropy(hidden @ weight.T, targets)`` that holds the logits of ``chunk`` tokens at a time.

    Value and gradients equal the plain ones up to rounding.  The gradients are computed chunk by
    chunk along with the value, so nothing is computed twice and no logits outlive their chunk:
    ``chunk * vocab`` numbers instead of ``batch * vocab``.  The loss can be differentiated once.

    Args:
        hidden: what the unembedding would take.
        weight: the unembedding, (out, in).
        targets: as in :func:`cross_entropy`, and the rest of the arguments too.
        chunk: tokens at a time; a few hundred keep a matrix product busy.

    Raises:
        ValueError: ``chunk`` is not at least 1; otherwise as :func:`cross_entropy`.

    >>> hidden, weight, targets = torch.randn(2, 5, 8), torch.randn(7, 8), torch.randint(7, (2, 5))
    >>> plain = cross_entropy(hidden @ weight.T, targets)
    >>> torch.allclose(linear_cross_entropy(hidden, weight, targets, chunk=3), plain)
    True
    """
    _check(label_smoothing, z_loss, reduction)
    if chunk < 1:
        raise ValueError(f"linear_cross_entropy: chunk must be at least 1 token, got {chunk}")
    _check_targets("hidden", hidden.shape, targets)
    flat = targets.flatten().long()
    rows: Float[Tensor, "rows d_model"] = hidden.flatten(0, -2) if hidden.ndim > 1 else hidden[None]
    wanted = tuple(torch.is_grad_enabled() and given.requires_grad for given in (rows, weight))
    options = _Options(chunk, ignore_index, label_smoothing, z_loss, wanted)
    total: Float[Tensor, ""] = _LinearCrossEntropy.apply(rows, weight, flat, options)[0]  # type: ignore[no-untyped-call]  # torch's
    return _reduce(total, flat, ignore_index, reduction)


def mse(
    x: Float[Tensor, "*shape"],
    y: Float[Tensor, "*shape"],
    *,
    reduction: Reduction = "mean",
) -> Float[Tensor, ""]:
    """Squared differences, averaged: ``mean((x - y)**2)``, 0 of nothing; of equal shapes, nothing broadcasts.

    Raises:
        ValueError: the shapes differ, or an unknown ``reduction``.

    >>> mse(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    _check(0.0, 0.0, reduction)
    if x.shape != y.shape:
        raise ValueError(f"mse: shapes differ, {tuple(x.shape)} and {tuple(y.shape)}")
    return F.mse_loss(x, y, reduction=reduction if x.numel() else "sum")


def valid_tokens(targets: Integer[Tensor, "*batch"], *, ignore_index: int = -100) -> Int[Tensor, ""]:
    """How many targets count, as a tensor: asking stops no GPU.

    >>> valid_tokens(torch.tensor([[3, -100], [1, 2]]))
    tensor(3)
    """
    return (targets.long() != ignore_index).sum()  # a uint8 has no -100, but compares as if it had


def _reduce(
    total: Float[Tensor, ""], targets: Int[Tensor, "rows"], ignore_index: int, reduction: Reduction
) -> Float[Tensor, ""]:
    if reduction == "sum":
        return total
    return total / valid_tokens(targets, ignore_index=ignore_index).clamp(min=1)


def _check(label_smoothing: float, z_loss: float, reduction: str) -> None:
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"label_smoothing must be in [0, 1], got {label_smoothing}")
    if not z_loss >= 0.0:
        raise ValueError(f"z_loss must be at least 0, got {z_loss}")
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction must be 'mean' or 'sum', got {reduction!r}")


def _check_targets(what: str, shape: torch.Size, targets: Shaped[Tensor, "*batch"]) -> None:
    if targets.is_floating_point() or targets.is_complex():
        raise TypeError(f"targets: expected integers, got {targets.dtype}")
    if not shape:
        raise ValueError(f"{what}: expected at least the last axis, got a single number")
    if targets.shape != shape[:-1]:
        raise ValueError(
            f"targets: expected shape {tuple(shape[:-1])} for {what} {tuple(shape)}, got "
            f"{tuple(targets.shape)}"
        )


@dataclass(frozen=True)
class _Options:
    chunk: int
    ignore_index: int
    smoothing: float
    z_loss: float
    wanted: tuple[bool, ...]
    """Whether a gradient is wanted of the hidden values, and of the weight."""


class _LinearCrossEntropy(torch.autograd.Function):
    """The sum of the losses; its gradients are made in the forward pass and scaled in the backward one.

    They are returned with it, so that ``torch.func`` sees them too; as nothing knows their own gradients,
    asking for those is an error.
    """

    @staticmethod
    def forward(
        hidden: Float[Tensor, "rows d_model"],
        weight: Float[Tensor, "vocab d_model"],
        targets: Int[Tensor, "rows"],
        options: _Options,
    ) -> tuple[Float[Tensor, ""], Tensor | None, Tensor | None]:
        device = hidden.device.type
        autocast = torch.is_autocast_enabled(device)
        matrix = weight.to(torch.get_autocast_dtype(device)) if autocast else weight
        wide = torch.promote_types(weight.dtype, torch.float32)
        want_hidden, want_weight = options.wanted
        total = torch.zeros((), dtype=wide, device=hidden.device)
        d_hidden = torch.empty_like(hidden) if want_hidden else None
        # half precision would lose the small chunks in the sum
        d_weight = torch.zeros_like(weight, dtype=wide) if want_weight else None

        for start in range(0, len(targets), options.chunk):
            rows = slice(start, start + options.chunk)
            x = hidden[rows].to(matrix.dtype)
            log_probs, log_sum = _log_softmax(x @ matrix.T)
            total += _loss(log_probs, log_sum, targets[rows], options)
            if want_hidden or want_weight:
                slopes = _slopes(log_probs, log_sum, targets[rows], options).to(matrix.dtype)
            if d_hidden is not None:
                d_hidden[rows] = slopes @ matrix
            if d_weight is not None:
                d_weight += slopes.T @ x
        return total, d_hidden, None if d_weight is None else d_weight.to(weight.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor | None, ...]) -> None:
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*output[1:])

    @staticmethod
    def backward(
        ctx: Any, upstream: Float[Tensor, ""] | None, *seconds: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        compiling = torch.compiler.is_compiling()  # makes zeros of all, and differentiates nothing twice
        if not compiling and any(second is not None for second in seconds):
            raise RuntimeError("linear_cross_entropy can be differentiated once; cross_entropy, twice")
        d_hidden, d_weight = (
            None if grad is None or upstream is None else grad * upstream.to(grad.dtype)
            for grad in ctx.saved_tensors
        )
        return d_hidden, d_weight, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Any) -> tuple[Any, Any]:
        """One after the other: what is batched may be any of the inputs."""
        each = [
            _LinearCrossEntropy.apply(  # type: ignore[no-untyped-call]  # torch's
                *(x if dim is None else x.select(dim, i) for x, dim in zip(inputs, in_dims, strict=True))
            )
            for i in range(info.batch_size)
        ]
        joined = tuple(None if one[0] is None else torch.stack(one) for one in zip(*each, strict=True))
        return joined, tuple(None if x is None else 0 for x in joined)


def _log_softmax(
    logits: Float[Tensor, "rows vocab"],
) -> tuple[Float[Tensor, "rows vocab"], Float[Tensor, "rows 1"]]:
    """Log probabilities at least in float32, written over the logits where they are that already."""
    scores = logits.to(torch.promote_types(logits.dtype, torch.float32))
    log_sum = torch.logsumexp(scores, dim=-1, keepdim=True)
    return scores.sub_(log_sum), log_sum


def _loss(
    log_probs: Float[Tensor, "rows vocab"],
    log_sum: Float[Tensor, "rows 1"],
    targets: Int[Tensor, "rows"],
    options: _Options,
) -> Float[Tensor, ""]:
    nll = F.nll_loss(log_probs, targets, ignore_index=options.ignore_index, reduction="none")
    loss = (1.0 - options.smoothing) * nll
    if options.smoothing:
        loss -= options.smoothing * log_probs.mean(-1)
    if options.z_loss:
        loss += options.z_loss * log_sum[:, 0].square()
    return loss.masked_fill_(targets == options.ignore_index, 0.0).sum()


def _slopes(
    log_probs: Float[Tensor, "rows vocab"],
    log_sum: Float[Tensor, "rows 1"],
    targets: Int[Tensor, "rows"],
    options: _Options,
) -> Float[Tensor, "rows vocab"]:
    """The gradient by the logits, softmax minus the smoothed target, written over the log probabilities."""
    ignored = (targets == options.ignore_index)[:, None]
    slopes = log_probs.exp_()
    if options.z_loss:
        slopes *= 1.0 + 2.0 * options.z_loss * log_sum
    if options.smoothing:
        slopes -= options.smoothing / slopes.shape[-1]
    index = targets[:, None].masked_fill(ignored, 0)
    slopes.scatter_add_(-1, index, torch.full_like(log_sum, options.smoothing - 1.0))
    return slopes.masked_fill_(ignored, 0.0)
