"""What different sources mean by "the FLOPs of a training step", each under its own name.

Figures for the same step of the same model range from 0.8 to 1.1 of the exact count, because sources
differ in whether they count attention, its masked half, embeddings, and work done twice.  The closed
forms here are the sources'; :func:`counted` counts what an account has traced.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from typedtorch.accounting.attending import CAUSAL, UNKNOWN, Attending
from typedtorch.accounting.attention import ATTENTION, scores_and_mixing
from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.figures import Cost, repeated
from typedtorch.accounting.flops import family
from typedtorch.accounting.timeline import number


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A decoder-only transformer as papers give it.

    ``parameters`` counts all, ``embedding`` those of them in tables that are only looked up.
    """

    layers: int
    d_model: int
    heads: int
    head_dim: int
    seq: int
    vocab: int = 0
    d_ff: int = 0
    parameters: float = 0
    embedding: float = 0


def six_n(parameters: float, tokens: float) -> float:
    """``6 N D``: two FLOPs per parameter and token forward, four backward.

    Kaplan et al. 2020 (section 2.1) leave embeddings of tokens and positions out of ``N``; Brown et al. 2020
    and Hoffmann et al. 2022 count all.

    >>> f"{six_n(174.6e9, 300e9):.2e}"  # GPT-3, Brown et al. 2020, table D.1
    '3.14e+23'
    """
    return 6 * parameters * tokens


def encoder_decoder_three_n(parameters: float, tokens: float) -> float:
    """``3 N D``: each token meets half of an encoder-decoder (Brown et al. 2020, table D.1, T5's rows).

    >>> f"{encoder_decoder_three_n(11e9, 1000e9):.2e}"
    '3.30e+22'
    """
    return 3 * parameters * tokens


def palm_per_token(shape: Shape) -> float:
    """``6N + 12 L H Q T`` per token: all parameters, dense attention (Chowdhery et al. 2022, appendix B).

    >>> palm = Shape(layers=118, d_model=18432, heads=48, head_dim=256, seq=2048, parameters=540.35e9)
    >>> round(palm_per_token(palm) * 238.3e3 / (6144 * 275e12), 3)  # their MFU
    0.462
    """
    return 6 * shape.parameters + attention_per_token(shape)


def nanogpt_per_token(shape: Shape) -> float:
    """PaLM's formula with position embeddings taken out of ``N`` (nanoGPT's ``estimate_mfu``).

    Pass the position table as ``embedding``.
    """
    return 6 * (shape.parameters - shape.embedding) + attention_per_token(shape)


def torchtitan_per_token(shape: Shape) -> float:
    """``6 (N - N_embedding) + 12 L H Q T`` (torchtitan's ``get_nparams_and_flops``): dense attention,
    no recomputation, the input embedding left out and the output head kept.
    """
    return 6 * (shape.parameters - shape.embedding) + attention_per_token(shape)


def attention_per_token(shape: Shape, *, causal: bool = False) -> float:
    """``12 L H Q T``: scores and mixing, forward and backward; half of it under a causal mask."""
    dense = 12 * shape.layers * shape.heads * shape.head_dim * shape.seq
    return dense / 2 if causal else dense


def chinchilla_parameters(shape: Shape) -> float:
    """``L (5 D HK + 2 D F) + V D``: four projections and one of relative positions, a feed-forward, a table
    (Hoffmann et al. 2022; their table A9 lists 50 models).

    >>> large = Shape(layers=40, d_model=3584, d_ff=14336, heads=28, head_dim=128, seq=2048, vocab=32000)
    >>> round(chinchilla_parameters(large) / 1e6)
    6794
    """
    d, inner = shape.d_model, shape.heads * shape.head_dim
    return shape.layers * (5 * d * inner + 2 * d * shape.d_ff) + shape.vocab * d


def chinchilla_forward(shape: Shape, *, embeddings: bool = True) -> float:
    """FLOPs of a forward pass over one sequence, softmax included (Hoffmann et al. 2022, appendix F).
    The backward is twice that.

    ``embeddings`` counts the look-up as a product and the logits, as the appendix lists them; the ratios of
    their table A4 are reached without both.
    """
    s, d, inner = shape.seq, shape.d_model, shape.heads * shape.head_dim
    projections = 2 * 3 * s * d * inner + 2 * s * inner * d
    scores = 2 * s * s * inner + 3 * shape.heads * s * s + 2 * s * s * inner
    dense = 2 * s * (d * shape.d_ff + d * shape.d_ff)
    tables = 2 * 2 * s * shape.vocab * d if embeddings else 0
    return tables + shape.layers * (projections + scores + dense)


def chinchilla_step(shape: Shape, *, sequences: float = 1, embeddings: bool = True) -> float:
    """Forward and backward by Hoffmann et al. 2022, appendix F."""
    return 3 * chinchilla_forward(shape, embeddings=embeddings) * sequences


