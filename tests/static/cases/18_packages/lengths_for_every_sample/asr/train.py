import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from asr.encoder import Encoder, Subsample
from asr.features import Spectrogram


class CTCModel(nn.Module):
    def __init__(self, vocab: int, n_mels: int = 20, width: int = 16):
        super().__init__()
        self.features = Spectrogram(n_mels=n_mels)
        self.encoder = Encoder(n_mels, width, depth=2)
        self.head = nn.Linear(width, vocab + 1)
        self.ctc = nn.CTCLoss(blank=vocab)

    def forward(self, wave: Float[Tensor, "b samples"]) -> Float[Tensor, "b frames tokens"]:
        return self.head(self.encoder(self.features(wave))).log_softmax(-1)

    def loss(self, wave: Float[Tensor, "b samples"], targets: Int[Tensor, "b chars"], lengths: Int[Tensor, "b"]) -> Float[Tensor, ""]:
        logp = self(wave)
        frames = torch.full((wave.shape[0],), logp.shape[1])  #! frames = torch.full((wave.shape[1],), logp.shape[1])
        return self.ctc(logp.transpose(0, 1), targets, frames, lengths)  # E: shape


def main():
    model = CTCModel(vocab=10)
    wave = torch.randn(3, 1600)
    targets = torch.randint(0, 10, (3, 4))
    return model.loss(wave, targets, torch.tensor([4, 2, 3])).item()


# main: asr/train.py
# run: main()
