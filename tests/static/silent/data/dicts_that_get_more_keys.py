"""Keys that come into a dict by other ways than a statement beside it."""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict, defaultdict
from typing import Any, TypedDict

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn


def by_a_loop(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    d = {"a": x}
    for k in ("b", "c"):
        d[k] = x
    return d["b"]


def fill(d: dict[str, Tensor]) -> None:
    d["z"] = torch.zeros(3)


def fill_any(d):
    for k in "xyz":
        d[k] = 1


def by_a_helper(x: Float[Tensor, "n"]) -> Tensor:
    d = {"a": x}
    fill(d)
    e = {"a": x}
    fill_any(e)
    return d["z"] + e["z"]


def from_others(x: Float[Tensor, "n"], **kw: Tensor) -> Tensor:
    d = {"a": x}
    d.update(kw)
    e = {"a": x, **kw}
    g = dict(a=x, **kw)
    h = {"a": x} | kw
    i = {"a": x}
    i |= kw
    j = {"a": x}
    j.setdefault("z", x)
    return d["z"] + e["z"] + g["z"] + h["z"] + i["z"] + j["z"]


def asked_for_first(x: Float[Tensor, "n"]) -> Tensor:
    d = {"a": x}
    try:
        return d["z"]
    except KeyError:
        pass
    with contextlib.suppress(KeyError):
        return d["z"]
    with pytest.raises(KeyError):
        d["z"]
    if "z" in d:
        return d["z"]
    if d.get("z") is not None:
        return d["z"]
    y = d["z"] if "z" in d else x
    w = "z" in d and d["z"]
    for k in ("a", "z"):
        if k in d:
            y = y + d[k]
    if {"z"} <= set(d):
        return d["z"]
    if {"z"} <= d.keys():
        return d["z"]
    if all(k in d for k in ("z",)):
        return d["z"]
    if any("z" == k for k in d):
        return d["z"]
    return y


def on_one_way(x: Float[Tensor, "n"], mode: str, train: bool) -> Tensor:
    d = {"a": x}
    if mode == "train":
        d["y"] = x
    e = {"a": x, "y": x} if train else {"a": x}
    if mode == "train":
        return d["y"]
    return e["y"] if train else x


TABLE = {"relu": torch.relu}


def register(name: str):
    def add(f):
        TABLE[name] = f
        return f

    return add


@register("double")
def double(x: Tensor) -> Tensor:
    return 2 * x


def by_a_decorator(x: Float[Tensor, "n"]) -> Tensor:
    return TABLE["double"](x)


CONFIG = {"width": 3}


def setup(extra: dict[str, int]) -> None:
    CONFIG.update(extra)
    CONFIG["depth"] = 4


def by_a_function_of_the_file() -> Tensor:
    setup({"heads": 2})
    return torch.zeros(CONFIG["depth"], CONFIG["heads"])


class Model(nn.Module):
    shared = {"a": 1}

    def __init__(self, d: int) -> None:
        super().__init__()
        self.heads = nn.ModuleDict({"cls": nn.Linear(d, 2)})
        self.cache = {"a": torch.zeros(d)}
        self.lazy = nn.ModuleDict({"cls": nn.Linear(d, 2)})
        self.build(d)

    def build(self, d: int) -> None:
        self.heads["box"] = nn.Linear(d, 4)
        self.heads.add_module("extra", nn.Linear(d, 4))

    def remember(self, name: str, x: Tensor) -> None:
        self.cache[name] = x

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b 4"]:
        if "k" in self.cache:
            x = x + self.cache["k"]
        y = self.heads["extra"](x)
        return self.heads["box"](x) + self.lazy["late"](x) + y


class Sub(Model):
    shared = {"a": 1, "b": 2}

    def get(self) -> int:
        return self.shared["b"]


def from_outside() -> Tensor:
    m = Model(5)
    m.lazy["late"] = nn.Linear(5, 4)
    m.cache["k"] = torch.zeros(5)
    m.remember("q", torch.zeros(5))
    Model.shared["c"] = 3
    return m(torch.zeros(2, 5)) + m.shared["c"] + m.cache["q"].sum()


class Missing(dict):
    def __missing__(self, key: str) -> int:
        return 7


def by_default() -> int:
    c = Counter({"a": 1})
    d: defaultdict[str, int] = defaultdict(int, {"a": 1})
    e = defaultdict(lambda: 3, a=1)
    m = Missing(a=1)
    o = OrderedDict(a=1)
    o["b"] = 2
    return c["z"] + d["z"] + e["z"] + m["z"] + o["b"]


def in_a_later_turn(x: Float[Tensor, "n"]) -> Tensor:
    state = {"i": x}
    for step in range(3):
        if step == 0:
            state["m"] = x
        else:
            state["m"] = state["m"] + x
    first = True
    other = {"i": x}
    while True:
        if first:
            other["m"] = x
            first = False
        else:
            return other["m"]


def by_hooks(x: Float[Tensor, "b 3"]) -> Tensor:
    net = nn.Linear(3, 4)
    acts = {"input": x}

    def hook(module: nn.Module, args: Any, out: Tensor) -> None:
        acts["out"] = out

    net.register_forward_hook(hook)
    net(x)
    more = {"input": x}
    net.register_forward_hook(lambda m, a, o: more.update(out=o))
    net(x)
    third = {"input": x}

    def named(name: str):
        def inner(m: nn.Module, a: Any, o: Tensor) -> None:
            third[name] = o

        return inner

    net.register_forward_hook(named("lin"))
    net(x)
    return acts["out"] + more["out"] + third["lin"]


def under_computed_names(x: Float[Tensor, "n"]) -> Tensor:
    d = {"k": x}
    for i in range(3):
        d[f"k{i}"] = x
    e = {"k": x, **{f"k{i}": x for i in range(3)}}
    g = {k: v for k, v in d.items() if v.ndim == 1}
    h = {"a": x}
    h.update({f"z{i}": x for i in range(2)})
    i2 = {"a": x}
    i2.update([("z", x)])
    i3 = {"a": x}
    i3.update(zip(["z"], [x]))
    return d["k1"] + e["k2"] + g["k1"] + h["z1"] + i2["z"] + i3["z"]


def gen(x: Float[Tensor, "n"]):
    d = {"a": x}
    yield d
    yield d["added"]


def by_whoever_takes_it(x: Float[Tensor, "n"]) -> Tensor:
    g = gen(x)
    d = next(g)
    d["added"] = x
    return next(g)


class Opts(TypedDict, total=False):
    a: int
    b: int


def of_a_typed_dict(o: Opts) -> int:
    p: Opts = {"a": 1}
    p.update(o)
    return p["b"] + o["b"]


class Both(Opts):
    c: int


def of_a_derived_type(o: Opts) -> int:
    shifted = {**{key + "0": value for key, value in o.items()}}
    copied, spread = dict(o), {**o}
    return shifted["c0"] + copied["c"] + spread["c"]


class Context:
    pass


def number_all(score):
    def number(context):
        for i in range(len(context.rows)):
            context.rows[i]["score"] = score(i)

    return number


def by_what_an_object_is_given_to(x: Float[Tensor, "n"]) -> Tensor:
    context = Context()
    context.rows = [{"a": x} for _ in range(10)]
    number = number_all(float)
    number(context)
    first = {"a": x}
    context.first = first
    (lambda c: c.first.update(z=x))(context)
    return first["z"] + sum(row["score"] for row in context.rows)


def with_nothing_under_them(names: list[str], first):
    many = {f"layer{i}": None for i in range(20)}
    more = {**many, "used": True}
    put, kept = {"used": 1}, {"used": None}
    for name in names:
        put[name] = None
        kept.setdefault(name, None)
    spread = {"used": None, **{name: None for name in names}}
    either = {"made": None, "used": None} if first else {"used": None}
    held = [more["layer3"], put["made"], kept["made"], spread["made"], either["made"]]
    return len(held)


def note(x: Tensor, *, kept: dict, trace: dict) -> None:
    trace["step"] = 1
    kept["last"] = x


def by_what_is_given_beside_it(x: Float[Tensor, "n"]) -> Tensor:
    inner: dict = {"a": x}
    kept = {"inner": inner}
    note(x, kept=kept, trace=inner.setdefault("trace", {"step": 0}))
    return kept["last"] + inner["trace"]["step"]


def by_another_name(x: Float[Tensor, "n"]) -> Tensor:
    d = {"a": x}
    e = d
    e["z"] = x
    hold = [d]
    hold[0]["y"] = x
    t = {"in": d}
    t["in"]["w"] = x
    return d["z"] + d["y"] + d["w"]


def by_a_bound_method(x: Float[Tensor, "n"]) -> Tensor:
    d = {"a": x}
    vars(d) if False else None
    setattr_like = d.__setitem__
    setattr_like("z", x)
    return d["z"]


def in_place_of_a_default(x: Float[Tensor, "n"], batch: dict[str, Tensor] = {"a": torch.zeros(3)}) -> Tensor:
    return batch["z"]


def where_it_was_left_out() -> Tensor:
    inputs = {"ids": torch.zeros(2, 3)}
    inputs = {k: v.to("cpu") for k, v in inputs.items()}
    prepare(inputs)
    return inputs["mask"]


def prepare(inputs):
    inputs.setdefault("mask", torch.ones(2, 3))


def by_an_inner_function(x: Float[Tensor, "n"]) -> Tensor:
    d = {"a": x}

    def add(key: str) -> None:
        nonlocal d
        d = {**d, key: x}

    add("z")
    return d["z"]


def of_a_module(x: Float[Tensor, "n"]) -> Tensor:
    params = dict(nn.Linear(3, 4).named_parameters())
    sd = nn.Linear(3, 4).state_dict()
    sd["extra"] = x
    ns = locals()
    g = globals()
    return params["weight"].sum() + sd["bias"].sum() + sd["extra"] + ns["x"] + g["TABLE"]["relu"](x)


# run: by_a_loop(randn(3))
# run: by_a_helper(randn(3))
# run: from_others(randn(3), z=randn(3))
# run: asked_for_first(randn(3))
# run: on_one_way(randn(3), "train", True)
# run: by_a_decorator(randn(3))
# run: by_a_function_of_the_file()
# run: from_outside()
# run: by_default()
# run: in_a_later_turn(randn(3))
# run: by_hooks(randn(2, 3))
# run: under_computed_names(randn(3))
# run: by_whoever_takes_it(randn(3))
# run: of_a_typed_dict({"b": 2})
# run: of_a_derived_type({"a": 1, "b": 2, "c": 3})
# run: by_what_an_object_is_given_to(randn(3))
# run: with_nothing_under_them(["made"], True)
# run: by_what_is_given_beside_it(randn(3))
# run: by_another_name(randn(3))
# run: by_a_bound_method(randn(3))
# run: in_place_of_a_default(randn(3), {"z": randn(3)})
# run: where_it_was_left_out()
# run: by_an_inner_function(randn(3))
# run: of_a_module(randn(3))
# run: Sub(3).get()
