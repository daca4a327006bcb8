"""Dropout."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def dropout(
    x: Float[Tensor, "*shape"],
    *,
    p: float,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "*shape"]:
    """Set each element to 0 with probability ``p`` and divide the rest by ``1 - p``.

    Srivastava et al., JMLR 15 (2014).  The expectation is ``x``.  At ``p=0`` it returns ``x``
    itself, and at ``p=1`` zeros.  Without a ``generator`` it draws from torch's global one.

    Raises:
        ValueError: ``p`` is not in [0, 1].

    >>> import torch
    >>> dropout(torch.ones(6), p=0.5, generator=torch.Generator().manual_seed(0)).unique()
    tensor([0., 2.])
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout: p is a probability in [0, 1], got {p}")
    if p == 0.0:
        return x
    if generator is None or p == 1.0:
        return F.dropout(x, p)
    keep = torch.empty_like(x).bernoulli_(1.0 - p, generator=generator)
    return x * keep / (1.0 - p)
