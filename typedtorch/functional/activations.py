"""Functions of one element at a time, and softmax."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def softmax(x: Float[Tensor, "*shape"], *, dim: int = -1) -> Float[Tensor, "*shape"]:
    """Exponentials divided by their sum: ``y = exp(x - max(x)) / sum(exp(x - max(x)))`` along ``dim``.

    The maximum is subtracted first, so no finite input overflows, and an entry of ``-inf``
    gets weight 0.  Entries that are all ``-inf`` have no softmax: the result is NaN, as torch's is.

    >>> import torch
    >>> softmax(torch.tensor([1000.0, 1000.0, float("-inf")]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    return torch.softmax(x, dim=dim)


def silu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """``y = x * sigmoid(x)``, also called swish (Ramachandran et al., arXiv:1710.05941).

    >>> import torch
    >>> silu(torch.tensor([-20.0, 0.0, 20.0]))
    tensor([-4.1223e-08,  0.0000e+00,  2.0000e+01])
    """
    return F.silu(x)


def gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """``y = x * Phi(x)``, Phi the normal distribution function (Hendrycks and Gimpel, arXiv:1606.08415).

    >>> import torch
    >>> gelu(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    return F.gelu(x)


def gelu_tanh(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """GPT-2's approximation of :func:`gelu`: ``y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3)))``.

    >>> import torch
    >>> gelu_tanh(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1588,  0.0000,  0.8412])
    """
    return F.gelu(x, approximate="tanh")
