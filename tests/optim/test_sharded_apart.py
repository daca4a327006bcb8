"""Parameters divided between two processes (FSDP2) move as they do in one."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from typedtorch import optim
from typedtorch.training.distributed import join

FACADES = (optim.AdamW, optim.Adam, optim.SGD, optim.Adagrad, optim.RMSprop, optim.Lion, optim.Adafactor)


def _trained(model: nn.Module, facade: Any) -> nn.Module:
    optimizer = facade(model.parameters(), lr=0.1)
    for seed in range(3):
        torch.manual_seed(seed)
        model(torch.randn(4, 6)).pow(2).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model


def _layer() -> nn.Module:
    torch.manual_seed(0)
    return nn.Linear(6, 7)  # seven rows: the processes' parts are not alike


def _compare(rank: int, store: str) -> None:
    os.environ.update(RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    parallel, _ = join("fsdp", torch.device("cpu"))
    with parallel:  # which leaves the group so that no thread of gloo outlives the interpreter
        mesh = init_device_mesh("cpu", (2,))
        for facade in FACADES:
            whole, divided = _trained(_layer(), facade), _layer()
            fully_shard(divided, mesh=mesh)
            _trained(divided, facade)
            for (name, wanted), found in zip(whole.named_parameters(), divided.parameters(), strict=True):
                joint = found.full_tensor()  # type: ignore[attr-defined]  # a DTensor's
                torch.testing.assert_close(
                    joint, wanted, rtol=1e-5, atol=1e-6, msg=f"{facade.__name__} {name}"
                )


def test_two_processes_step_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    mp.spawn(_compare, args=(str(tmp_path / "store"),), nprocs=2)  # type: ignore[attr-defined,no-untyped-call]  # torch's
