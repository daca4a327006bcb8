"""Parameters that a step does not use, which ``DistributedDataParallel`` joins no gradients without."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from torch import nn

from typedtorch.training.errors import ConfigError
from typedtorch.training.restore import named_plainly

_INDICES = re.compile(r"did not receive grad for rank \d+: ([\d ]+)")


class Joined:
    """The parameters of a model whose gradients are joined: those that were trainable when it was wrapped.

    >>> joined = Joined(nn.Linear(2, 1))
    >>> joined.names
    ['weight', 'bias']
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        trained = [(name, p) for name, p in named_plainly(model) if p.requires_grad]
        self.names, self._params = [name for name, _ in trained], [param for _, param in trained]
        self._known = set(map(id, self._params))

    @contextlib.contextmanager
    def all_used(self, *, last: bool) -> Iterator[None]:
        """Around the passes of a step; ``last`` for those after which gradients are joined.

        The gradients that lie in one piece of memory with a missing one are not joined, without a word; torch
        speaks up in the next step, of numbers.  Nor are those of parameters that became trainable later.

        Raises:
            ConfigError: a parameter has no gradient, or one that is not joined, naming each.
        """
        try:
            with contextlib.nullcontext() if last else self.model.no_sync():  # type: ignore[operator]  # DDP's method
                yield
        except RuntimeError as error:
            found = _INDICES.search(str(error))
            if found is None:
                raise
            numbers = [int(number) for number in found[1].split()]
            raise _refused([self.names[n] for n in numbers if n < len(self.names)]) from error
        if last:
            self._check()

    def _check(self) -> None:
        unused = [name for name, p in zip(self.names, self._params, strict=True) if p.grad is None]
        if unused:
            raise _refused(unused)
        trained = [(name, p) for name, p in self.model.named_parameters() if p.requires_grad]
        if any(id(param) not in self._known for _, param in trained):
            late = [n for n, p in named_plainly(self.model) if p.requires_grad and id(p) not in self._known]
            wanted = "the parameters that were trainable when the model was wrapped, and no others"
            remedy = "make them trainable before, or use parallel fsdp"
            raise ConfigError(f"parallel: expected {wanted}, got also {', '.join(late)} ({remedy})")


def _refused(names: list[str]) -> ConfigError:
    wanted = "every parameter to be used in every step, as DistributedDataParallel wants it"
    remedy = "add 0 times it to the loss, freeze it before the model is wrapped, or use parallel fsdp"
    return ConfigError(f"parallel: expected {wanted}, not used: {', '.join(names)} ({remedy})")
