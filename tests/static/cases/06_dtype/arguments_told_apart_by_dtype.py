import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def loss(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    return F.cross_entropy(logits, labels)  #! return F.cross_entropy(labels, logits)  # E: dtype


def hard(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    return F.cross_entropy(logits, labels)  #! return F.cross_entropy(logits.argmax(1), labels)  # E: dtype


def summed(conf: Float[Tensor, "n"], which: Int[Tensor, "n"]) -> Float[Tensor, "10"]:
    return torch.zeros(10).scatter_add_(0, which, conf)  #! return torch.zeros(10).scatter_add_(0, conf, which)  # E: dtype


def routed(probs: Float[Tensor, "n e"], k: int) -> Float[Tensor, "n {k} e"]:
    weights, experts = torch.topk(probs, k, dim=-1)  #! experts, weights = torch.topk(probs, k, dim=-1)
    return F.one_hot(experts, probs.shape[1]) * weights.unsqueeze(-1)  # E: dtype


def masked(scores: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    same = torch.eye(scores.shape[0], dtype=torch.bool)  #! same = torch.eye(scores.shape[0])
    return scores.masked_fill(same, 0.0)  # E: dtype


def filtered(bank: Float[Tensor, "m f"], spectrum: Float[Tensor, "f t"]) -> Float[Tensor, "m t"]:
    turned = torch.fft.fft(spectrum)
    return bank @ turned.abs()  #! return bank @ turned  # E: dtype


# run: loss(randn(3, 4), torch.randint(0, 4, (3,))), hard(randn(3, 4), torch.randint(0, 4, (3,))), filtered(randn(2, 3), randn(3, 5))
# run: summed(torch.rand(7), torch.randint(0, 10, (7,))), routed(torch.rand(3, 5), 2), masked(randn(3, 3))
