import torch
from torch import nn


class Spectrogram(nn.Module):
    def __init__(self, n_fft=64, hop=32, n_mels=20):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("mel", torch.rand(n_fft // 2 + 1, n_mels))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        return (spec.abs().pow(2).transpose(1, 2) @ self.mel).clamp(min=1e-6).log()
