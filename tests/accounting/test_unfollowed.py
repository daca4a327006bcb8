"""What stops a record although the sizes are right is named as itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from typedtorch.accounting import AccountingError, SizeError, account


class Layer(nn.Module):
    """A layer and what is done with it."""

    def __init__(self, call: Callable[[nn.Module, Tensor], Tensor], dtype: torch.dtype) -> None:
        super().__init__()
        self.layer, self.call = nn.Linear(8, 4, dtype=dtype), call

    def forward(self, x: Tensor) -> Tensor:
        return self.call(self.layer, x)


CASES: dict[str, tuple[Callable[[nn.Module, Tensor], Tensor], torch.dtype, str | None, str]] = {
    "vmap": (lambda layer, x: torch.vmap(layer)(x), torch.float32, None, "cannot follow torch.vmap"),
    "numpy": (
        lambda layer, x: layer(x) * x.detach().numpy().mean(),
        torch.float32,
        None,
        "cannot follow numpy",
    ),
    "complex": (lambda layer, x: layer(x), torch.complex64, None, "^loss: expected a real number"),
    "muon": (lambda layer, x: layer(x), torch.float32, "muon", "^optimizer: Muon"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_fault_is_named(name: str) -> None:
    call, dtype, optimizer, said = CASES[name]
    with pytest.raises(AccountingError, match=said) as caught:
        account(Layer(call, dtype), torch.randn(3, 8, dtype=dtype), optimizer=optimizer)
    assert not isinstance(caught.value, SizeError)
