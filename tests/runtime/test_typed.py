"""What `typed` decorates, and that the decorated thing is otherwise what it was."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import functools
import inspect
import pickle
import threading
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from typedtorch.runtime import CheckError, DtypeCheckError, ShapeCheckError, TypeCheckError, checking, typed

ones = torch.ones


@typed
def project(x: Float[Tensor, "n d"], w: Float[Tensor, "d k"], *, scale: float = 1.0) -> Float[Tensor, "n k"]:
    """Multiply."""
    return scale * (x @ w)


class Layer:
    def __init__(self, size: int) -> None:
        self.size = size

    @typed
    def method(self, x: Float[Tensor, "n n"]) -> Float[Tensor, "n"]:
        return x.sum(0)

    @staticmethod
    @typed
    def static_inside(x: Float[Tensor, "n n"]) -> None: ...

    @typed
    @staticmethod
    def static_outside(x: Float[Tensor, "n n"]) -> None: ...

    @classmethod
    @typed
    def class_inside(cls, x: Float[Tensor, "n n"]) -> type[Any]:
        return cls

    @typed
    @classmethod
    def class_outside(cls, x: Float[Tensor, "n n"]) -> type[Any]:
        return cls

    @property
    @typed
    def property_outside(self) -> Float[Tensor, "n n"]:
        return ones(self.size, 2)

    @typed  # type: ignore[prop-decorator]  # mypy knows no decorator on top of a property
    @property
    def property_inside(self) -> Float[Tensor, "n n"]:
        return ones(self.size, 2)

    @typed  # type: ignore[prop-decorator]  # mypy knows no decorator on top of a property
    @functools.cached_property
    def cached(self) -> Float[Tensor, "n n"]:
        return ones(self.size, 2)


good, bad = ones(2, 2), ones(2, 3)


@pytest.mark.parametrize(
    "call",
    [
        Layer(2).method,
        Layer.static_inside,
        Layer(2).static_outside,
        Layer.class_inside,
        Layer(2).class_outside,
        typed(Layer(2).method),
    ],
)
def test_methods_of_every_kind(call: Callable[[Tensor], Any]) -> None:
    call(good)
    with pytest.raises(ShapeCheckError, match="axis n: wanted 2, got 3"):
        call(bad)


@pytest.mark.parametrize("name", ["property_outside", "property_inside", "cached"])
def test_properties(name: str) -> None:
    assert getattr(Layer(2), name).shape == (2, 2)
    with pytest.raises(ShapeCheckError, match="return value: axis n: wanted 3, got 2"):
        getattr(Layer(3), name)


def test_metadata_stays() -> None:
    assert (project.__name__, project.__doc__, project.__module__) == ("project", "Multiply.", __name__)
    assert str(inspect.signature(project)).startswith("(x:")
    assert project.__defaults__ is None
    assert project.__kwdefaults__ == {"scale": 1.0}
    assert pickle.loads(pickle.dumps(project)) is project
    assert typed(project) is project
    assert inspect.unwrap(project) is not project
    assert typing.get_type_hints(project)["scale"] is float
    assert inspect.getsource(project).startswith("@typed")


def test_nothing_to_check_is_left_alone() -> None:
    def plain(x, y=1):  # type: ignore[no-untyped-def]  # the point of the test
        return x, y

    @typing.no_type_check
    def excluded(x: int) -> None: ...

    assert typed(plain) is plain
    assert typed(excluded) is excluded


def test_exemption_counts_from_outside_as_well() -> None:
    @typing.no_type_check
    @typed
    def excluded(x: int) -> int:
        return x

    @typing.no_type_check
    @typed
    @dataclass
    class Excluded:
        x: Float[Tensor, "n"]
        more: list[int] = field(default_factory=list)

        def method(self, y: int) -> int:
            return y

        def steps(self, y: int) -> Iterator[int]:
            yield y

    kind: Any = Excluded
    made, check = kind(3, more="a"), typing.cast(Any, excluded)
    made.x = 4
    assert check("a") == made.method("a") == "".join(made.steps("a")) == "a"


def test_every_kind_of_parameter() -> None:
    @typed
    def call(
        a: Int[Tensor, "n"], /, b: int, c: Float[Tensor, "n"] | None = None, *rest: Float[Tensor, "n d"],
        e: str, f: bool = True, **more: Float[Tensor, "d"],
    ) -> tuple[Any, ...]:  # fmt: skip
        return a, b, c, rest, e, f, more

    n, nd, d = ones(2), ones(2, 3), ones(3)
    assert call(n.int(), 1, e="x")[2:] == (None, (), "x", True, {})
    assert len(call(n.int(), 1, n, nd, nd, e="x", f=False, z=d)[3]) == 2
    with pytest.raises(ShapeCheckError, match=r"argument '\*rest'\[1\]: axis d: wanted 3, got 4"):
        call(n.int(), 1, n, nd, ones(2, 4), e="x")
    with pytest.raises(ShapeCheckError, match="argument 'z': axis d: wanted 3, got 2"):
        call(n.int(), 1, n, nd, e="x", y=d, z=n)
    with pytest.raises(TypeCheckError, match="argument 'e': wanted str, got int 3"):
        call(n.int(), 1, e=3)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'e'"):
        call(n.int(), 1)  # type: ignore[call-arg]  # the point of the test


def test_parameters_may_have_the_names_generated_code_uses() -> None:
    @typed
    def clash(
        FUNCTION: Float[Tensor, "scope"], scope: Float[Tensor, "result"], result: int, n_scope: int,
        CHECKER: int,
        isinstance: int, Tensor_: int, Refused: int, is_compiling: int, SWITCH: int, CHECKED: int = 3,
    ) -> Float[Tensor, "result"]:  # fmt: skip
        return scope

    assert clash(ones(2), ones(3), 1, 2, 3, 4, 5, 6, 7, 8).shape == (3,)
    with pytest.raises(ShapeCheckError):
        clash(ones(2), ones(3, 1), 1, 2, 3, 4, 5, 6, 7, 8)


def test_default_values_are_not_checked() -> None:
    @typed
    def sloppy(x: Float[Tensor, "n"], y: Float[Tensor, "n"] = None) -> None: ...  # type: ignore[assignment]

    sloppy(ones(2))
    sloppy(ones(2), ones(2))
    with pytest.raises(ShapeCheckError):
        sloppy(ones(2), ones(3))


@typed
class Pair(NamedTuple):
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


@typed
class Whole:
    """Every method of a typed class is checked."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x

    @property
    def value(self) -> Float[Tensor, "n n"]:
        return ones(2, self.n)

    @staticmethod
    def half(x: Float[Tensor, "2*n"], y: Float[Tensor, "n"]) -> None: ...

    @classmethod
    def make(cls, x: Float[Tensor, "n"]) -> Whole:
        return cls(x.shape[0])


