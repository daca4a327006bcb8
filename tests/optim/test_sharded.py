"""Sharded parameters (DTensors, as FSDP2 makes them) move as plain ones do."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

from typedtorch import optim


@pytest.fixture
def mesh() -> Iterator[DeviceMesh]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)  # type: ignore[attr-defined]  # public, not in __all__
    yield init_device_mesh("cpu", (1,))
    dist.destroy_process_group()


@pytest.mark.parametrize(
    "facade", [optim.AdamW, optim.Adam, optim.SGD, optim.Adagrad, optim.RMSprop, optim.Lion, optim.Adafactor]
)
def test_a_sharded_step_is_the_plain_one(facade: type[optim.Facade], mesh: DeviceMesh) -> None:
    torch.manual_seed(0)
    options: dict[str, Any] = {"lr": 0.1} | ({"momentum": 0.9} if facade is optim.SGD else {})
    plain = [torch.nn.Parameter(torch.randn(shape)) for shape in ((6, 4), (5,))]
    placed = [Shard(0), Replicate()]
    sharded = [
        torch.nn.Parameter(distribute_tensor(p.detach().clone(), mesh, [place]))
        for p, place in zip(plain, placed, strict=True)
    ]
    one, other = facade(plain, **options), facade(sharded, **options)
    for _ in range(3):
        for p, q, place in zip(plain, sharded, placed, strict=True):
            p.grad = torch.randn_like(p)
            q.grad = distribute_tensor(p.grad.clone(), mesh, [place])
        found = [
            optim.clip_by_global_norm([p.grad for p in ps if p.grad is not None], 1.0)
            for ps in (plain, sharded)
        ]
        one.step()
        other.step()
    assert found[0].norm.item() == pytest.approx(found[1].norm.item())
    for p, q in zip(plain, sharded, strict=True):
        torch.testing.assert_close(q.full_tensor(), p, rtol=1e-5, atol=1e-6)  # type: ignore[attr-defined]  # a DTensor's
