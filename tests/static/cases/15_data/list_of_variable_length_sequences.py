import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def collate(items: list[Float[Tensor, "_ d"]]) -> Float[Tensor, "b t d"]:
    return pad_sequence(items, batch_first=True)  #! return pad_sequence(items, batch_first=True).mean(1)  # E: shape


# run: collate([randn(3, 5), randn(7, 5)])
