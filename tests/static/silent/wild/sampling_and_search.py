"""Decoding strategies over any callable language model."""

import heapq
from dataclasses import dataclass, field
from typing import Callable, Iterable, Iterator, Protocol, Sequence, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


@runtime_checkable
class LM(Protocol):
    def __call__(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s v"]: ...


Processor = Callable[[Int[Tensor, "b s"], Float[Tensor, "b v"]], Float[Tensor, "b v"]]


@dataclass(order=True)
class Hypothesis:
    score: float
    tokens: list[int] = field(compare=False)


def top_k(k: int) -> Processor:
    def process(ids: Int[Tensor, "b s"], logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        kth = logits.topk(min(k, logits.size(-1)))[0][..., -1, None]
        return logits.masked_fill(logits < kth, -torch.inf)

    return process


def top_p(p: float) -> Processor:
    def process(ids: Int[Tensor, "b s"], logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        sorted_logits, order = torch.sort(logits, descending=False)
        remove = sorted_logits.softmax(dim=-1).cumsum(dim=-1) <= 1 - p
        remove[..., -1:] = False
        mask = remove.scatter(1, order, remove)
        return logits.masked_fill(mask, -torch.inf)

    return process


def repetition(penalty: float) -> Processor:
    def process(ids: Int[Tensor, "b s"], logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        seen = torch.gather(logits, 1, ids)
        seen = torch.where(seen < 0, seen * penalty, seen / penalty)
        return logits.scatter(1, ids, seen)

    return process


def no_repeat_ngrams(n: int) -> Processor:
    def process(ids: Int[Tensor, "b s"], logits: Float[Tensor, "b v"]) -> Float[Tensor, "b v"]:
        for row, sequence in enumerate(ids.tolist()):
            grams: dict[tuple[int, ...], list[int]] = {}
            for gram in zip(*(sequence[i:] for i in range(n))):
                grams.setdefault(tuple(gram[:-1]), []).append(gram[-1])
            banned = grams.get(tuple(sequence[len(sequence) - n + 1 :]), [])
            logits[row, banned] = -float("inf")
        return logits

    return process


@torch.inference_mode()
def generate(
    lm: LM, ids: Int[Tensor, "b s"], steps: int, processors: Sequence[Processor] = (), eos: int | None = None
) -> Int[Tensor, "b t"]:
    done = torch.zeros(ids.shape[0], dtype=torch.bool)
    for _ in range(steps):
        logits = lm(ids)[:, -1]
        for process in processors:
            logits = process(ids, logits)
        token = torch.multinomial(logits.softmax(-1), 1)
        if eos is not None:
            token = torch.where(done[:, None], eos, token)
            done |= token.squeeze(1) == eos
        ids = torch.cat([ids, token], dim=-1)
        if done.all():
            break
    return ids


def beam_search(lm: LM, prompt: Int[Tensor, "s"], width: int, steps: int, alpha: float = 0.6) -> list[Hypothesis]:
    beams = prompt.unsqueeze(0)
    scores = torch.zeros(1)
    finished: list[Hypothesis] = []
    for step in range(1, steps + 1):
        logp = F.log_softmax(lm(beams)[:, -1, :], dim=-1)
        total = scores[:, None] + logp
        scores, index = total.flatten().topk(width)
        vocab = logp.shape[-1]
        beams = torch.cat([beams[index.div(vocab, rounding_mode="floor")], (index % vocab)[:, None]], dim=1)
        for s, b in zip(scores.tolist(), beams.tolist()):
            heapq.heappush(finished, Hypothesis(s / step**alpha, b))
            if len(finished) > width:
                heapq.heappop(finished)
    return sorted(finished, reverse=True)


def speculative(
    target: LM, draft: LM, ids: Int[Tensor, "1 s"], gamma: int
) -> tuple[Int[Tensor, "1 t"], int]:
    n = ids.shape[1]
    proposal = generate(draft, ids, gamma)
    p = target(proposal).softmax(-1)
    q = draft(proposal).softmax(-1)
    for i in range(gamma):
        token = proposal[:, n + i]
        ratio = p[0, n + i - 1, token] / q[0, n + i - 1, token]
        if torch.rand(()) > ratio:
            residual = (p[:, n + i - 1] - q[:, n + i - 1]).clamp(min=0)
            residual = residual / residual.sum(-1, keepdim=True).clamp(min=1e-9)
            fix = residual.argmax(-1, keepdim=True)
            return torch.cat([proposal[:, : n + i], fix], dim=1), i
    bonus = p[:, -1].argmax(-1, keepdim=True)
    return torch.cat([proposal, bonus], dim=1), gamma


def score(lm: LM, ids: Int[Tensor, "b s"], mask: Bool[Tensor, "b s"]) -> Float[Tensor, "b"]:
    logp = lm(ids[:, :-1]).log_softmax(-1)
    picked = logp.gather(2, ids[:, 1:, None])[..., 0]
    return (picked * mask[:, 1:]).sum(1) / mask[:, 1:].sum(1)


def streamed(tokens: Iterable[Int[Tensor, "b 1"]]) -> Iterator[list[int]]:
    for t in tokens:
        yield t.view(-1).tolist()


def toy(vocab: int) -> LM:
    table = torch.randn(vocab, vocab)
    return lambda ids: table[ids]


# run: lm = toy(11); ps = [top_k(5), top_p(0.9), repetition(1.2), no_repeat_ngrams(2)]
# run: out = generate(lm, randint(0, 11, (3, 4)), 5, ps, eos=0); beam_search(lm, randint(0, 11, (4,)), 3, 4); speculative(lm, toy(11), randint(0, 11, (1, 4)), 3)
# run: score(lm, randint(0, 11, (2, 5)), torch.ones(2, 5, dtype=torch.bool)); list(streamed([randint(0, 5, (2, 1))]))
