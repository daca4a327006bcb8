"""What accelerators promise: dense FLOP/s by dtype, bandwidth and memory, each with its source.

The table is ``devices.json`` beside this file: dense figures with FP32 accumulation, per device as
torch counts devices, decimal units, and the memory a program can have.  A device that is not in it has
no peak, and a reason why.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import torch

from typedtorch.accounting.checks import meant, shown
from typedtorch.accounting.errors import AccountingError

_KEYS: dict[torch.dtype, str] = {
    torch.float64: "fp64", torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16",
    torch.int8: "int8", torch.uint8: "int8", torch.float8_e4m3fn: "fp8", torch.float8_e5m2: "fp8",
    torch.float8_e4m3fnuz: "fp8", torch.float8_e5m2fnuz: "fp8",
}  # fmt: skip
_ALIASES = {
    "float64": "fp64", "double": "fp64", "float32": "fp32", "float": "fp32", "bfloat16": "bf16",
    "float16": "fp16", "half": "fp16", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8", "tensorfloat32": "tf32",
    "float4_e2m1fn_x2": "fp4",
}  # fmt: skip
Dtype = torch.dtype | str


@dataclass(frozen=True)
class Device:
    """An accelerator: ``peak`` in FLOP/s by short dtype name, ``bandwidth`` in bytes/s, ``memory`` in bytes.

    The memory is what a program can have, CUDA's own context (half a GiB) included: an "80 GB" H100 has 79.1
    GiB, 85e9 bytes.
    ``achievable`` is the part of a peak a well-tuned matrix product reaches, where somebody published it.
    """

    name: str
    peak: Mapping[str, float]
    bandwidth: float
    memory: float
    match: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    note: str = ""
    achievable: Mapping[str, float] | None = None
    dies: int = 1

    def flops(self, dtype: Dtype) -> float | None:
        """FLOP/s promised for a dtype, or None where the device has no such units.

        >>> find("h100").flops("bf16")
        989400000000000.0
        """
        return self.peak.get(dtype_key(dtype))

    def ridge(self, dtype: Dtype) -> float | None:
        """FLOPs per byte above which an operator is bound by arithmetic.

        >>> round(find("h100").ridge(torch.bfloat16))
        295
        """
        peak = self.flops(dtype)
        return None if peak is None else peak / self.bandwidth


def dtype_key(dtype: Dtype) -> str:
    """The short name the table uses.

    Raises:
        AccountingError: a dtype no device multiplies in.

    >>> dtype_key(torch.bfloat16), dtype_key("float16"), dtype_key("tf32")
    ('bf16', 'fp16', 'tf32')
    """
    if isinstance(dtype, torch.dtype):
        key = _KEYS.get(dtype)
        if key is None:
            name = str(dtype).removeprefix("torch.")
            key = _ALIASES.get(name, name)
        return key
    short = dtype.lower().removeprefix("torch.") if isinstance(dtype, str) else ""
    short = _ALIASES.get(short, short)
    if short not in _SHORT:
        known = sorted(_SHORT)
        raise AccountingError(
            f"dtype {shown(dtype)}: {meant(short, known)}known are {', '.join(known)} and torch's dtypes"
        )
    return short


def bytes_of(dtype: Dtype) -> float:
    """Bytes of one number.

    >>> bytes_of("fp8"), bytes_of("tf32"), bytes_of(torch.bfloat16), bytes_of("int4")
    (1.0, 4.0, 2.0, 0.5)
    """
    digits = re.search(r"\d+", dtype_key(dtype))
    return int(digits.group()) / 8 if digits else 1.0


_SHORT = {"fp64", "fp64_tensor", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4", "int4"}


@functools.cache
def table() -> tuple[Device, ...]:
    """Every known device."""
    rows = json.loads(resources.files(__package__).joinpath("devices.json").read_text(encoding="utf-8"))
    return tuple(_device(row) for row in rows["devices"])


def _device(row: dict[str, Any]) -> Device:
    dies = int(row.get("dies", 1))
    return Device(
        name=row["name"],
        peak={k: v / dies for k, v in row["peak_dense"].items() if v is not None},
        bandwidth=row["hbm_bytes_per_s"] / dies,
        memory=int(row["usable_gib"] * 2**30) // dies,
        match=tuple(row["match"]),
        sources=tuple(row["source"]),
        note=row.get("note", ""),
        achievable=row.get("achievable"),
        dies=dies,
    )


_TORCHS = re.compile(r"(?:cuda|cpu|mps|xpu)(?::\d+)?")
_VENDORS = re.compile(r"^(?:(?:nvidia|amd|tesla|google)\s+)+")


def _plain(name: str) -> str:
    """Lower case, one space between words, no vendor in front."""
    return _VENDORS.sub("", " ".join(name.lower().split()))


def device_name(device: Device | torch.device | str) -> str:
    """What torch calls a device.

    Raises:
        AccountingError: what is given is neither a name nor a device.

    >>> device_name(torch.device("cpu")), device_name("h100")
    ('cpu', 'h100')
    """
    if isinstance(device, Device):
        return device.name
    if not isinstance(device, (str, torch.device)):
        raise AccountingError(
            f"device={shown(device)}: wanted a name, as torch.cuda.get_device_name() gives it, or a Device"
        )
    if isinstance(device, str) and not _TORCHS.fullmatch(device):
        return device
    kind = torch.device(device)
    known = kind.type == "cuda" and (kind.index or 0) < torch.cuda.device_count()
    return torch.cuda.get_device_name(kind) if known else str(kind)


def find(name: Device | torch.device | str) -> Device | None:
    """The device torch calls ``name`` (``torch.cuda.get_device_name()``), or a short name of ours.

    The whole name must be known: a laptop's, a partition's or a "Ti" part's figures are others.  A device of
    torch is known by its name, and a :class:`Device` is itself.

    >>> find("NVIDIA H100 80GB HBM3").name, find("a100").name
    ('H100 SXM', 'A100 SXM 80GB')
    >>> find("NVIDIA GeForce RTX 4090 Laptop GPU"), find("NVIDIA H100 80GB HBM3 MIG 1g.10gb")
    (None, None)
    """
    if isinstance(name, Device):
        return name
    wanted = _plain(device_name(name))
    for device in table():
        if wanted == device.name.lower():
            return device
        if any(wanted == _plain(match) for match in device.match):
            return device
    return _short_name(wanted)


_SHORT_NAMES = {
    "v100": "V100 SXM2", "a100": "A100 SXM 80GB", "a100-40gb": "A100 SXM 40GB", "a100-80gb": "A100 SXM 80GB",
    "a100-pcie": "A100 PCIe 80GB", "h100": "H100 SXM", "h100-sxm": "H100 SXM", "h100-pcie": "H100 PCIe",
    "h100-nvl": "H100 NVL", "h200": "H200 SXM", "gh200": "GH200 (GPU part)", "b200": "B200 (HGX/DGX)",
    "gb200": "GB200 (per GPU)", "mi250": "MI250 (OAM, 2 GCD)", "mi250x": "MI250X (OAM, 2 GCD)",
    "rtx3090": "RTX 3090", "rtx4090": "RTX 4090", "rtx5090": "RTX 5090", "3090": "RTX 3090",
    "4090": "RTX 4090", "5090": "RTX 5090", "tpuv4": "TPU v4", "tpuv5e": "TPU v5e", "tpuv5p": "TPU v5p",
    "tpuv6e": "TPU v6e", "v4": "TPU v4", "v5e": "TPU v5e", "v5p": "TPU v5p", "v6e": "TPU v6e",
}  # fmt: skip


def _short_name(wanted: str) -> Device | None:
    plain = wanted.replace("_", "-").replace(" ", "-")
    full = _SHORT_NAMES.get(plain) or _SHORT_NAMES.get(plain.replace("-", ""))
    return next((d for d in table() if full is not None and d.name == full), None)


def near(name: str) -> list[str]:
    """Names like this one that are known, the nearest first.

    >>> near("h1000")[0], near("RTX 4090 Ti")[0], near("abacus")
    ('h100', 'RTX 4090', [])
    """
    known = {_plain(spelt): spelt for device in table() for spelt in (device.name, *device.match)}
    known.update({short: short for short in _SHORT_NAMES})
    return [known[found] for found in difflib.get_close_matches(_plain(name), known, n=3)]


def why_unknown(device: Device | torch.device | str, dtype: Dtype | None = None) -> str:
    """Why there is no peak for a device (and dtype), with what to do.

    >>> print(why_unknown("V100 SXM2", "bf16"))
    V100 SXM2 promises nothing for bf16; it has fp64, fp32, fp16
    """
    found, name = find(device), device_name(device)
    if found is None:
        likely = " or ".join(map(repr, near(name)))
        hint = f"did you mean {likely}? " if likely else ""
        return (
            f"no peak is known for device {name!r}: {hint}time one with typedtorch.accounting.measure_peak, "
            f"or pass a Device; known are {', '.join(d.name for d in table())}"
        )
    if dtype is not None and found.flops(dtype) is None:
        return f"{found.name} promises nothing for {dtype_key(dtype)}; it has {', '.join(found.peak)}"
    return f"{found.name} is known"
