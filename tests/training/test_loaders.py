"""Batches from a DataLoader or any iterable: a resumed run sees those that the whole run saw."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, UserDict, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, TensorDataset

from typedtorch.training import CheckpointStore, LoopSettings, Trainer
from typedtorch.training.sources import Replayed, to_device

X = torch.randn(40, 4, generator=torch.Generator().manual_seed(5))
DATA = TensorDataset(X, X.sum(1, keepdim=True))


class Augmented:
    """Another order and other noise in every epoch, from the global generator."""

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        for i in torch.randperm(5).tolist():
            x = X[i * 8 : i * 8 + 8]
            yield x + 0.1 * torch.randn(8, 4), x


class Noisy(Dataset[tuple[Tensor, ...]]):
    """Other noise each time, from a generator that the dataset has under a name of its own."""

    def __init__(self, noise: torch.Generator) -> None:
        self.noise = noise

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        return X[index] + torch.randn(4, generator=self.noise), X[index]

    def __len__(self) -> int:
        return len(X)


class Epochs:
    """A sampler that wants to be told the epoch."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def set_epoch(self, epoch: int) -> None:
        self.told.append(epoch)

    def __iter__(self) -> Iterator[int]:
        order = torch.Generator().manual_seed(self.told[-1])
        return iter(torch.randperm(40, generator=order).tolist())

    def __len__(self) -> int:
        return 40


def loader(kind: str) -> Iterable[Any]:
    own = torch.Generator().manual_seed(3)
    match kind:
        case "in order":
            return DataLoader(DATA, batch_size=8)
        case "shuffled":
            return DataLoader(DATA, batch_size=8, shuffle=True)
        case "shuffled by a generator":
            return DataLoader(DATA, batch_size=8, shuffle=True, generator=own)
        case "shuffled by a sampler's generator":
            return DataLoader(DATA, batch_size=8, sampler=RandomSampler(DATA, generator=own))
        case "shuffled, a worker":
            return DataLoader(DATA, batch_size=8, shuffle=True, num_workers=1)
        case "shuffled, a worker that stays":
            return DataLoader(DATA, batch_size=8, shuffle=True, num_workers=1, persistent_workers=True)
        case "shuffled in a batch sampler":
            return DataLoader(DATA, batch_sampler=BatchSampler(RandomSampler(DATA, generator=own), 8, False))
        case "noise of the dataset's own":
            return DataLoader(Noisy(own), batch_size=8)
        case "told the epoch":
            return DataLoader(DATA, batch_size=8, sampler=Epochs())
        case "augmented":
            return Augmented()
        case _:
            return ((x, x) for _ in range(9) for x in X.split(8)[:5])


def trainer(kind: str, steps: int) -> Trainer:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def loss(model: nn.Module, batch: Any) -> Tensor:
        return nn.functional.mse_loss(model(batch[0]), batch[1].sum(1, keepdim=True))

    settings = LoopSettings(steps=steps, save_every=0)
    return Trainer(model, loss, loader(kind), torch.optim.AdamW(model.parameters(), lr=0.01), settings)


KINDS = [
    "in order", "shuffled", "shuffled by a generator", "shuffled by a sampler's generator",
    "shuffled, a worker", "shuffled, a worker that stays", "shuffled in a batch sampler",
    "noise of the dataset's own", "told the epoch", "augmented", "a generator",
]  # fmt: skip


def end_workers(trainer: Trainer) -> None:
    """Now: torch waits five seconds, or a minute, for those that only the garbage collector finds."""
    assert isinstance(trainer.source, Replayed)
    trainer.source._iterator = None
    if isinstance(trainer.source.iterable, DataLoader):
        trainer.source.iterable._iterator = None


@pytest.mark.parametrize("stop", [3, 5, 13])  # in the first epoch, at its end, in the third
@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_run_sees_the_same_batches(tmp_path: Path, kind: str, stop: int) -> None:
    whole = trainer(kind, 20)
    whole.fit()
    part = trainer(kind, stop)
    part.fit()
    path = CheckpointStore(tmp_path).save(stop, part.state_dict())
    again = trainer(kind, 20)
    torch.manual_seed(77)  # whatever the new process drew meanwhile
    again.load_state_dict(CheckpointStore(tmp_path).load(path))
    again.fit()
    for one, other in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)
    for each in (whole, part, again):
        end_workers(each)


@pytest.mark.parametrize("inside", [False, True])
def test_each_epoch_is_told_to_the_sampler(inside: bool) -> None:
    sampler = Epochs()
    loader: DataLoader[Any] = DataLoader(DATA, batch_size=20, sampler=sampler)
    if inside:
        loader = DataLoader(DATA, batch_sampler=BatchSampler(sampler, 20, False))
    source = Replayed(loader, torch.device("cpu"))
    for _ in range(5):
        next(source)
    assert sampler.told == [0, 1, 2]


@pytest.mark.parametrize("epoch", [0, 1])
def test_going_back_with_workers_that_stay_gives_the_same_batches(epoch: int) -> None:
    source = Replayed(loader("shuffled, a worker that stays"), torch.device("cpu"))
    for _ in range(5 * epoch + 2):
        next(source)
    state = source.state_dict()
    wanted = [next(source)[0] for _ in range(3)]
    next(source)  # the workers are there now, whichever the epoch
    source.load_state_dict(state)
    assert all(torch.equal(next(source)[0], each) for each in wanted)


def test_going_back_leaves_the_global_generators_alone() -> None:
    source = Replayed(loader("shuffled"), torch.device("cpu"))
    for _ in range(7):
        next(source)
    state = source.state_dict()
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    source.load_state_dict(state)
    assert torch.equal(torch.rand(3), expected)


def test_a_position_saved_without_generators_is_taken() -> None:
    source = Replayed([torch.tensor(i) for i in range(4)], torch.device("cpu"))
    source.load_state_dict({"epoch": 2, "drawn": 3})
    assert [int(next(source)) for _ in range(2)] == [3, 0]


@dataclasses.dataclass(frozen=True)
class Counted:
    x: Tensor
    scale: dataclasses.InitVar[int]
    n: int = dataclasses.field(init=False)

    def __post_init__(self, scale: int) -> None:
        object.__setattr__(self, "n", scale * len(self.x))


class Encoding(UserDict[str, Any]):
    """A mapping that is no dict, with something of its own, as tokenizers give it."""

    own = "kept"


def test_batches_stay_what_they_are_when_they_are_moved() -> None:
    meta, x = torch.device("meta"), torch.ones(3)
    counted = to_device(Counted(x, 2), meta)
    assert (type(counted), counted.x.device, counted.n) == (Counted, meta, 6)
    encoding = Encoding({"x": x, "inner": [x]})
    batches: list[Any] = [encoding, OrderedDict(x=x, inner=[x]), defaultdict(list, x=x, inner=[x])]
    for batch in batches:
        moved = to_device(batch, meta)
        assert type(moved) is type(batch)
        assert moved["x"].device == moved["inner"][0].device == meta
        assert batch["x"].device.type == "cpu"
    assert to_device(defaultdict(list), meta)["more"] == []
    assert to_device(MappingProxyType({"x": x}), meta)["x"].device == meta
