"""How much of a device's memory a program can have, and whether a step fits into it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from jaxtyping import Float
from rich.console import Console
from torch import Tensor

from typedtorch.accounting import Cache, account, decode_step, devices, find
from typedtorch.accounting.report import render

# what torch names as total capacity in messages of out of memory, GiB, read off reports of several drivers
CAPACITY = {
    "NVIDIA H100 80GB HBM3": (79.10, 79.33), "NVIDIA A100-SXM4-80GB": (79.14, 79.33),
    "NVIDIA A100-SXM4-40GB": (39.38, 39.56), "NVIDIA H200": (139.72, 139.81), "NVIDIA B200": (178.35, 178.36),
    "NVIDIA L40S": (44.39, 44.42), "NVIDIA L4": (22.03, 22.05), "Tesla T4": (14.56, 14.75),
    "Tesla V100-SXM2-16GB": (15.73, 15.78), "Tesla V100-SXM2-32GB": (31.73, 31.75),
    "AMD Instinct MI300X": (191.69, 191.98), "AMD Instinct MI250X": (63.98, 63.98),
}  # fmt: skip


@pytest.mark.parametrize("name", CAPACITY)
def test_memory_is_what_a_program_can_have(name: str) -> None:
    device = find(name)
    assert device is not None
    least, most = CAPACITY[name]
    assert least <= round(device.memory / 2**30, 2) <= most


def test_less_memory_than_the_driver_shows() -> None:
    table = Path(devices.__file__).with_name("devices.json")
    rows = [row for row in json.loads(table.read_text())["devices"] if "nvidia_smi_mib" in row]
    assert len(rows) > 15
    for row in rows:
        assert 0.94 < row["usable_gib"] * 1024 / row["nvidia_smi_mib"] < 1, row["name"]


@pytest.mark.parametrize(("gibibytes", "fits"), [(74, True), (76, True), (79, True), (80, False)])
def test_whether_a_step_fits_is_asked_of_usable_memory(gibibytes: int, fits: bool) -> None:
    def double(x: Float[Tensor, "rows 268435456"]) -> Tensor:
        return x.mul_(2)

    found = account(double, rows=gibibytes, phase="inference")
    assert found.memory.peak == gibibytes * 2**30
    console = Console(file=io.StringIO(), width=200)
    console.print(render(found, device="h100", formulas=False))
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert f"{gibibytes} GiB of 79.1 GiB: {'fits' if fits else 'does not fit'}" in text


def test_a_table_that_is_looked_up_takes_memory_too() -> None:
    cache = Cache(layers=1, kv_heads=1, head_dim=1, batch=1, context=1)
    half = 20 * 2**30  # of 79.1 GiB, in two bytes each
    assert decode_step(cache, parameters=half, heads=1, device="h100").fits
    assert not decode_step(cache, parameters=half, looked_up=half, heads=1, device="h100").fits
    assert decode_step(cache, parameters=half, looked_up=half, heads=1, device="h100", devices=2).fits
