"""Inputs that are records: dataclasses, NamedTuples and TypedDicts, of tensors and of other things."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, NotRequired, Required, TypedDict

import pytest
from jaxtyping import Float
from torch import Tensor

from typedtorch.accounting import account


@dataclass(kw_only=True)
class ByKeyword:
    x: Float[Tensor, "batch d"]
    w: Float[Tensor, "d k"]


@dataclass
class WithDefaults:
    x: Float[Tensor, "batch d"]
    w: Float[Tensor, "d k"]
    source: str = "web"
    tags: list[str] = field(default_factory=list)
    worker: int = 3


@dataclass
class WithMore:
    x: Float[Tensor, "batch d"]
    w: Float[Tensor, "d k"]
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.rows = len(self.x)


class Named(NamedTuple):
    x: Float[Tensor, "batch d"]
    w: Float[Tensor, "d k"]
    source: str = "web"


class Keys(TypedDict):
    x: Float[Tensor, "batch d"]
    w: Float[Tensor, "d k"]
    source: NotRequired[str]


class SomeKeys(TypedDict, total=False):
    x: Required[Float[Tensor, "batch d"]]
    w: Required[Float[Tensor, "d k"]]
    source: str


def of_fields(batch: Any) -> Tensor:
    product: Tensor = batch.x @ batch.w
    return product


def of_keys(batch: Keys | SomeKeys) -> Tensor:
    return batch["x"] @ batch["w"]


@pytest.mark.parametrize("record", [ByKeyword, WithDefaults, WithMore, Named, Keys, SomeKeys])
def test_a_record_is_filled_with_what_its_fields_say(record: type) -> None:
    def program(batch: Any) -> Tensor:
        return of_keys(batch) if record in (Keys, SomeKeys) else of_fields(batch)

    program.__annotations__["batch"] = record
    assert account(program, batch=4, d=3, k=5).flops.forward == 2 * 4 * 3 * 5
    assert str(account(program).formula("flops.forward")) == "2*batch*d*k"
