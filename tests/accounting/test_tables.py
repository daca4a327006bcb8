"""Published numbers, each from the source named beside it."""

from __future__ import annotations

import pytest
import torch

from typedtorch.accounting import account, find, mfu, napkin, presets
from typedtorch.accounting import conventions as cv
from typedtorch.accounting.conventions import Shape
from typedtorch.accounting.devices import table
from typedtorch.accounting.dtypes import info
from typedtorch.accounting.dtypes import table as dtype_table

# Brown et al. 2020, table D.1: parameters (M), tokens (B), total training FLOPs
GPT3 = [
    (125, 300, 2.25e20), (356, 300, 6.41e20), (760, 300, 1.37e21), (1320, 300, 2.38e21),
    (2650, 300, 4.77e21), (6660, 300, 1.20e22), (12850, 300, 2.31e22), (174600, 300, 3.14e23),
    (109, 250, 1.64e20), (355, 250, 5.33e20), (125, 2000, 1.50e21), (355, 2000, 4.26e21),
]  # fmt: skip


@pytest.mark.parametrize(("millions", "billions", "flops"), GPT3)
def test_gpt3_table_d1(millions: float, billions: float, flops: float) -> None:
    assert cv.six_n(millions * 1e6, billions * 1e9) == pytest.approx(flops, rel=5e-3)


@pytest.mark.parametrize(
    ("millions", "flops"),
    [(60, 1.80e20), (220, 6.60e20), (770, 2.31e21), (3000, 9.00e21), (11000, 3.30e22)],
)
def test_gpt3_table_d1_encoder_decoders(millions: float, flops: float) -> None:
    assert cv.encoder_decoder_three_n(millions * 1e6, 1e12) == pytest.approx(flops, rel=5e-3)


# Chowdhery et al. 2022, section 4.1 and appendix B: tokens/s, chips, peak, MFU
def test_palm_mfu() -> None:
    palm = Shape(layers=118, d_model=18432, heads=48, head_dim=256, seq=2048, parameters=540.35e9)
    assert cv.palm_per_token(palm) * 238.3e3 / (6144 * 275e12) == pytest.approx(0.462, abs=5e-4)
    turing = Shape(layers=105, d_model=20480, heads=128, head_dim=160, seq=2048, parameters=529.6e9)
    assert cv.palm_per_token(turing) * 65.43e3 / (2240 * 312e12) == pytest.approx(0.302, abs=5e-4)


# Narayanan et al. 2021, table 1: heads, hidden, layers, parameters (B)
MEGATRON = [
    (24, 2304, 24, 1.7), (32, 3072, 30, 3.6), (32, 4096, 36, 7.5), (48, 6144, 40, 18.4),
    (64, 8192, 48, 39.1), (80, 10240, 60, 76.1), (96, 12288, 80, 145.6), (128, 16384, 96, 310.1),
    (128, 20480, 105, 529.6), (160, 25600, 128, 1008.0),
]  # fmt: skip


