import torch
from jaxtyping import BFloat16, Bool, Complex64, Float, Float16, Float32, Float64, Int, Int32, Int64, UInt8
from torch import Tensor, nn


def promotions(f: Float32[Tensor, "n"], d: Float64[Tensor, "n"], h: Float16[Tensor, "n"], b: BFloat16[Tensor, "n"], i: Int64[Tensor, "n"], j: Int32[Tensor, "n"], u: UInt8[Tensor, "n"], m: Bool[Tensor, "n"], c: Complex64[Tensor, "n"]) -> Float64[Tensor, "n"]:
    a1 = f + d
    a2 = h + b
    a3 = h * f
    a4 = i + f
    a5 = i / j
    a6 = i // j.clamp(min=1)
    a7 = j + u
    a8 = u + m
    a9 = m + m
    b1 = m * f
    b2 = c * d
    b3 = c.abs()
    b4 = c * i
    b5 = i * 2.5
    b6 = i * True
    b7 = b * 1e-3
    b8 = u * 2
    b9 = -j
    c1 = f > i
    c2 = (f > 0) | (i > 0)
    c3 = f.where(m, 0.0)
    c4 = torch.where(m, i, 2)
    c5 = torch.where(m, i, 2.5)
    c6 = i.float().mean()
    c7 = i.sum()
    c8 = u.sum()
    c9 = m.sum(dtype=torch.int32)
    d1 = j.prod()
    d2 = i.cumsum(0)
    d3 = h.sum(dtype=torch.float32)
    d4 = f.to(torch.int8)
    d5 = f.to(d)
    d6 = f.to("cpu", torch.float16)
    d7 = i.type_as(h)
    d8 = f.type(torch.float64)
    d9 = f.long()
    e1 = torch.exp(i)
    e2 = torch.sqrt(j)
    e3 = torch.floor(i)
    e4 = i**2
    e5 = i**-1.0
    e6 = torch.pow(2, f)
    e7 = torch.remainder(i, 3)
    e8 = torch.fmod(f, 2)
    e9 = torch.atan2(i, j)
    g1 = torch.maximum(i, j)
    g2 = torch.clamp(i, 0, 2.5)
    g3 = i.clamp(max=3)
    g4 = torch.cat([i, f])
    g5 = torch.stack([j, i])
    g6 = torch.lerp(f, f, 0.5)
    g7 = torch.addcmul(f, f, f, value=2)
    g8 = f.new_zeros(3)
    g9 = i.new_tensor([1.0, 2.0])
    k1 = torch.zeros_like(f, dtype=torch.bool)
    k2 = torch.full_like(i, 3)
    k3 = torch.arange(3, dtype=torch.float16)
    k4 = torch.linspace(0, 1, 5, dtype=torch.float64)
    k5 = torch.tensor([True, False])
    k6 = torch.tensor(3)
    k7 = torch.as_tensor([1, 2.0])
    k8 = f.argmax()
    k9 = m.any()
    l1 = m.all(0)
    l2 = f.isnan()
    l3 = torch.isclose(f, f)
    l4 = torch.eq(i, j)
    l5 = torch.logical_and(i, f)
    l6 = ~m
    l7 = i & j
    l8 = i << 1
    l9 = torch.bitwise_xor(u, u)
    m1 = f.view(torch.int32)
    m2 = c.real
    m3 = torch.view_as_real(c)
    m4 = f.double().numpy()
    m5 = torch.from_numpy(m4)
    m6 = torch.quantile(f, 0.5)
    m7 = f.median(0).indices
    m8 = torch.bincount(i.clamp(min=0))
    m9 = torch.bincount(i.clamp(min=0), weights=f)
    n1 = torch.histc(f, 4)
    n2 = torch.nonzero(m)
    n3 = f.sign()
    n4 = i.abs()
    n5 = c.angle()
    n6 = torch.polar(f.abs(), f)
    n7 = torch.fft.rfft(h.float())
    n8 = torch.result_type(f, i)
    n9 = torch.can_cast(torch.float, torch.int)
    o1 = f.round(decimals=2)
    o2 = f.trunc()
    o3 = torch.div(i, j.clamp(min=1), rounding_mode="trunc")
    o4 = f.floor_divide(2)
    o5 = torch.true_divide(i, 2)
    o6 = f.nan_to_num(0.0)
    o7 = f.bernoulli(0.5)
    o8 = torch.randint(0, 5, (3,), dtype=torch.int32)
    o9 = torch.randint_like(f, 5)
    p1 = torch.randperm(4)
    p2 = torch.empty(2, dtype=torch.complex64)
    p3 = torch.ones(2, dtype=torch.float8_e4m3fn).float()
    return a1


def mixed(x: Float32[Tensor, "n d"], net: nn.Linear) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        y = net(x)
        z = y.softmax(-1)
        w = y.float().T @ x
        q = y @ y.T
        s = x + y
        loss = s.square().mean()
    half = nn.Linear(4, 3).to(torch.bfloat16)
    out = half(x.bfloat16())
    dbl = nn.Linear(4, 3).double()(x.double())


# run: n = 4
# run: promotions(torch.ones(n), torch.ones(n).double(), torch.ones(n).half(), torch.ones(n).bfloat16(), torch.ones(n).long(), torch.ones(n).int(), torch.ones(n).byte(), torch.ones(n).bool(), torch.ones(n).cfloat())
# run: mixed(randn(4, 4), nn.Linear(4, 4))
