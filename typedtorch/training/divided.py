"""The state of a run whose processes divide it between them: what each holds, by the names of the whole.

``model/<name>``, ``optimizer/<number>/<name>`` and ``ema/<name>`` are tensors, whole or ``DTensor`` parts;
the rest of the state (groups, counters, generators) is plain and written once.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch.optim import Optimizer

from typedtorch.training.restore import plain_state
from typedtorch.training.shards import FOLDER, KEY, Shards, entries, write_part

if TYPE_CHECKING:
    from typedtorch.training.checkpoint import CheckpointStore
    from typedtorch.training.distributed import Parallel
    from typedtorch.training.trainer import Trainer

State = dict[str, Any]


def numbered(optimizer: Optimizer) -> dict[Tensor, int]:
    """Each parameter's number, as the optimizer's own state dict counts them."""
    params = [param for group in optimizer.param_groups for param in group["params"]]
    return {param: number for number, param in enumerate(params)}


def split(trainer: Trainer) -> tuple[dict[str, Tensor], State]:
    """The tensors this process holds, and everything else of the state; every process has to take part."""
    tensors: dict[str, Tensor] = {}
    for name, value in plain_state(trainer.model.state_dict()).items():
        tensors[f"model/{name}"] = value
    optimizer = trainer.optimizer
    numbers = numbered(optimizer)
    plain: dict[int, dict[str, Any]] = {}
    for param, state in getattr(optimizer, "optim", optimizer).state.items():  # ZeRO keeps its share inside
        for name, value in state.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer/{numbers[param]}/{name}"] = value
            else:
                plain.setdefault(numbers[param], {})[name] = value
    groups = [
        {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[p] for p in group["params"]]}
        for group in optimizer.param_groups
    ]
    if trainer.ema is not None:
        tensors |= {f"ema/{name}": value for name, value in trainer.ema.state_dict().items()}
    optimizer_state = {"param_groups": groups, "state": plain}
    return tensors, {**trainer.snapshot.common(), "optimizer": optimizer_state}


def write(
    parallel: Parallel, store: CheckpointStore | None, step: int, tensors: Mapping[str, Tensor], plain: State
) -> Path | None:
    """Write a checkpoint, each process its part; every process has to take part, and gets its path or none.

    ``tensors`` and ``plain`` are as :func:`split` gives them; the first process alone has the ``store``.

    Raises:
        CheckpointError: in every process, where the disk refused one of them.
    """
    own = store.place_for_shards(step) if store is not None else None
    if own is not None:
        own.mkdir(mode=0o755, exist_ok=True)  # the umask may allow more
    said = parallel.broadcast(None if own is None else str(own))
    if said is None:
        return None
    place = Path(said)
    write_part(place, tensors, group=parallel.group)
    files = parallel.gather(entries(place, share=parallel.rank, of=parallel.world))
    optimizer = plain["optimizer"]
    parts = parallel.gather(optimizer["state"])

    def finish() -> Path:
        assert store is not None  # the first process has it
        index = {"world": parallel.world, "files": {k: v for part in files for k, v in part.items()}}
        kept = {"state": {k: v for part in parts for k, v in part.items()}}
        return store.save(step, {**plain, "optimizer": {**optimizer, **kept}, KEY: index}, beside=place)

    try:
        return parallel.by_first(finish)
    finally:
        if store is not None:
            shutil.rmtree(place, ignore_errors=True)


def merge(state: State, tensors: Mapping[str, Tensor]) -> State:
    """A whole state from its plain part and its tensors."""
    model = {n.removeprefix("model/"): t for n, t in tensors.items() if n.startswith("model/")}
    averages = {n.removeprefix("ema/"): t for n, t in tensors.items() if n.startswith("ema/")}
    kept: dict[int, dict[str, Any]] = {n: dict(v) for n, v in state["optimizer"]["state"].items()}
    for name, tensor in tensors.items():
        if name.startswith("optimizer/"):
            _, number, inner = name.split("/", 2)
            kept.setdefault(int(number), {})[inner] = tensor
    optimizer = {**state["optimizer"], "state": dict(sorted(kept.items()))}
    whole = {**{k: v for k, v in state.items() if k != KEY}, "model": model, "optimizer": optimizer}
    return {**whole, "ema": averages} if averages else whole


def join(state: State, folder: Path) -> State:
    """A whole state, every tensor read from the parts that lie in the checkpoint ``folder``.

    Raises:
        DamagedCheckpoint: they do not hold.
    """
    return merge(state, Shards(folder / FOLDER, state[KEY]["files"]).whole())


def outline(state: State, folder: Path) -> State:
    """The same with tensors that have a shape and no bytes, and where the bytes are under :data:`KEY`.

    Raises:
        DamagedCheckpoint: they do not hold.
    """
    shards = Shards(folder / FOLDER, state[KEY]["files"])
    return {**merge(state, shards.empty("meta")), KEY: {**state[KEY], "folder": str(folder / FOLDER)}}


def restore(trainer: Trainer, state: State, numbers: Mapping[int, int]) -> None:
    """Read this process's part of an :func:`outline` into the trainer; every process has to take part.

    ``numbers`` says for each number in the files the one that the parameter has here, and in ``state``.

    Raises:
        DamagedCheckpoint: the files do not hold what the index says.
    """
    shards = Shards(Path(state[KEY]["folder"]), state[KEY]["files"])
    optimizer, outlined = trainer.optimizer, state["optimizer"]
    tensors = {f"model/{n}": t for n, t in plain_state(trainer.model.state_dict()).items()}
    if trainer.ema is not None:
        tensors |= {f"ema/{name}": value for name, value in trainer.ema.state_dict().items()}
    params = {number: param for param, number in numbered(optimizer).items()}
    in_files = {here: number for number, here in numbers.items()}
    kept = {number: dict(values) for number, values in outlined["state"].items()}
    for number, values in kept.items():
        for name, value in values.items():
            if isinstance(value, Tensor):
                room = values[name] = _like(params[number], value)
                tensors[f"optimizer/{in_files[number]}/{name}"] = room
    shards.read_into(tensors, alone=False)
    optimizer.load_state_dict({**outlined, "state": kept})


def _like(param: Shaped[Tensor, "*param"], wanted: Shaped[Tensor, "*shape"]) -> Shaped[Tensor, "*shape"]:
    """Room for a value of an optimizer's state: divided as its parameter is, where it has that shape."""
    if wanted.shape == param.shape:
        return torch.zeros_like(param.detach(), dtype=wanted.dtype)
    return torch.zeros(wanted.shape, dtype=wanted.dtype)
