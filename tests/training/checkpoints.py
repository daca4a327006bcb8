"""What the tests of checkpoints share: states that can be told apart, processes that die."""

import io
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from typedtorch.training import CheckpointStore
from typedtorch.training import checkpoint as module
from typedtorch.training.checked import CheckedWriter

State = dict[str, Any]
FILES = [module.MODEL, module.STATE, module.SKELETON, module.MANIFEST]


def state_of(step: int) -> State:
    return {
        "model": {"w": torch.full((50,), float(step)), "b": torch.tensor([step])},
        "optimizer": {"state": {0: {"step": torch.tensor(float(step)), "exp_avg": torch.full((50,), 0.5)}}},
        "counters": {"step": step},
    }


def holds(state: State, step: int) -> bool:
    same = bool((state["model"]["w"] == step).all()) and int(state["optimizer"]["state"][0]["step"]) == step
    return same and state["counters"] == {"step": step}


def names(store: CheckpointStore) -> list[str]:
    return sorted(p.name for p in store.folder.iterdir())


def in_a_child(action: Callable[[], None]) -> int:
    """Run ``action`` in a forked process; its exit status as ``os.wait`` gives it."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        except BaseException:
            os._exit(70)
    return os.waitpid(pid, 0)[1]


def die_at(boundary: int) -> None:
    """SIGKILL this process right before its ``boundary``-th call that changes what is on the disk."""
    left = [boundary]

    def before(*_: object) -> None:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    def counted(plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            before()
            return plain(*args, **kwargs)

        return call

    for name in ("fsync", "rename", "replace", "mkdir", "rmdir", "unlink"):
        plain = getattr(os, name)
        setattr(os, name, counted(plain))

    def audit(event: str, args: tuple[object, ...]) -> None:
        if event == "open" and "saving" in str(args[0]):
            before()

    sys.addaudithook(audit)


def sign_again(path: Path) -> None:
    """Make the manifest vouch for whatever the files hold now."""
    files: dict[str, object] = {}
    for name in FILES[:3]:
        writer = CheckedWriter(io.BytesIO())
        writer.write((path / name).read_bytes())
        files[name] = writer.entry()
    try:
        json.loads((path / module.MANIFEST).read_bytes())
    except ValueError:
        return  # the manifest itself is the hostile file
    sign(path, {"format": module.FORMAT, "step": 2, "files": files})


def sign(path: Path, body: dict[str, object]) -> None:
    (path / module.MANIFEST).write_text(json.dumps({**body, "sha256": module._digest(body)}))
