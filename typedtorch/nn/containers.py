"""``ModuleList``, ``ModuleDict`` and ``Sequential`` that remember what they hold.

>>> import torch
>>> layers = ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])  # ModuleList[Linear]
>>> layers[0].out_features, len(layers[1:])
(4, 2)
>>> Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())(torch.ones(5, 4)).shape  # a Tensor to a type checker
torch.Size([5, 2])

They are torch's containers at run time; only their declarations differ.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

import torch

from typedtorch.nn.module import Module

if TYPE_CHECKING:
    from typing import Self

ModuleT = TypeVar("ModuleT", bound=torch.nn.Module)
InT = TypeVar("InT")
OutT = TypeVar("OutT")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G")
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class _Step(Protocol[In_contra, Out_co]):
    """A module of one input."""

    def forward(self, x: In_contra, /) -> Out_co: ...


class ModuleList(torch.nn.ModuleList, Generic[ModuleT]):
    """``torch.nn.ModuleList`` whose items have a type: ``ModuleList[Block]``."""

    if TYPE_CHECKING:

        def __init__(self, modules: Iterable[ModuleT] | None = None) -> None: ...
        @overload
        def __getitem__(self, idx: slice) -> ModuleList[ModuleT]: ...
        @overload
        def __getitem__(self, idx: int) -> ModuleT: ...
        def __getitem__(self, idx: int | slice) -> ModuleT | ModuleList[ModuleT]: ...
        def __setitem__(self, idx: int, module: ModuleT) -> None: ...  # type: ignore[override]  # only its own kind
        def __iter__(self) -> Iterator[ModuleT]: ...
        def __iadd__(self, modules: Iterable[ModuleT]) -> Self: ...  # type: ignore[override]  # likewise
        def __add__(self, other: Iterable[ModuleT]) -> ModuleList[ModuleT]: ...  # type: ignore[override]  # likewise
        def insert(self, index: int, module: ModuleT) -> None: ...  # type: ignore[override]  # likewise
        def append(self, module: ModuleT) -> Self: ...  # type: ignore[override]  # likewise
        def pop(self, key: int | slice) -> ModuleT: ...
        def extend(self, modules: Iterable[ModuleT]) -> Self: ...  # type: ignore[override]  # likewise


class ModuleDict(torch.nn.ModuleDict, Generic[ModuleT]):
    """``torch.nn.ModuleDict`` whose values have a type: ``ModuleDict[Expert]``."""

    if TYPE_CHECKING:

        def __init__(self, modules: Mapping[str, ModuleT] | None = None) -> None: ...
        def __getitem__(self, key: str) -> ModuleT: ...
        def __setitem__(self, key: str, module: ModuleT) -> None: ...  # type: ignore[override]  # only its own kind
        def pop(self, key: str) -> ModuleT: ...
        def items(self) -> ItemsView[str, ModuleT]: ...
        def values(self) -> ValuesView[ModuleT]: ...
        def update(self, modules: Mapping[str, ModuleT]) -> None: ...  # type: ignore[override]  # likewise


class Sequential(torch.nn.Sequential, Module, Generic[InT, OutT]):
    """``torch.nn.Sequential`` that takes what its first module takes and gives what its last one gives.

    Each module's output is checked against the next one's input, for up to eight modules; longer
    chains and named ones (an ``OrderedDict``) are ``Sequential[Any, Any]``.
    """

    if TYPE_CHECKING:

        @overload
        def __init__(self: Sequential[A, A]) -> None: ...
        @overload
        def __init__(self: Sequential[InT, OutT], a: _Step[InT, OutT], /) -> None: ...
        @overload
        def __init__(self: Sequential[InT, OutT], a: _Step[InT, A], b: _Step[A, OutT], /) -> None: ...
        @overload
        def __init__(
            self: Sequential[InT, OutT], a: _Step[InT, A], b: _Step[A, B], c: _Step[B, OutT], /
        ) -> None: ...
        @overload
        def __init__(
            self: Sequential[InT, OutT],
            a: _Step[InT, A],
            b: _Step[A, B],
            c: _Step[B, C],
            d: _Step[C, OutT],
            /,
        ) -> None: ...
        @overload
        def __init__(
            self: Sequential[InT, OutT],
            a: _Step[InT, A], b: _Step[A, B], c: _Step[B, C], d: _Step[C, D], e: _Step[D, OutT], /,
        ) -> None: ...  # fmt: skip
        @overload
        def __init__(
            self: Sequential[InT, OutT],
            a: _Step[InT, A], b: _Step[A, B], c: _Step[B, C], d: _Step[C, D], e: _Step[D, E],
            f: _Step[E, OutT], /,
        ) -> None: ...  # fmt: skip
        @overload
        def __init__(
            self: Sequential[InT, OutT],
            a: _Step[InT, A], b: _Step[A, B], c: _Step[B, C], d: _Step[C, D], e: _Step[D, E],
            f: _Step[E, F], g: _Step[F, OutT], /,
        ) -> None: ...  # fmt: skip
        @overload
        def __init__(
            self: Sequential[InT, OutT],
            a: _Step[InT, A], b: _Step[A, B], c: _Step[B, C], d: _Step[C, D], e: _Step[D, E],
            f: _Step[E, F], g: _Step[F, G], h: _Step[G, OutT], /,
        ) -> None: ...  # fmt: skip
        @overload
        def __init__(self: Sequential[Any, Any], modules: OrderedDict[str, torch.nn.Module], /) -> None: ...
        @overload
        def __init__(
            self: Sequential[Any, Any],
            a: torch.nn.Module, b: torch.nn.Module, c: torch.nn.Module, d: torch.nn.Module,
            e: torch.nn.Module, f: torch.nn.Module, g: torch.nn.Module, h: torch.nn.Module,
            i: torch.nn.Module, /, *more: torch.nn.Module,
        ) -> None: ...  # fmt: skip
        def __init__(self, *args: Any) -> None: ...
        def forward(self, input: InT) -> OutT: ...
