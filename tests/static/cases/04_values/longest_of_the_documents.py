from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass
class Batch:
    tokens: Int[Tensor, "batch longest"]
    mask: Bool[Tensor, "batch longest"]


def collate(docs: list[Int[Tensor, "_length"]]) -> Batch:
    longest = max(len(d) for d in docs)
    tokens = torch.zeros(len(docs), longest, dtype=torch.long)  #! tokens = torch.zeros(longest, len(docs), dtype=torch.long)
    mask = torch.zeros(len(docs), longest, dtype=torch.bool)
    return Batch(tokens, mask)  #! return Batch(tokens, mask)  # E: shape


def positions(lengths: Int[Tensor, "n"]) -> Float[Tensor, "longest"]:
    longest = int(lengths.max())
    steps = torch.arange(longest + 1)
    return torch.zeros(longest) + steps[1:]  #! return torch.zeros(longest) + steps  # E: shape


def histogram(labels: Int[Tensor, "n"]) -> Float[Tensor, "classes"]:
    classes = labels.max().item() + 1
    counts = torch.zeros(classes)
    for c in range(classes):
        counts[c] = (labels == c).sum()
    return torch.stack([counts, torch.ones(classes)]).sum(0)  #! return torch.stack([counts, torch.ones(classes - 1)]).sum(0)  # E: shape


def words_in_order(words: list[str]) -> Float[Tensor, "n"]:
    count = len(words)
    weights = torch.linspace(0, 1, count)  #! weights = torch.linspace(0, 1, count + 1)
    return weights * torch.tensor([float(len(w)) for w in words])  #! return weights * torch.tensor([float(len(w)) for w in words])  # E: shape


def accuracy(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"], ks: tuple[int, ...] = (1, 5)) -> Float[Tensor, ""]:
    _, pred = logits.topk(max(ks), dim=1)
    correct = pred == labels.view(-1, 1)  #! correct = pred == labels.view(1, -1)  # E: shape
    return correct.float().mean()


# run: collate([torch.arange(i + 1) for i in range(2, 7)]), positions(torch.tensor([3, 5])), histogram(torch.tensor([0, 2, 1, 2]))
# run: words_in_order(["a", "bcd", "ef"]), accuracy(randn(7, 9), torch.randint(0, 9, (7,)))
