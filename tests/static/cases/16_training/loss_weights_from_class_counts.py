import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def class_weights(labels: Int[Tensor, "n"], classes: int) -> Float[Tensor, "classes"]:
    counts = torch.bincount(labels, minlength=classes).clamp(min=1)
    return counts.sum() / (classes * counts)


def weighted_loss(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    weight = class_weights(labels, logits.shape[1])  #! weight = class_weights(labels, logits.shape[0])
    return nn.CrossEntropyLoss(weight=weight)(logits, labels)  # E: shape


# run: weighted_loss(randn(7, 3), randint(0, 3, (7,)))