def test_classes() -> None:
    whole = Whole.make(ones(3))
    assert typed(Whole) is Whole
    with pytest.raises(TypeCheckError, match=r"Whole\.__init__: argument 'n': wanted int, got str 'a'"):
        Whole("a")  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(ShapeCheckError, match=r"Whole\.__call__"):
        whole(ones(2, 2))
    with pytest.raises(ShapeCheckError, match=r"Whole\.value: return value"):
        _ = whole.value
    with pytest.raises(ShapeCheckError, match=r"Whole\.make"):
        Whole.make(ones(2, 2))
    with pytest.raises(ShapeCheckError, match="argument 'y': axis n: wanted 2, got 3"):
        Pair(ones(2), ones(3))
    assert Pair(ones(2), ones(2)).x.shape == (2,)


def test_recursion_and_threads_do_not_share_sizes() -> None:
    @typed
    def shrink(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        if len(x) > 1:
            shrink(x[1:])
        return x

    shrink(ones(20))
    errors: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for _ in range(200):
                project(ones(n, n + 1), ones(n + 1, 2))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_annotations_that_cannot_be_read_are_silent() -> None:
    @typed
    def unknown(x: NoSuchName, y: Float[Tensor, "n"]) -> AlsoUnknown:  # type: ignore[name-defined]  # the point
        return x

    assert unknown(3, ones(2)) == 3
    with pytest.raises(ShapeCheckError, match="argument 'y'"):
        unknown(3, ones(2, 2))


def test_names_of_an_enclosing_function_are_found() -> None:
    Local = Float[Tensor, "n n"]

    @typed
    def uses(x: Local) -> None: ...

    with pytest.raises(ShapeCheckError):
        uses(ones(2, 3))


def test_other_arrays() -> None:
    @typed
    def both(x: Float[np.ndarray, "n"], y: Shaped[Any, "n"]) -> None: ...

    both(np.ones(2), ones(2))
    both(np.ones(2), np.ones(2))
    with pytest.raises(TypeCheckError, match="argument 'x': wanted ndarray, got float32"):
        both(ones(2), ones(2))  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(DtypeCheckError, match="wanted Float, got int64"):
        both(np.ones(2).astype(int), ones(2))
    with pytest.raises(TypeCheckError, match="wanted an array"):
        both(np.ones(2), 3)


@pytest.mark.parametrize("target", [3, "name", torch.nn.Linear(2, 2), functools.partial(len)])
def test_what_cannot_be_decorated(target: Any) -> None:
    with pytest.raises(TypeError, match="typed: wanted a function, a method or a class, got"):
        typed(target)


def test_unknown_scope() -> None:
    with pytest.raises(ValueError, match="typed: wanted scope 'call' or 'instance', got 'module'"):
        typed(project, scope="module")  # type: ignore[call-overload]  # the point of the test


def test_switch() -> None:
    wrong = (ones(2, 3), ones(2, 3))
    with pytest.raises(CheckError):
        project(*wrong)
    with checking(False), pytest.raises(RuntimeError):
        project(*wrong)
    checking(False)
    try:
        with checking(True), pytest.raises(CheckError):
            project(*wrong)
        with pytest.raises(RuntimeError):
            project(*wrong)
    finally:
        checking(True)
    with pytest.raises(CheckError):
        project(*wrong)


def test_errors_can_be_pickled_and_read() -> None:
    with pytest.raises(ShapeCheckError) as caught:
        project(ones(2, 3), ones(4, 2))
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.function, error.where, error.axis) == ("project", "argument 'w'", "d")
    assert (error.wanted, error.got) == ("3", "4")
    assert str(error) == str(caught.value)
