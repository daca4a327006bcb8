"""``Module``: an ``nn.Module`` whose call has the type, and the run-time check, of its ``forward``.

>>> import torch
>>> from jaxtyping import Float
>>> from torch import Tensor
>>> class Scale(Module):
...     def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
...         return 2 * x
>>> Scale()(torch.ones(2, 3)).shape
torch.Size([2, 3])
>>> Scale()(torch.ones(3))
Traceback (most recent call last):
    ...
typedtorch.runtime.errors.ShapeCheckError: Scale.forward: argument 'x': wanted 2 axes, got 1
...

At run time there is nothing between ``module(x)`` and ``nn.Module.__call__``: hooks, ``torch.compile``,
``torch.export`` and pickling see an ordinary ``nn.Module``.  Type checkers read ``__call__`` from the
declarations below, where ``self`` must have a ``forward``, and whatever its type is, is the call's.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

import torch

from typedtorch.runtime import ScopeKind, typed

ForwardT = TypeVar("ForwardT", bound=Callable[..., Any])
ForwardT_co = TypeVar("ForwardT_co", covariant=True)


class _HasForward(Protocol[ForwardT_co]):
    @property
    def forward(self) -> ForwardT_co: ...


class _Call:
    """Read from an instance it is that instance's ``forward``; where nobody asks for more, any callable."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: Any, /) -> _Call: ...
        @overload
        def __get__(self, instance: _HasForward[ForwardT], owner: Any = ..., /) -> ForwardT: ...
        def __get__(self, instance: Any, owner: Any = None, /) -> Any: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class Module(torch.nn.Module):
    """An ``nn.Module`` called with the type of its own ``forward``, which is checked at run time.

    A subclass writes an annotated ``forward`` and nothing else.  ``class Linear(Module, scope="instance")``
    also ties each axis named like an ``int`` attribute of the instance to that attribute's value.

    Raises:
        CheckError: a call of ``forward`` contradicts its annotations.
    """

    __scope: ScopeKind = "call"

    def __init_subclass__(cls, *, scope: ScopeKind | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if scope is not None:
            cls.__scope = scope
        forward = cls.__dict__.get("forward")
        if isinstance(forward, FunctionType):
            cls.forward = typed(forward, scope=cls.__scope)

    if TYPE_CHECKING:
        # A descriptor, not a property: it keeps overloads and type variables, and callbacks such as
        # map(module, xs) type-check, in mypy, pyright, pyrefly and ty alike.
        __call__: _Call  # pyright: ignore[reportIncompatibleMethodOverride]