def megatron_parameters(shape: Shape) -> float:
    """``12 l h^2 (1 + 13/(12h) + (V + s)/(12 l h))`` (Narayanan et al. 2021, equation 2).

    >>> gpt = Shape(layers=96, d_model=12288, heads=96, head_dim=128, seq=2048, vocab=51200)
    >>> round(megatron_parameters(gpt) / 1e9, 1)
    174.6
    """
    h, layers = shape.d_model, shape.layers
    return 12 * layers * h**2 * (1 + 13 / (12 * h) + (shape.vocab + shape.seq) / (12 * layers * h))


def megatron_step(shape: Shape, *, batch: float, recompute: str = "none") -> float:
    """``72 B s l h^2 (1 + s/(6h) + V/(12 l h))``: model FLOPs of a step of the Megatron transformer.

    ``recompute="full"`` counts every layer's forward again (``96 ... V/(16 l h)``: Narayanan et al.
    2021, equation 3); ``"selective"`` the attention's alone (``s/(3h)``: Korthikanti et al. 2022,
    appendix A).

    Raises:
        ValueError: another kind of recomputation.
    """
    h, layers, s = shape.d_model, shape.layers, shape.seq
    base = batch * s * layers * h**2
    if recompute == "full":
        return 96 * base * (1 + s / (6 * h) + shape.vocab / (16 * layers * h))
    if recompute not in ("none", "selective"):
        raise ValueError(f"recompute={recompute!r}: wanted 'none', 'selective' or 'full'")
    scores = s / (3 * h) if recompute == "selective" else s / (6 * h)
    return 72 * base * (1 + scores + shape.vocab / (12 * layers * h))


def korthikanti_activations(
    shape: Shape,
    *,
    batch: float,
    tensor_parallel: int = 1,
    sequence_parallel: bool = False,
    selective: bool = False,
) -> float:
    """Bytes one layer keeps for its backward in half precision: ``s b h (34 + 5 a s / h)``
    (Korthikanti et al. 2022, table 2).

    ``selective`` recomputes the attention (no ``5 a s / h``); tensor parallelism shares out all but
    ``10 s b h``, sequence parallelism that too.
    """
    base, t = shape.seq * batch * shape.d_model, tensor_parallel
    scores = 0.0 if selective else 5 * shape.heads * shape.seq / shape.d_model
    alone = 10 / t if sequence_parallel else 10.0
    return base * (alone + 24 / t + scores / t)


def counted(
    costs: Iterable[Cost], *, recompute: bool = False, causal: bool = False, elementwise: bool = False
) -> int:
    """FLOPs of forward and backward of an account, with a choice of what counts.

    ``recompute`` adds what is done twice (the hardware's count), ``causal`` leaves out scores a causal
    mask discards, ``elementwise`` adds the steps that are no multiply-adds of a layer's equation.
    """
    total = 0
    for cost, calls in repeated(costs):
        if cost.op.phase == "optimizer" or (cost.op.phase == "recompute" and not recompute):
            continue
        one = number(cost.count.matmul)
        one += number(cost.count.recompute) if recompute else 0
        one -= number(cost.count.masked) if causal else 0
        one += number(cost.count.elementwise) if elementwise else 0
        total += one * calls * cost.op.times
    return total


def attention_forward(costs: Iterable[Cost], found: Iterable[Attending]) -> int:
    """FLOPs of the attention calls of a forward, dense: ``4 B H Q T S`` each, by whatever kernels."""
    written = {id(op) for each in found if not each.fused for op in each.products}
    total = 0
    for cost, calls in repeated(costs):
        if cost.op.phase == "forward" and family(cost.op.name) in ATTENTION:
            total += number(scores_and_mixing(cost.op)) * calls * cost.op.times
        elif id(cost.op) in written:
            total += number(cost.count.matmul) * calls * cost.op.times
    return total


def masked_by_tensors(costs: Iterable[Cost], found: Iterable[Attending]) -> int:
    """FLOPs of forward and backward spent on scores that a causal mask discards, where the mask is a tensor:
    a kernel that is told so counts them itself.

    Raises:
        AccountingError: a mask comes from an input or a buffer, whose values are not known.
    """
    spent = list(repeated(costs))
    each = 3 if any(cost.op.phase == "backward" for cost, _ in spent) else 1
    discarded: dict[int, tuple[int, int]] = {}
    for call in found:
        if call.masked == UNKNOWN:
            raise AccountingError(
                f"the attention{_at(call.path)} has a mask that comes from an input or a buffer: whether it "
                "is causal depends on values, which accounting does not have; make it in the forward "
                "(torch.tril, torch.triu) or pass is_causal=True"
            )
        if call.masked == CAUSAL:
            discarded.update(dict.fromkeys(map(id, call.products), call.discarded))
    total = 0
    for cost, calls in spent:
        if id(cost.op) in discarded and not number(cost.count.masked):
            unneeded, scores = discarded[id(cost.op)]
            total += each * number(cost.count.matmul) * unneeded // scores * calls * cost.op.times
    return total


def _at(path: str) -> str:
    return f" in module {path!r}" if path else ""
