import torch
from jaxtyping import Float
from torch import Tensor


def log_mel(audio: Float[Tensor, "b samples"], filters: Float[Tensor, "80 201"]) -> Float[Tensor, "b 80 frames"]:
    spec = torch.stft(audio, 400, 160, window=torch.hann_window(400), return_complex=True)
    power = spec[..., :-1].abs() ** 2
    return (filters @ power).clamp(min=1e-10).log10()  #! return (power @ filters).clamp(min=1e-10).log10()  # E: shape


# run: log_mel(randn(2, 4000), torch.rand(80, 201))
