"""``Self`` and a class's own name: known while the class is still being made, and to its copies."""

# wrong types are what these tests are made of
# mypy: disable-error-code="arg-type, no-any-return, assignment, valid-type, abstract, misc, return-value"

import abc
import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Generic, Optional, Protocol, Self, TypeVar
from unittest.mock import Mock

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.runtime import TypeCheckError, typed

ItemT = TypeVar("ItemT")


class Node:
    """Another class of that name, in the module."""


def _made() -> Any:
    @typed
    class Node:
        def named(self, other: "Node") -> "Node":
            return other

        def plain(self, other: Any) -> Self:
            return other

        def inside(
            self,
            many: list[Self],
            maybe: Optional[Self] = None,  # noqa: UP045  # both spellings of a union
            either: Self | int = 0,
            by_name: dict[str, Self] | None = None,
            kind: type[Self] | None = None,
            call: Callable[[Self], int] = len,
        ) -> None: ...

        @classmethod
        def made(cls, other: Any) -> Self:
            return other

    return Node


def test_the_class_its_subclasses_and_their_stand_ins_are_welcome() -> None:
    made = _made()

    class Leaf(made):
        pass

    node = made()
    for other in (node, Leaf(), Mock(spec=made)):
        assert node.named(other) is other
        assert node.plain(other) is other
        assert Leaf().plain(other) is other
        assert made.made(other) is other
        node.inside([other], other, other, {"a": other}, Leaf)


@pytest.mark.parametrize(
    "call",
    [
        lambda node: node.named(3),
        lambda node: node.plain(3),
        lambda node: node.made(3),
        lambda node: node.inside([node, 3]),
        lambda node: node.inside([], 3),
        lambda node: node.inside([], None, "3"),
        lambda node: node.inside([], by_name={"a": 3}),
        lambda node: node.inside([], kind=int),
    ],
)
def test_anything_else_is_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeCheckError, match="Node"):
        call(_made()())


def test_a_class_of_the_same_name_outside_is_another() -> None:
    with pytest.raises(TypeCheckError, match=r"wanted _made.<locals>.Node, got Node"):
        _made()().named(Node())


def test_a_class_defined_in_a_loop_is_each_times_the_new_one() -> None:
    for _ in range(2):

        @typed
        class Turn:
            def same(self, other: "Turn") -> "Turn":
                return other

        Turn().same(Turn())


def test_a_copy_made_by_a_later_decorator_is_the_class() -> None:
    @dataclasses.dataclass(slots=True)
    @typed
    class Pair:
        first: int = 0

        def swapped(self, other: "Pair") -> Self:
            return other

    assert Pair().swapped(Pair(3)) == Pair(3)


def test_registered_classes_and_protocols() -> None:
    @typed
    class Base(abc.ABC):  # noqa: B024  # a virtual base
        def take(self, other: Self) -> Self:
            return other

    @Base.register
    class Other:
        pass

    @typed
    class Shape(Protocol):
        def grown(self, other: Self) -> Self: ...

    class Square(Shape):
        pass

    Base().take(Other())
    Square().grown(3)


def test_a_cached_function_is_checked_inside_its_cache() -> None:
    calls = []

    @typed
    @functools.lru_cache(maxsize=3)
    def double(n: int) -> int:
        calls.append(n)
        return 2 * n

    assert [double(1), double(1)] == [2, 2]
    assert calls == [1]
    assert double.cache_info().maxsize == 3
    with pytest.raises(TypeCheckError, match="argument 'n'"):
        double("a")
    assert typed(double) is double


def test_a_string_inside_an_annotation_is_read_like_one_around_it() -> None:
    class Outer:
        class Inner:
            pass

    @typed
    def take(x: list["Outer.Inner"]) -> None: ...

    class Chain(Generic[ItemT]):
        @typed
        def link(self, other: "Chain[ItemT] | None") -> None: ...

    take([Outer.Inner()])
    others: list[Any] = [Outer()]
    with pytest.raises(TypeCheckError, match=r"argument 'x'\[0\]: wanted .*Inner, got .*Outer"):
        take(others)
    typed(Chain)().link(None)


def test_an_operator_may_decline() -> None:
    @typed
    class Size:
        def __eq__(self, other: object) -> bool:
            return True if isinstance(other, Size) else NotImplemented

        def __radd__(self, other: object) -> "Size":
            return self if isinstance(other, int) else NotImplemented

        def __matmul__(self, other: object) -> Float[Tensor, "n"]:
            return torch.ones(2) if isinstance(other, int) else NotImplemented

        def __contains__(self, item: object) -> bool:
            return NotImplemented

        __hash__ = None

    assert Size() == Size()
    assert Size() != 3
    assert isinstance(3 + Size(), Size)
    assert (Size() @ 3).shape == (2,)
    for wrong in (lambda: 1.5 + Size(), lambda: Size() @ "a"):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong()
    with pytest.raises(
        TypeCheckError, match="__contains__: return value: wanted bool, got NotImplementedType"
    ):
        3 in Size()  # noqa: B015 - the error is the point
