import torch
from jaxtyping import Float, Int
from torch import Tensor

from speech.losses import ctc
from speech.model import Recogniser


def step(
    model: Recogniser,
    mel: Float[Tensor, "b t mels"],
    targets: Int[Tensor, "b l"],
    lengths: Int[Tensor, "b"],
) -> Float[Tensor, ""]:
    logp = model(mel)
    frames = torch.full((mel.shape[0],), mel.shape[1])
    return ctc(logp.transpose(0, 1), targets, frames, lengths)  #! return ctc(logp, targets, frames, lengths)  # E: shape


# run: step(Recogniser(13, 11), randn(2, 17, 13), randint(1, 11, (2, 3)), torch.tensor([3, 2]))
