import torch
from jaxtyping import Float, Int
from torch import Tensor


def encode(words: list[str], vocab: dict[str, int]) -> Int[Tensor, "length"]:
    ids = [vocab["<s>"]] + [vocab[word] for word in words]
    return torch.LongTensor(ids)  #! return torch.Tensor(ids)  # E: dtype


def weights(counts: list[int]) -> Float[Tensor, "kinds"]:
    return 1 / torch.Tensor(counts)


# run: encode(["a", "b"], {"<s>": 0, "a": 1, "b": 2}); weights([3, 4])
