"""Dataclasses: arguments, completed objects and assignments."""

# wrong shapes and dtypes are what these tests are made of
# mypy: disable-error-code="shape, dtype"

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import InitVar, dataclass, field
from random import Random
from typing import Any, ClassVar, NamedTuple, TypedDict

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, Int, jaxtyped
from torch import Tensor

from runtime.signatures import array, plain, sizes
from runtime.test_agreement import verdict
from typedtorch.runtime import DtypeCheckError, ShapeCheckError, TypeCheckError, checking, fields, typed
from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.emit import alone
from typedtorch.runtime.scope import Scope

ones = torch.ones


@typed
@dataclass
class Batch:
    x: Float[Tensor, "n d"]
    y: Int[Tensor, "n"]
    name: str = "batch"
    extra: list[Float[Tensor, "n"]] = field(default_factory=list)
    count: ClassVar[int] = 0

    def first(self, k: int) -> Float[Tensor, "k d"]:
        return self.x[:k]


@typed
@dataclass(frozen=True)
class Frozen:
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


@typed
@dataclass(slots=True)
class Slots:
    x: Float[Tensor, "n"]


@typed
@dataclass(kw_only=True)
class Longer(Batch):
    z: Float[Tensor, "n d"]


@typed
@dataclass
class Completed:
    given: InitVar[Float[Tensor, "n"]]
    doubled: Float[Tensor, "m"] = field(init=False)
    wrong: bool = False

    def __post_init__(self, given: Tensor) -> None:
        self.doubled = torch.cat([given, given])
        if self.wrong:
            self.doubled = self.doubled[None]


def test_arguments_share_one_scope() -> None:
    assert Batch(ones(2, 3), ones(2).int()).first(1).shape == (1, 3)
    with pytest.raises(ShapeCheckError, match=r"Batch\.__init__: argument 'y': axis n: wanted 2, got 3"):
        Batch(ones(2, 3), ones(3).int())
    with pytest.raises(DtypeCheckError, match="argument 'y': dtype: wanted Int, got float32"):
        Batch(ones(2, 3), ones(2))
    with pytest.raises(TypeCheckError, match="argument 'name': wanted str, got int 3"):
        Batch(ones(2, 3), ones(2).int(), 3)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(ShapeCheckError, match=r"argument 'extra'\[1\]"):
        Batch(ones(2, 3), ones(2).int(), extra=[ones(2), ones(3)])
    with pytest.raises(ShapeCheckError):
        Longer(x=ones(2, 3), y=ones(2).int(), z=ones(2, 4))


def test_assignment_is_checked_by_itself() -> None:
    batch = Batch(ones(2, 3), ones(2).int())
    batch.x = ones(5, 3)  # another size is another size, not a contradiction: y may follow
    batch.y = ones(5).int()
    batch.other = 3  # type: ignore[attr-defined]  # not a field
    with pytest.raises(ShapeCheckError, match="Batch: field 'x': wanted 2 axes, got 1"):
        batch.x = ones(5)
    with pytest.raises(DtypeCheckError):
        batch.y = ones(5)
    with pytest.raises(TypeCheckError, match="field 'name': wanted str, got int 3"):
        batch.name = 3  # type: ignore[assignment]  # the point of the test
    assert batch.x.shape == (5, 3)
    with checking(False):
        batch.x = ones(5)
    slots = Slots(ones(2))
    slots.x = ones(3)
    with pytest.raises(ShapeCheckError, match="Slots: field 'x'"):
        slots.x = ones(2, 2)


def test_the_completed_object_is_checked() -> None:
    assert Completed(ones(2)).doubled.shape == (4,)
    with pytest.raises(ShapeCheckError, match=r"Completed\.__init__: argument 'given'"):
        Completed(ones(2, 2))
    with pytest.raises(ShapeCheckError, match="Completed: field 'doubled': wanted 1 axis, got 2"):
        Completed(ones(2), wrong=True)


def test_frozen_replace_copy_pickle() -> None:
    frozen = Frozen(ones(2), ones(2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        frozen.x = ones(3)  # type: ignore[misc]  # the point of the test
    with pytest.raises(ShapeCheckError, match="argument 'y': axis n: wanted 3, got 2"):
        dataclasses.replace(frozen, x=ones(3))
    for made in (copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))):
        assert made.x.shape == (2,)
    assert list(inspect.signature(Frozen).parameters) == ["x", "y"]
    assert typed(Frozen) is Frozen
    assert dataclasses.is_dataclass(Frozen)


def test_methods_of_another_setattr_are_kept() -> None:
    log: list[str] = []

    @typed
    @dataclass
    class Logged:
        x: Float[Tensor, "n"]

        def __setattr__(self, name: str, value: Any) -> None:
            log.append(name)
            super().__setattr__(name, value)

    logged = Logged(ones(2))
    logged.x = ones(3)
    with pytest.raises(ShapeCheckError):
        logged.x = ones(3, 3)
    assert log == ["x", "x"]


