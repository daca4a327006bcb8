import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


def padded(feats: list[Float[Tensor, "_ mels"]]) -> tuple[Float[Tensor, "b t mels"], Int[Tensor, "b"]]:
    lengths = torch.tensor([len(x) for x in feats])
    return pad_sequence(feats, batch_first=True), lengths  #! return pad_sequence(feats), lengths  # E: shape


def for_a_recurrent_net(feats: list[Float[Tensor, "_ mels"]]) -> tuple[Float[Tensor, "t b mels"], Int[Tensor, "b"]]:
    return pad_sequence(feats), torch.tensor([len(x) for x in feats])  #! return pad_sequence(feats, True), torch.tensor([len(x) for x in feats])  # E: shape


class Encoder(nn.Module):
    def __init__(self, mels: int, hidden: int) -> None:
        super().__init__()
        self.rnn = nn.LSTM(mels, hidden, batch_first=True)

    def forward(self, x: Float[Tensor, "b t mels"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b longest hidden"]:
        output, _ = self.rnn(pack_padded_sequence(x, lengths, batch_first=True))  #! _, output = self.rnn(pack_padded_sequence(x, lengths, batch_first=True))
        return pad_packed_sequence(output, batch_first=True)[0]  #! return pad_packed_sequence(output, batch_first=True)[0]  # E: shape


# run: padded([randn(3, 4), randn(5, 4), randn(7, 4)]), for_a_recurrent_net([randn(3, 4), randn(5, 4), randn(7, 4)])
# run: Encoder(4, 6)(randn(2, 3, 4), torch.tensor([3, 2]))
