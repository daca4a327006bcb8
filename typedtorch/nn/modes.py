"""Training and evaluation mode, module by module: what is kept in evaluation mode on purpose stays there."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def modes_kept(model: nn.Module) -> Iterator[None]:
    """Whatever mode modules are put into inside, afterwards each is in its own again.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2).eval())
    >>> with modes_kept(model):
    ...     _ = model.eval()
    >>> [module.training for module in model.modules()]
    [True, True, False]
    """
    before = {module: module.training for module in model.modules()}
    try:
        yield
    finally:
        for module, training in before.items():
            module.training = training


def begin_training(model: nn.Module) -> None:
    """Put a model into training mode, unless it is: then a part in evaluation mode is so on purpose.

    Such a part is a frozen batch norm, say, whose running statistics are to stay. What wraps the model
    (``DistributedDataParallel``, ``torch.compile``) says nothing of that.

    >>> frozen = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2).eval())
    >>> begin_training(frozen)
    >>> [module.training for module in frozen.modules()]
    [True, True, False]
    >>> begin_training(frozen.eval())
    >>> [module.training for module in frozen.modules()]
    [True, True, True]
    """
    wrappers = [model]
    while isinstance(inner := _inside(wrappers[-1]), nn.Module):
        wrappers.append(inner)
    if not wrappers[-1].training:
        model.train()
    for wrapper in wrappers:
        wrapper.training = True


def _inside(wrapper: nn.Module) -> object:
    """What a wrapper wraps; None for what is none."""
    if isinstance(wrapper, nn.parallel.DistributedDataParallel | nn.DataParallel):
        return wrapper.module
    return getattr(wrapper, "_orig_mod", None)