@pytest.mark.parametrize("decorator", [typed, jaxtyped(typechecker=beartype)], ids=["typed", "jaxtyped"])
@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("kw_only", [True, False])
def test_a_default_that_is_left_to_stand_is_not_checked(
    decorator: Any, frozen: bool, slots: bool, kw_only: bool
) -> None:
    vector = Float[Tensor, "a"]
    made = field(default_factory=lambda: ones(3))
    fields: list[Any] = [("x", vector), ("mask", vector, None), ("made", vector, made)]
    kind: Any = decorator(
        dataclasses.make_dataclass("Left", fields, frozen=frozen, slots=slots, kw_only=kw_only)
    )
    assert kind(x=ones(2)).made.shape == (3,)
    if decorator is typed:
        kind(x=ones(2), mask=None)  # the same object passed, which jaxtyping refuses
    kind(x=ones(2), mask=ones(2), made=ones(2))
    wrongs: list[dict[str, Any]] = [
        {"mask": ones(3)},
        {"made": ones(3)},
        {"mask": ones(2, 2)},
        {"made": None},
    ]
    for wrong in wrongs:
        with pytest.raises(TypeError):
            kind(x=ones(2), **wrong)
    if not kw_only:
        kind(ones(2), ones(2), ones(2))
        with pytest.raises(TypeError):
            kind(ones(2), ones(2), ones(3))


@typed
@dataclass
class Replaced:
    x: Float[Tensor, "a"]
    mask: Float[Tensor, "a"] = None  # type: ignore[assignment]  # made below
    size: int = 3

    def __post_init__(self) -> None:
        if self.size != 3:
            self.mask = ones(self.size)


@dataclass
class Widened(Replaced):
    mask: Float[Tensor, "a"] | int = 7  # type: ignore[assignment]  # as people do


def test_what_replaces_a_default_is_checked() -> None:
    assert Replaced(ones(2)).mask is None
    assert Replaced(ones(2), size=2).mask.shape == (2,)
    with pytest.raises(ShapeCheckError, match="Replaced: field 'mask': axis a: wanted 2, got 4"):
        Replaced(ones(2), size=4)
    made = Replaced(ones(2))
    with pytest.raises(ShapeCheckError, match="Replaced: field 'mask': wanted 1 axis, got 2"):
        made.mask = ones(2, 2)
    made.mask = ones(5)
    assert Widened(ones(2)).mask == 7  # its default is its own


def test_axes_may_be_given_by_other_fields() -> None:
    @typed
    @dataclass
    class Padded:
        n: int
        by: InitVar[int]
        x: Float[Tensor, "{n} d"]
        mask: Float[Tensor, "d+{by} {self.n}"] | None = None
        seen: list[Float[Tensor, "{n}"]] = field(default_factory=list)

        def __post_init__(self, by: int) -> None:
            if by == 3:
                self.x = self.x[1:]

    made = Padded(2, 1, ones(2, 3), seen=[ones(2)])
    made.x, made.mask = ones(4, 5), ones(7, 4)  # each by itself, whatever the others are now
    with pytest.raises(ShapeCheckError, match=r"Padded: field 'x': axis {n}: wanted 2, got 1"):
        Padded(2, 3, ones(2, 3))
    with pytest.raises(ShapeCheckError, match=r"argument 'seen'\[0\]: axis {n}: wanted 2, got 3"):
        Padded(2, 1, ones(2, 3), seen=[ones(3)])


@pytest.mark.parametrize("seed", range(20))
def test_the_verdict_on_a_new_object_is_that_of_jaxtyping_with_beartype(seed: int) -> None:
    rng = Random(seed)
    for _ in range(10):
        parts = {f"x{i}": rng.choice((array, array, plain))(rng) for i in range(rng.choice((1, 2, 3)))}
        hints = {name: part.hint for name, part in parts.items()} | {"n": int}
        options: dict[str, bool] = {
            name: rng.random() < 0.3 for name in ("frozen", "slots", "kw_only", "completed")
        }
        ours, theirs = (
            typed(_record(hints, **options)),
            jaxtyped(_record(hints, **options), typechecker=beartype),
        )
        for _ in range(4):
            env = sizes(rng)
            arguments = {name: part.make(rng, env) for name, part in parts.items()} | {"n": env["n"]}
            assert verdict(ours, arguments) == verdict(theirs, arguments), f"{hints} {arguments}"


def _record(hints: dict[str, Any], *, completed: bool, **options: bool) -> Any:
    body: dict[str, Any] = {"__annotations__": hints}
    if completed:
        body["__post_init__"] = lambda self: None
    return dataclass(**options)(type("Record", (), body))


def test_the_quick_check_of_a_record_welcomes_what_the_reference_does() -> None:
    rng, seen = Random(7), {True: 0, False: 0}
    for _ in range(150):
        parts = {f"x{i}": rng.choice((array, array, plain))(rng) for i in range(rng.choice((1, 2, 3)))}
        hints = {name: part.hint for name, part in parts.items()}
        named = NamedTuple("Named", list(hints.items()))  # type: ignore[misc]  # made here
        keyed = TypedDict("Keyed", hints, total=rng.random() < 0.7)  # type: ignore[misc]  # made here
        for kind in (named, keyed):
            spec = spec_of(kind)
            quick = alone(spec)
            for _ in range(4 if quick is not None else 0):
                env = sizes(rng)
                values = {name: part.make(rng, env) for name, part in parts.items()}
                if kind is keyed and rng.random() < 0.3:
                    values.popitem()
                value = kind(**values)
                reference = spec.check(value, Scope()) is None
                assert _raises(quick, value) is not reference, f"{hints} {value}"
                seen[reference] += 1
    assert min(seen.values()) > 100


def _raises(quick: Any, value: Any) -> bool:
    try:
        quick(value)
    except Exception:
        return True
    return False


def test_what_is_right_is_not_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def build() -> None:
        Completed(ones(2)).doubled = ones(6)
        Batch(ones(2, 3), ones(2).int()).name = "other"

    build()
    monkeypatch.setattr(fields, "check", None)
    build()
