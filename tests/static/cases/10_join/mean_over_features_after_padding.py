from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def bag_of_words(texts: list[Int[Tensor, "_"]], table: Float[Tensor, "v d"]) -> Float[Tensor, "b d"]:
    ids = pad_sequence(texts, batch_first=True)
    return table[ids].mean(dim=1)  #! return table[ids].mean(dim=2)  # E: shape


# run: bag_of_words([randint(0, 5, (2,)), randint(0, 5, (3,))], randn(5, 4))
