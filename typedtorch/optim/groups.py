"""Which parameters decay."""

from collections.abc import Callable
from typing import Any

from torch import nn


def is_matrix(name: str, param: nn.Parameter) -> bool:
    """The usual rule: what multiplies decays (two axes and more), norms and biases do not.

    >>> layer = nn.Linear(3, 2)
    >>> is_matrix("weight", layer.weight), is_matrix("bias", layer.bias)
    (True, False)
    """
    return param.ndim >= 2


def decay_groups(
    model: nn.Module,
    weight_decay: float,
    *,
    decays: Callable[[str, nn.Parameter], bool] = is_matrix,
) -> list[dict[str, Any]]:
    """Two groups, as ``torch.optim.Optimizer`` takes them: the parameters that decay, and those that do not.

    Args:
        model: its trainable parameters, each once, tied ones too; frozen ones are left out.
        weight_decay: of the first group; the second has 0.
        decays: the rule, given a parameter and its name.

    A group without parameters is left out.

    Raises:
        ValueError: nothing in the model is trainable.

    >>> [(g["param_names"], g["weight_decay"]) for g in decay_groups(nn.Linear(3, 2), 0.1)]
    [(['weight'], 0.1), (['bias'], 0.0)]
    """
    chosen: dict[str, Any] = {"params": [], "param_names": [], "weight_decay": weight_decay}
    spared: dict[str, Any] = {"params": [], "param_names": [], "weight_decay": 0.0}
    for name, param in model.named_parameters():
        if param.requires_grad:
            group = chosen if decays(name, param) else spared
            group["params"].append(param)
            group["param_names"].append(name)
    found = [group for group in (chosen, spared) if group["params"]]
    if not found:
        raise ValueError(f"decay_groups: {type(model).__name__} has no parameter that requires a gradient")
    return found
