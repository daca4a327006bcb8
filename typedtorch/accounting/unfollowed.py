"""What stops a record although the sizes are right: named as itself, not as a wrong size."""

from __future__ import annotations

from typedtorch.accounting.errors import AccountingError, UnfollowedError, told

_SIGNS = {
    "BatchedTensorImpl": "torch.vmap and torch.func, whose tensors are not the ones that the operators get",
    "TensorWrapper": "torch.func, whose tensors are not the ones that the operators get",
    "flex_attention": "FlexAttention; scaled_dot_product_attention counts alike",
    "NestedTensor": "nested tensors; pad them",
    ".numpy()": "numpy, which needs values",
}
_COMPLEX = "only for real scalar outputs"


def fault_of(error: Exception, where: str) -> AccountingError | None:
    """The error to raise where the sizes are not to blame; None where they may be.

    >>> print(fault_of(NotImplementedError("tensor subclasses have no .numpy()"), "forward"))
    forward: accounting cannot follow numpy, which needs values
    >>> fault_of(RuntimeError("sizes differ"), "forward")
    """
    text = told(error)
    if _COMPLEX in text:
        wanted = "a real number, got a complex one; loss= may be a function that makes one of the output"
        return AccountingError(f"loss: expected {wanted}")
    for sign, what in _SIGNS.items():
        if sign in text:
            return UnfollowedError(f"{where}: accounting cannot follow {what}")
    return None
