"""Parameters that a step does not use, which ``DistributedDataParallel`` joins no gradients without."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from torch import nn

from typedtorch.training.errors import ConfigError
from typedtorch.training.restore import plain_name

_INDICES = re.compile(r"did not receive grad for rank \d+: ([\d ]+)")


@contextlib.contextmanager
def all_used(model: nn.Module, *, last: bool) -> Iterator[None]:
    """Around the forward and backward passes of a step; ``last`` for those after which gradients are joined.

    The gradients that lie in one piece of memory with a missing one are not joined, without a word; torch
    speaks up in the next step, of numbers.

    Raises:
        ConfigError: a parameter has no gradient, naming each.
    """
    try:
        with contextlib.nullcontext() if last else model.no_sync():  # type: ignore[operator]  # DDP's method
            yield
    except RuntimeError as error:
        found = _INDICES.search(str(error))
        if found is None:
            raise
        trained = [name for name, param in model.named_parameters() if param.requires_grad]
        numbers = [int(number) for number in found[1].split()]
        raise _refused([trained[n] for n in numbers if n < len(trained)]) from error
    unused = [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]
    if last and unused:
        raise _refused(unused)


def _refused(names: list[str]) -> ConfigError:
    listed = ", ".join(map(plain_name, names))
    wanted = "every parameter to be used in every step, as DistributedDataParallel wants it"
    remedy = "add 0 times it to the loss, freeze it, or use parallel fsdp"
    return ConfigError(f"parallel: expected {wanted}, not used: {listed} ({remedy})")
