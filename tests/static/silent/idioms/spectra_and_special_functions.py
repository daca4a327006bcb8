import torch
from jaxtyping import Complex, Float
from torch import Tensor, fft, special


def spectra(x: Float[Tensor, "b c h w"], t: Float[Tensor, "b time"]) -> Complex[Tensor, "b time//2+1"]:
    a = fft.fft(t)
    b = fft.fft(t, n=32)
    c = fft.rfft(t, n=33, norm="ortho")
    d = fft.irfft(c, n=33)
    e = fft.irfft(c)
    f = fft.hfft(a)
    g = fft.ihfft(t)
    h = fft.fft2(x)
    i = fft.rfft2(x, s=(8, 10))
    j = fft.irfft2(i, s=(8, 10), dim=(-2, -1))
    k = fft.fftn(x, dim=(1, 2))
    m = fft.rfftn(x, dim=(1, 3))
    n = fft.irfftn(m, dim=(1, 3))
    o = fft.fftshift(h, dim=(-2, -1))
    p = fft.ifftshift(o)
    q = fft.fftfreq(16, d=0.1)
    r = fft.rfftfreq(17)
    s = torch.stft(t, 16, 4, window=torch.hann_window(16), return_complex=True)
    u = torch.istft(s, 16, 4, window=torch.hann_window(16), length=t.shape[-1])
    v = torch.view_as_real(s)
    w = torch.view_as_complex(v.contiguous())
    ph = s.angle()
    y = torch.polar(s.abs(), ph)
    re, im = s.real, s.imag
    z = torch.complex(re, im)
    return fft.rfft(t)


def functions(x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    a = special.expit(x)
    b = special.logit(a, eps=1e-6)
    c = special.xlogy(x.abs(), x.abs() + 1)
    d = special.logsumexp(x, dim=-1)
    e = special.log_softmax(x, -1)
    f = special.erfinv(a * 2 - 1)
    g = special.i0e(x)
    h = special.gammaln(x.abs() + 1)
    i = special.multigammaln(x.abs() + 5, 2)
    j = special.entr(a)
    k = special.zeta(x.abs() + 2, torch.tensor(1.0))
    m = special.ndtri(a)
    n = special.polygamma(1, x.abs() + 1)
    o = special.bessel_j0(x)
    p = torch.mvlgamma(x.abs() + 5, 3)
    q = torch.frexp(x)
    mant, expo = torch.frexp(x)
    r = torch.ldexp(mant, expo)
    s = torch.logaddexp2(x, x)
    t = torch.copysign(x, -1)
    u = torch.nan_to_num(x)
    v = torch.heaviside(x, torch.tensor([0.5]))
    w = torch.float_power(x, 2)
    y = torch.gradient(x, dim=1)[0]
    z = torch.clamp(x, min=x.mean(0), max=x.amax(0))
    return d


# run: spectra(randn(2, 3, 8, 10), randn(2, 32))
# run: functions(randn(4, 6))
