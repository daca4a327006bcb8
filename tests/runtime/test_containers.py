"""Every item of every container, where beartype looks at one of them."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import collections
import io
import typing
from collections import abc
from collections.abc import Callable
from types import GenericAlias
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
import torch
import typing_extensions
from beartype.vale import Is
from jaxtyping import Float, Int
from torch import Tensor

from typedtorch.runtime import CheckError, typed
from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.scope import Scope

good, bad = torch.ones(3), torch.ones(4)
Vector = Float[Tensor, "n"]
BoundT = TypeVar("BoundT", bound=Vector)
PlainT = TypeVar("PlainT")
EitherT = TypeVar("EitherT", int, str)
Count = NewType("Count", int)
UNPACKED = tuple[typing_extensions.Unpack[tuple[int, ...]], str]  # noqa: UP044 - not that of typing
Listed = typing_extensions.TypeAliasType("Listed", list[PlainT], type_params=(PlainT,))


class Unasked(typing.Protocol):
    """Not to be asked what derives from it."""

    size: int


def welcome(annotation: Any, value: Any) -> bool:
    return spec_of(annotation).check(value, Scope()) is None


ITEMS: dict[str, tuple[Any, Callable[[list[Tensor]], Any]]] = {
    "list": (list[Vector], list),
    "typing.List": (typing.List[Vector], list),  # noqa: UP006 - the old spelling
    "tuple": (tuple[Vector, ...], tuple),
    "deque": (collections.deque[Vector], collections.deque),
    "sequence": (abc.Sequence[Vector], list),
    "mutable sequence": (abc.MutableSequence[Vector], list),
    "iterable": (abc.Iterable[Vector], tuple),
    "collection": (abc.Collection[Vector], list),
    "reversible": (abc.Reversible[Vector], list),
    "container": (abc.Container[Vector], list),
    "dict": (dict[str, Vector], lambda items: dict(enumerate_names(items))),
    "mapping": (abc.Mapping[str, Vector], lambda items: dict(enumerate_names(items))),
    "ordered": (collections.OrderedDict[str, Vector], lambda i: collections.OrderedDict(enumerate_names(i))),
    "default": (
        collections.defaultdict[str, Vector],
        lambda i: collections.defaultdict(list, enumerate_names(i)),
    ),
    "chain": (collections.ChainMap[str, Vector], lambda i: collections.ChainMap(dict(enumerate_names(i)))),
    "keys": (dict[Vector, int], lambda items: dict.fromkeys(items, 1)),
    "set": (set[Vector], set),
    "frozen set": (frozenset[Vector], frozenset),
    "abstract set": (abc.Set[Vector], set),
    "values": (abc.ValuesView[Vector], lambda items: dict(enumerate_names(items)).values()),
    "key view": (abc.KeysView[Vector], lambda items: dict.fromkeys(items, 1).keys()),
    "item view": (abc.ItemsView[str, Vector], lambda items: dict(enumerate_names(items)).items()),
    "nested": (list[dict[str, list[Vector]]], lambda items: [{"a": items[:2]}, {"b": items[2:]}]),
    "bound": (GenericAlias(list, BoundT), list),
    "annotated": (list[Annotated[Vector, "note"]], list),
    "optional": (list[Vector | None], lambda items: [None, *items]),
}


def enumerate_names(items: list[Tensor]) -> list[tuple[str, Tensor]]:
    return [(f"k{i}", item) for i, item in enumerate(items)]


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_is_checked_and_shares_its_names(name: str) -> None:
    annotation, build = ITEMS[name]

    def take(x: Any) -> None: ...

    take.__annotations__["x"] = annotation
    check = typed(take)
    check(build([good.clone() for _ in range(5)]))
    for position in range(5):
        items = [good.clone() for _ in range(5)]
        items[position] = bad
        with pytest.raises(CheckError, match=r"axis n: wanted \d, got \d"):
            check(build(items))
        items[position] = good.int()
        with pytest.raises(CheckError):
            check(build(items))


PLAIN: list[tuple[Any, list[Any], list[Any]]] = [
    (int, [1, True], [1.0, "1", None, np.int64(1)]),
    (float, [1.0, np.float64(1)], [1, True]),
    (complex, [1j], [1.0, 1]),
    (None, [None], [0]),
    (Any, [1, None], []),
    (object, [1, None], []),
    (PlainT, [1, None], []),
    (EitherT, [1, "a"], [1.0]),
    (Count, [1], ["a"]),
    (Literal["a", 1], ["a", 1, True], ["b", 2, 1.0, torch.ones(2)]),
    (int | str, [1, "a"], [1.0, None]),
    (int | Any, [1.0, None], []),
    (type[int], [int, bool], [str, 1]),
    (type[int | str], [int, str], [float]),
    (type[Any], [int], [1]),
    (type[Annotated[int, "note"]], [int, bool], [str, 1]),
    (type[Count | Annotated[str, "note"]], [int, str], [float]),
    (type[typing.BinaryIO], [io.FileIO], [open]),
    (type[Unasked], [int, str], [1]),
    (type, [int], [1]),
    (tuple[()], [()], [(1,), []]),
    (typing.Tuple, [(), (1, "a")], [[1]]),  # noqa: UP006 - old spellings, which say nothing of the items
    (typing.Dict, [{}, {1: "a"}], [[1]]),  # noqa: UP006
    (typing.Mapping | None, [None, {1: 2}], [[1]]),
    (typing.Counter, [collections.Counter("abc")], [{}]),
    (typing.List[typing.Type], [[int, str]], [[1], int]),  # type: ignore[type-arg]  # noqa: UP006
    (tuple[int, str], [(1, "a")], [(1,), (1, 2), (1, "a", 2), [1, "a"]]),
    (tuple[int, *tuple[str, ...], float], [(1, 1.0), (1, "a", "b", 1.0)], [(1,), (1, 2, 1.0), ("a", 1.0)]),
    (list[int], [[], [1, 2]], [(1,), [1, "a"], ["a", 1]]),
    (list, [[1, "a"]], [(1,)]),
    (abc.Sequence[str], ["abc", ["a"], ("a",)], [["a", 1], 3, {"a"}]),
    (abc.Sequence[int], [range(10**9), [1]], ["abc", ["a"]]),
    (abc.Iterable[int], [[1], {1: "a"}, iter(["unseen"]), (c for c in "unseen")], [["a"], 3]),
    (abc.Iterator[int], [iter("unseen")], [[1]]),
    (collections.Counter[str], [collections.Counter("abc")], [collections.Counter([1]), {"a": 1}]),
    (abc.Callable[[int], int], [len, int], [3]),
    (abc.Hashable, [1], [[]]),
    (dict[str, Any], [{}, {"a": None}], [{1: 2}, []]),
    (typing.TextIO, [open], []),
    (Annotated[int, Is[lambda n: n > 2]], [3], [2, "a"]),
    (npt.NDArray[np.float32], [np.ones(2, "f")], [np.ones(2), [1.0]]),
    (npt.NDArray[np.floating[Any]], [np.ones(2, "f"), np.ones(2)], [np.ones(2, int)]),
    (npt.NDArray[Any], [np.ones(2, "f"), np.ones(2, int)], [torch.ones(2)]),
    (typing.LiteralString, ["a"], [1]),
    (typing.Never, [], [1, None]),
    (typing.SupportsInt, [1, 1.0], ["a"]),
    (Listed[int], [[1]], [["a"], 1]),
    (UNPACKED, [(1, 2, "a"), ("a",)], [("b", "a"), (1,)]),
    (typing_extensions.TypeIs[int], [True], [3]),
]


@pytest.mark.parametrize(("annotation", "accepted", "refused"), PLAIN)
def test_ordinary_annotations(annotation: Any, accepted: list[Any], refused: list[Any]) -> None:
    assert [value for value in accepted if not welcome(annotation, value)] == []
    assert [value for value in refused if welcome(annotation, value)] == []


class Features(TypedDict):
    x: Float[Tensor, "n d"]
    y: NotRequired[Int[Tensor, "n"]]


class Point(NamedTuple):
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


class Measured(TypedDict, Generic[PlainT]):
    x: Float[Tensor, "n"]
    of: PlainT


class Names(list[PlainT]):
    pass


class Sorted(Names[PlainT]):
    pass


class Words(Names[str]):
    pass


class Extended(typing_extensions.TypedDict, total=False):
    x: typing_extensions.Required[typing_extensions.ReadOnly[Float[Tensor, "n"]]]
    y: Int[Tensor, "n"]


class Partly(typing_extensions.TypedDict):
    x: typing_extensions.ReadOnly[typing_extensions.NotRequired[int]]
    y: Annotated[typing_extensions.NotRequired[int], "note"]


class Ahead(NamedTuple):
    y: Float[Tensor, "n+1 m {k}"]
    x: Float[Tensor, "n"]


@typed
def use(features: Features, point: Point) -> None: ...


x, y, v = torch.ones(2, 3), torch.ones(2).int(), torch.ones(5)


def test_typed_dicts() -> None:
    use({"x": x}, Point(v, v))
    use({"x": x, "y": y, "more": 1}, Point(v, v))  # type: ignore[typeddict-unknown-key]  # allowed at run time
    with pytest.raises(CheckError, match=r"argument 'features'\['y'\]: axis n: wanted 2, got 5"):
        use({"x": x, "y": v.int()}, Point(v, v))
    with pytest.raises(CheckError, match="argument 'features': wanted key 'x', got no such key"):
        use({"y": y}, Point(v, v))  # type: ignore[typeddict-item]  # the point of the test
    with pytest.raises(CheckError, match="argument 'features': wanted Features, got list of 1"):
        use([1], Point(v, v))  # type: ignore[arg-type]  # the point of the test


def test_generic_typed_dicts() -> None:
    assert welcome(Measured[int], {"x": v, "of": 1})
    assert not welcome(Measured[int], {"x": x, "of": 1})
    assert not welcome(Measured[int], {"of": 1})


def test_named_tuples() -> None:
    with pytest.raises(CheckError, match=r"argument 'point'\.y: axis n: wanted 5, got 2"):
        use({"x": x}, Point(v, v[:2]))
    with pytest.raises(CheckError, match="argument 'point': wanted Point, got tuple of 2"):
        use({"x": x}, (v, v))  # type: ignore[arg-type]  # the point of the test


def test_each_record_is_a_scope_of_its_own() -> None:
    @typed
    def two(train: Features, test: Features, w: Float[Tensor, "d k"]) -> None: ...

    two({"x": torch.ones(8, 3)}, {"x": torch.ones(2, 4)}, torch.ones(5, 1))


def test_classes_that_are_containers() -> None:
    assert welcome(Names[int], Names([1, 2]))
    assert not welcome(Names[int], Names([1, "a"]))
    assert not welcome(Names[int], [1])


def test_classes_that_derive_from_such_classes() -> None:
    assert welcome(Sorted[int], Sorted([1, 2]))
    assert not welcome(Sorted[int], Sorted([1, "a"]))
    assert welcome(Words, Words(["a"]))
    assert not welcome(Words, Words(typing.cast(list[str], [1])))
    assert not welcome(Words, ["a"])


def test_typed_dicts_of_typing_extensions() -> None:
    @typed
    def options(given: Extended, **more: typing_extensions.Unpack[Extended]) -> None: ...

    options({"x": v}, x=v)
    options({"x": v, "y": v.int()}, x=v, y=v.int())
    wrongs: list[Any] = [{}, {"x": v.int()}, {"x": v, "y": v[:2].int()}]
    for wrong in wrongs:
        with pytest.raises(CheckError):
            options(wrong, x=v)
        with pytest.raises(CheckError):
            options({"x": v}, **wrong)
    assert welcome(Partly, {})
    assert not welcome(Partly, {"x": "a"})


def test_where_an_axis_cannot_be_computed_a_record_is_not_refused() -> None:
    """jaxtyping does not look at its fields."""
    assert welcome(Ahead, Ahead(torch.ones(6, 2, 1), v))
    assert not welcome(Ahead, Ahead(torch.ones(6, 2), v))
    assert not welcome(Ahead, Ahead(torch.ones(6, 2, 1), x))


def test_variadic_keywords_described_by_a_typed_dict() -> None:
    @typed
    def options(**given: typing.Unpack[Features]) -> None: ...

    options(x=x)
    with pytest.raises(CheckError):
        options(x=x, y=v.int())


def test_alternatives_are_tried_in_beartypes_order() -> None:
    """Classes and arrays first, as written; the first that fits binds, and no other is tried."""

    @typed
    def turned(a: Float[Tensor, "n m"] | Float[Tensor, "m n"], b: Float[Tensor, "n"]) -> None: ...

    turned(x, torch.ones(2))
    with pytest.raises(CheckError):
        turned(x, torch.ones(3))


def test_a_failed_alternative_binds_nothing() -> None:
    @typed
    def either(a: Float[Tensor, "n n"] | Float[Tensor, "k m"], b: Float[Tensor, "n"]) -> None: ...

    either(torch.ones(2, 3), torch.ones(9))
    with pytest.raises(CheckError):
        either(torch.ones(2, 2), torch.ones(9))