@pytest.mark.parametrize(("heads", "hidden", "layers", "billions"), MEGATRON)
def test_megatron_parameters(heads: int, hidden: int, layers: int, billions: float) -> None:
    shape = Shape(layers=layers, d_model=hidden, heads=heads, head_dim=hidden // heads, seq=2048, vocab=51200)
    assert cv.megatron_parameters(shape) / 1e9 == pytest.approx(billions, abs=0.06)


# Korthikanti et al. 2022, table 5: heads, hidden, layers, batch, devices, seconds, MFU %, HFU %
KORTHIKANTI = [
    (64, 6144, 48, 4, 8, 1.10, 41.5, 43.7), (96, 12288, 96, 64, 64, 13.75, 51.4, 52.8),
    (128, 20480, 105, 280, 280, 37.83, 56.0, 57.0), (160, 25600, 128, 512, 512, 71.49, 56.3, 57.0),
]  # fmt: skip


@pytest.mark.parametrize("row", KORTHIKANTI)
def test_megatron_mfu_and_hfu(row: tuple[int, int, int, int, int, float, float, float]) -> None:
    heads, hidden, layers, batch, devices, seconds, model, hardware = row
    shape = Shape(layers=layers, d_model=hidden, heads=heads, head_dim=hidden // heads, seq=2048, vocab=51200)
    for recompute, percent in (("none", model), ("selective", hardware)):
        step = cv.megatron_step(shape, batch=batch, recompute=recompute)
        assert 100 * step / seconds / devices / 312e12 == pytest.approx(percent, abs=0.25)


# Hoffmann et al. 2022, table A4: layers, d_model, heads, head_dim, FLOPs by their appendix F over 6ND
CHINCHILLA = [
    (10, 640, 10, 64, 1.03), (20, 1024, 16, 64, 1.10), (24, 1280, 10, 128, 1.08), (26, 1792, 14, 128, 1.04),
    (28, 2048, 16, 128, 1.03), (40, 3584, 28, 128, 0.99),
]  # fmt: skip


def chinchilla(layers: int, d_model: int, heads: int, head_dim: int) -> Shape:
    return Shape(
        layers=layers,
        d_model=d_model,
        d_ff=4 * d_model,
        heads=heads,
        head_dim=head_dim,
        seq=2048,
        vocab=32000,
    )


@pytest.mark.parametrize(("layers", "d_model", "heads", "head_dim", "ratio"), CHINCHILLA)
def test_chinchilla_against_6nd(layers: int, d_model: int, heads: int, head_dim: int, ratio: float) -> None:
    shape = chinchilla(layers, d_model, heads, head_dim)
    ours = cv.chinchilla_step(shape, embeddings=False)
    assert ours / cv.six_n(cv.chinchilla_parameters(shape), 2048) == pytest.approx(ratio, abs=0.0055)
    assert cv.chinchilla_step(shape) == ours + 12 * 2048 * 32000 * d_model


# the same, table A9: parameters (M), d_model, head_dim, heads, layers
CHINCHILLA_MODELS = [
    (44, 512, 64, 8, 8), (57, 576, 64, 9, 9), (74, 640, 64, 10, 10), (90, 640, 64, 10, 13),
    (106, 640, 64, 10, 16), (117, 768, 64, 12, 12), (140, 768, 64, 12, 15), (163, 768, 64, 12, 18),
    (175, 896, 64, 14, 14), (196, 896, 64, 14, 16), (217, 896, 64, 14, 18), (251, 1024, 64, 16, 16),
    (278, 1024, 64, 16, 18), (306, 1024, 64, 16, 20), (425, 1280, 128, 10, 18), (489, 1280, 128, 10, 21),
    (552, 1280, 128, 10, 24), (587, 1408, 128, 11, 21), (632, 1536, 128, 12, 19), (664, 1408, 128, 11, 24),
    (724, 1536, 128, 12, 22), (816, 1536, 128, 12, 25), (893, 1792, 128, 14, 20), (1018, 1792, 128, 14, 23),
    (1143, 1792, 128, 14, 26), (1266, 2048, 128, 16, 22), (1424, 2176, 128, 17, 22),
    (1429, 2048, 128, 16, 25), (1593, 2048, 128, 16, 28), (1609, 2176, 128, 17, 25),
    (1731, 2304, 128, 18, 24), (1794, 2176, 128, 17, 28), (2007, 2304, 128, 18, 28),
    (2283, 2304, 128, 18, 32), (2298, 2560, 128, 20, 26), (2639, 2560, 128, 20, 30),
    (2980, 2560, 128, 20, 34), (4516, 3072, 128, 24, 36), (6796, 3584, 128, 28, 40),
    (9293, 4096, 128, 32, 42), (16183, 5120, 128, 40, 47),
]  # fmt: skip


@pytest.mark.parametrize(("millions", "d_model", "head_dim", "heads", "layers"), CHINCHILLA_MODELS)
def test_chinchilla_parameters(millions: int, d_model: int, head_dim: int, heads: int, layers: int) -> None:
    found = cv.chinchilla_parameters(chinchilla(layers, d_model, heads, head_dim))
    assert found / 1e6 == pytest.approx(millions, rel=2.5e-3, abs=0.6)  # biases and norms are left out


# torchtitan, docs/performance.md (2024): tokens/s/GPU and MFU on A100; all parameters in N
TITAN_A100 = [
    ("llama-3-8b", 8192, 2904, 56.8), ("llama-3-8b", 8192, 2973, 58.2), ("llama-3-70b", 8192, 331, 51.7),
    ("llama-2-13b", 4096, 2162, 61.1), ("llama-2-13b", 4096, 1914, 54.1), ("llama-2-70b", 4096, 355, 50.8),
    ("llama-2-70b", 4096, 353, 50.5),
]  # fmt: skip


@pytest.mark.parametrize(("preset", "seq", "rate", "percent"), TITAN_A100)
def test_torchtitan_on_a100(preset: str, seq: int, rate: int, percent: float) -> None:
    found = account(presets.build(preset), batch=1, seq=seq, phase="train")
    per_token = found.convention("palm") / seq
    reached = mfu(per_token * rate, 1.0, "a100", "bf16")
    assert reached is not None
    assert 100 * reached == pytest.approx(percent, abs=0.15)


# the same page for Llama 3.1 405B on H100, float8 rows; looked-up embeddings left out of N
@pytest.mark.parametrize(("rate", "percent"), [(177, 23.46), (185, 24.52)])
def test_torchtitan_on_h100(rate: int, percent: float) -> None:
    found = account(presets.build("llama-3-405b"), batch=1, seq=8192)
    reached = mfu(found.convention("torchtitan") / 8192 * rate, 1.0, "h100", "fp8")
    assert reached is not None
    assert 100 * reached == pytest.approx(percent, abs=0.15)


# the published checkpoints: model cards, GPT-2's and torchvision's weights
PARAMETERS = {
    "gpt2": 124_439_808, "gpt2-medium": 354_823_168, "gpt2-large": 774_030_080, "gpt2-xl": 1_557_611_200,
    "llama-3-8b": 8_030_261_248, "llama-3-70b": 70_553_706_496, "llama-3-405b": 405_853_388_800,
    "llama-2-7b": 6_738_415_616, "llama-2-13b": 13_015_864_320, "llama-2-70b": 68_976_648_192,
    "llama-30b": 32_528_943_616, "llama-65b": 65_285_660_672, "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824, "mistral-7b": 7_241_732_096, "tinyllama-1.1b": 1_100_048_384,
    "qwen-2.5-0.5b": 494_032_768, "qwen-2.5-7b": 7_615_616_512, "gemma-2b": 2_506_172_416,
    "gemma-7b": 8_537_680_896,
    "vit-b-16": 86_567_656, "vit-l-16": 304_326_632, "resnet-50": 25_557_032,
}  # fmt: skip


@pytest.mark.parametrize(("preset", "count"), PARAMETERS.items())
def test_parameters_of_presets(preset: str, count: int) -> None:
    assert sum(p.numel() for p in presets.build(preset).parameters()) == count


# torchvision's weights tables, GFLOPS (of multiply-adds)
def test_torchvision_multiply_adds() -> None:
    found = account(presets.build("resnet-50"), batch=1, height=224, width=224, phase="inference")
    assert round(found.flops.forward / 2e9, 3) == 4.089
    assert found.parameters.total == PARAMETERS["resnet-50"]
    for preset, published in (("vit-b-16", 17.564), ("vit-l-16", 61.555)):
        found = account(presets.build(preset), batch=1, phase="inference")
        assert round(found.flops.forward / 2e9, 3) == published


def test_the_lectures_napkin() -> None:
    run = napkin(parameters=70e9, tokens=15e12, device="h100", devices=1024, mfu=0.5)
    assert run.days == pytest.approx(143.9, abs=0.1)
    # Llama Team 2024: 405B on 15.6T tokens
    assert napkin(parameters=405e9, tokens=15.6e12, devices=16384).flops == pytest.approx(3.8e25, rel=0.01)


def test_every_device_is_found_by_the_name_torch_gives_it() -> None:
    assert len(table()) == 32
    for device in table():
        found = find(device.name)
        assert found is not None
        assert found.name == device.name
        assert device.sources
        for name in device.match:
            matched = find(name)
            assert matched is not None
            assert matched.name == device.name


@pytest.mark.parametrize(
    "name",
    ["NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 3090 Ti", "NVIDIA L40", "NVIDIA H200 NVL",
     "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "cpu", "NVIDIA GeForce GTX 1080"],
)  # fmt: skip
def test_nobody_gets_somebody_elses_peak(name: str) -> None:
    assert find(name) is None
    assert mfu(1e12, 1.0, name) is None


def test_dense_figures_and_dies() -> None:
    h100, v100, mi250 = find("NVIDIA H100 80GB HBM3"), find("Tesla V100-SXM2-16GB"), find("mi250x")
    assert h100 is not None
    assert v100 is not None
    assert mi250 is not None
    assert (h100.flops("bf16"), h100.flops("fp32"), h100.bandwidth) == (989.4e12, 67e12, 3.35e12)
    assert v100.flops("bf16") is None
    assert mi250.flops(torch.bfloat16) == 191.5e12  # one die is one device to torch


@pytest.mark.parametrize(
    "dtype",
    [torch.float64, torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2,
     torch.float8_e4m3fnuz, torch.float8_e5m2fnuz],
)  # fmt: skip
def test_float_formats_are_torchs(dtype: torch.dtype) -> None:
    row, real = info(dtype), torch.finfo(dtype)
    assert (row.bits, row.max, row.min) == (real.bits, real.max, real.min)
    assert row.smallest_normal == real.smallest_normal
    if dtype != torch.float8_e5m2fnuz:  # torch 2.13 says an eighth; the next number above 1 is 1.25
        assert row.epsilon == real.eps
    assert row.smallest_subnormal is not None
    assert row.smallest_normal is not None
    assert row.smallest_subnormal == row.smallest_normal * 2.0**-row.mantissa
    assert row.bits == 1 + row.exponent + row.mantissa
    assert row.bytes == torch.empty(1, dtype=dtype).element_size()


def test_every_dtype_has_a_row() -> None:
    names = {row.name for row in dtype_table()}
    assert {"float32", "bfloat16", "float8_e8m0fnu", "float4_e2m1fn_x2", "int8", "bool"} <= names
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
        row, real = info(dtype), torch.iinfo(dtype)
        assert (row.bits, row.max, row.min) == (real.bits, real.max, real.min)
    assert info(torch.float8_e8m0fnu).max == 2.0**127
    assert info(torch.float4_e2m1fn_x2).max == 6.0
