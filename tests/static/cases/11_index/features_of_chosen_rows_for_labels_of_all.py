from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy


def masked_loss(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"], train: Bool[Tensor, "n"]) -> Float[Tensor, ""]:
    return cross_entropy(logits[train], labels[train])  #! return cross_entropy(logits[train], labels)  # E: shape


# run: masked_loss(randn(4, 3), randint(0, 3, (4,)), torch.tensor([True, False, True, True]))
