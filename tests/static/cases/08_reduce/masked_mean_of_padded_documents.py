import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence


def embed(table: nn.Embedding, documents: list[Int[Tensor, "_"]]) -> Float[Tensor, "n d"]:
    ids = pad_sequence(documents, batch_first=True, padding_value=0)
    keep = (ids != 0).float().unsqueeze(-1)  #! keep = (ids != 0).float()
    total = (table(ids) * keep).sum(dim=1)  # E: shape
    return total / keep.sum(dim=1).clamp(min=1)  # e: shape


# run: embed(nn.Embedding(9, 4), [torch.tensor([1, 2, 3]), torch.tensor([4])])
