"""Random signatures with arguments that nearly fit them, for comparing two checkers."""

from __future__ import annotations

import itertools
import re
from collections import ChainMap, OrderedDict, abc, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import FunctionType, GenericAlias, SimpleNamespace
from typing import Annotated, Any, Literal, NewType, TypeVar, Union

import jaxtyping
import numpy as np
import torch
from beartype.vale import Is
from typing_extensions import TypeAliasType

NAMES = ("a", "b", "c")
FAMILIES = (
    "Float", "Float", "Float", "Int", "Num", "Shaped", "Bool", "Inexact", "Integer", "Real", "UInt",
    "Complex",
    "Float32", "BFloat16", "Float16", "Float64", "Int64", "UInt8", "Complex64", "Low", "Wide",
)  # fmt: skip


class Low(jaxtyping.AbstractDtype):
    """Dtypes of few bits, by name."""

    dtypes = ["float16", "bfloat16", "uint8"]  # noqa: RUF012 - as jaxtyping wants it


class Wide(jaxtyping.AbstractDtype):
    """Dtypes of 64 bits, by a pattern."""

    dtypes = [re.compile(".*64")]  # noqa: RUF012 - likewise


OWN = {"Low": Low, "Wide": Wide}
DTYPES = ("float32", "float32", "float32", "float64", "bfloat16", "int64", "uint8", "bool", "complex64")
OF_FAMILY = {
    "Float": "float32", "Int": "int64", "Num": "float64", "Shaped": "bool", "Bool": "bool",
    "Inexact": "complex64", "Integer": "uint8", "Real": "int64", "UInt": "uint8", "Complex": "complex64",
    "Float32": "float32", "BFloat16": "bfloat16", "Float16": "float16", "Float64": "float64",
    "Int64": "int64", "UInt8": "uint8", "Complex64": "complex64", "Low": "float16", "Wide": "float64",
}  # fmt: skip


@dataclass(frozen=True)
class Ann:
    """An annotation, and how to make a value that fits it for given sizes of the names."""

    hint: Any
    make: Callable[[Random, dict[str, Any]], Any]
    kind: str


def sizes(rng: Random) -> dict[str, Any]:
    """A size for each name, and a shape for each run of axes."""
    found: dict[str, Any] = {name: rng.choice((1, 2, 2, 3)) for name in NAMES}
    found |= {run: tuple(rng.choice((1, 2, 3)) for _ in range(rng.randrange(3))) for run in ("*s", "*t")}
    return found | {"n": rng.choice((2, 3)), "self": SimpleNamespace(n=rng.choice((1, 2)))}


def dim(rng: Random, *, run_allowed: bool) -> str:
    """One element of an axis string."""
    kind = rng.randrange(24 if run_allowed else 19)
    name = rng.choice(NAMES)
    if kind < 10:
        return name
    if kind < 13:
        return "#" + name
    if kind < 17:
        return rng.choice(
            (str(rng.choice((1, 2, 3))), "_", f"{name}=2", "#2", "_any", "{n}", "{n}+1", "{self.n}")
        )
    if kind < 19:
        return rng.choice(
            (
                f"{name}+1", f"2*{name}", "a*b", f"{name}-1", f"{name}*{{n}}", f"#{name}+1", "min(a,b)",
                "6//a", "a%2", "{self.n}*{n}", f"k={name}*2", "#{self.n}",
            )
        )  # fmt: skip
    return rng.choice(("...", "*s", "*#s", "*t", "*#t", "*_skip"))


def axes(rng: Random) -> str:
    """An axis string."""
    found: list[str] = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))):
        has_run = any(d == "..." or d.startswith("*") for d in found)
        found.append(dim(rng, run_allowed=not has_run))
    return " ".join(found)


def shape_for(text: str, rng: Random, env: dict[str, Any]) -> tuple[int, ...]:
    """A shape that fits the axes, as far as they can be computed."""
    shape: list[int] = []
    for element in text.split():
        if element == "..." or element.startswith("*_"):
            shape += [rng.choice((1, 2)) for _ in range(rng.randrange(3))]
        elif element.startswith("*"):
            run = list(env["*" + element.lstrip("*#")])
            if "#" in element and run:
                run = [1 if rng.random() < 0.4 else size for size in run[rng.randrange(2) :]]
            shape += run
        elif element.startswith("_"):
            shape.append(rng.choice((1, 2, 5)))
        elif element.startswith("#") and rng.random() < 0.4:
            shape.append(1)
        else:
            plain = element.lstrip("#").split("=")[-1].format(**env)
            shape.append(max(0, int(eval(plain, {}, dict(env)))))
    return tuple(shape)


ANY_TENSOR = TypeVar("ANY_TENSOR", torch.Tensor, np.ndarray)


def array(rng: Random) -> Ann:
    """An array of torch, sometimes of numpy or of anything with a shape."""
    family, text = rng.choice(FAMILIES), axes(rng)
    kind: Any = rng.choice(
        (torch.Tensor,) * 6 + (np.ndarray, Any, torch.nn.Parameter, torch.Tensor | np.ndarray, ANY_TENSOR)
    )
    own: Any = OWN.get(family) or getattr(jaxtyping, family)
    hint = own[kind, text]
    form = rng.randrange(14)
    if form == 0:
        hint = rng.choice((_bounded, _named, _alias, _either_of))(hint)
    elif form == 1:
        hint = Annotated[hint, "a note"]
    elif form == 2 and "..." not in text and "*" not in text:
        outer = axes(rng)
        hint, text = jaxtyping.Shaped[hint, outer], f"{outer} {text}"

    def make(rng: Random, env: dict[str, Any]) -> Any:
        shape = shape_for(text, rng, env)
        dtype = OF_FAMILY[family] if rng.random() < 0.93 else rng.choice(DTYPES)
        if rng.random() < 0.12:
            shape = spoil(shape, rng)
        if kind is np.ndarray or (kind not in (torch.Tensor, torch.nn.Parameter) and rng.random() < 0.5):
            return np.ones(shape, dtype="float32" if dtype == "bfloat16" else dtype)
        made = torch.ones(shape, dtype=getattr(torch, dtype))
        return torch.nn.Parameter(made, requires_grad=False) if kind is torch.nn.Parameter else made

    return Ann(hint, make, "array")


def _bounded(bound: Any) -> Any:
    return _VARIABLE(_new_name("T"), bound=bound)


def _either_of(hint: Any) -> Any:
    return _VARIABLE(_new_name("T"), hint, jaxtyping.Shaped[torch.Tensor, "a a"])


def _alias(hint: Any) -> Any:
    return _ALIAS(_new_name("Alias"), hint)


def _named(hint: Any) -> Any:
    return _NEW_TYPE(_new_name("Named"), hint)


def _new_name(kind: str) -> str:
    """One not used before: beartype takes annotations of one name for one annotation."""
    return f"{kind}{next(_serial)}"


_serial = itertools.count()
_VARIABLE: Any = TypeVar  # to a type checker these have to be written out
_ALIAS: Any = TypeAliasType
_NEW_TYPE: Any = NewType


def spoil(shape: tuple[int, ...], rng: Random) -> tuple[int, ...]:
    """Another shape, not far from it."""
    sizes = list(shape)
    if sizes and rng.random() < 0.6:
        sizes[rng.randrange(len(sizes))] = rng.choice((0, 1, 2, 4, 7))
    elif sizes and rng.random() < 0.5:
        sizes.pop()
    else:
        sizes.insert(rng.randrange(len(sizes) + 1), rng.choice((1, 2)))
    return tuple(sizes)


PLAIN: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (int, (1, 2, True)), (float, (1.0, 2.0, 1)), (str, ("u", "v")), (None, (None,)), (bool, (True, 1)),
    (Literal["u", 2], ("u", 2, 3)), (torch.dtype, (torch.float32,)), (type[int], (bool, str)),
    (object, (3,)), (Callable[[int], int], (len, 3)), (type[int | str], (bool, str, float)),
    (Annotated[int, Is[lambda n: n > 1]], (1, 2)), (NewType("Count", int), (1, "w")),
    (torch.device, (torch.device("cpu"), "cpu")), (torch.Size, (torch.Size([2]), (2,))),
    (jaxtyping.Float[float, "..."], (1.0, 1)), (type[Annotated[int, "a note"]], (bool, str)),
    (np.number, (np.float32(1), 1.0)), (bytes | None, (b"u", "u")),
)  # fmt: skip


def plain(rng: Random) -> Ann:
    """An ordinary annotation."""
    hint, values = rng.choice(PLAIN)
    wrong = (1, 2.0, "w", None, [1])
    return Ann(hint, lambda r, env: r.choice(values if r.random() < 0.9 else wrong), "plain")


def annotation(rng: Random, depth: int = 2) -> Ann:
    """Any annotation."""
    kind = rng.randrange(20)
    if kind < 9 or depth == 0:
        return array(rng) if rng.random() < 0.85 else plain(rng)
    if kind < 13:
        return union(rng, depth)
    if kind < 15:
        parts = [annotation(rng, depth - 1) for _ in range(rng.choice((1, 2, 2, 3)))]
        hint: Any = GenericAlias(tuple, tuple(p.hint for p in parts))
        return Ann(
            hint,
            lambda r, env: tuple(p.make(r, env) for p in parts)[: 9 if r.random() < 0.95 else 1],
            "tuple",
        )
    item = annotation(rng, depth - 1)

    def several(r: Random, env: dict[str, Any]) -> list[Any]:
        return [item.make(r, env) for _ in range(r.choice((0, 1, 2, 3)))]

    if kind < 15 + 1:
        holder = rng.choice((list, list, deque))
        return Ann(GenericAlias(holder, item.hint), lambda r, env: holder(several(r, env)), "list")
    if kind < 17:
        hint = GenericAlias(rng.choice((abc.Sequence, abc.Iterable, abc.Collection)), item.hint)
        return Ann(hint, lambda r, env: r.choice((list, tuple))(several(r, env)), "sequence")
    if kind < 18:
        return Ann(tuple[item.hint, ...], lambda r, env: tuple(several(r, env)), "tuple")  # type: ignore[name-defined]
    return mapping(rng, item, several)


def mapping(rng: Random, item: Ann, several: Callable[[Random, dict[str, Any]], list[Any]]) -> Ann:
    """A mapping from strings to values of one kind, or a view of one."""
    kind: Any = rng.choice((*MAPPINGS, abc.ValuesView, abc.ItemsView))

    def make(r: Random, env: dict[str, Any]) -> Any:
        plain = {f"k{i}": value for i, value in enumerate(several(r, env))}
        if kind in (abc.ValuesView, abc.ItemsView):
            return plain.values() if kind is abc.ValuesView else plain.items()
        return defaultdict(list, plain) if kind is defaultdict else OTHERS.get(kind, dict)(plain)

    return Ann(GenericAlias(kind, item.hint if kind is abc.ValuesView else (str, item.hint)), make, "dict")


MAPPINGS: tuple[Any, ...] = (
    dict, dict, dict, abc.Mapping, abc.MutableMapping, OrderedDict, defaultdict, ChainMap,
)  # fmt: skip
OTHERS: dict[Any, Any] = {OrderedDict: OrderedDict, ChainMap: ChainMap}


def union(rng: Random, depth: int) -> Ann:
    """Two or three alternatives; at most one of them a container, which the comparison rewrites."""
    options = [annotation(rng, depth - 1) for _ in range(rng.choice((1, 2, 2)))]
    seen = 0
    for i, option in enumerate(options):
        if option.kind not in {"array", "plain"}:
            seen += 1
            if seen > 1:
                options[i] = array(rng)
    if rng.random() < 0.4:
        options.insert(rng.randrange(len(options) + 1), Ann(None, lambda r, env: None, "plain"))
    containers = [o.kind for o in options if o.kind not in {"array", "plain"}]
    return Ann(
        Union[tuple(o.hint for o in options)],  # noqa: UP007 - built at run time
        lambda r, env: r.choice(options).make(r, env),
        containers[0] if containers else "plain",
    )


def function(hints: dict[str, Any], result: Any, head: str = "") -> FunctionType:
    """``def f(x0, x1, ..., n)`` with these annotations, returning what it is told to.

    ``head`` is the list of parameters where they are not all plain ones.
    """
    names = [name for name in hints if name != "return"]
    scope: dict[str, Any] = {"RESULT": result}
    exec(f"def f({head or ', '.join(names)}): return RESULT[0]", scope)
    made: FunctionType = scope["f"]
    made.__annotations__ = dict(hints)
    return made


@dataclass(frozen=True)
class Signature:
    """Parameters of every kind: ``self, x0, /, x1, *xs, k0, k1=None, n, **rest``."""

    plain: tuple[Ann, ...]
    star: Ann | None
    keywords: tuple[Ann, ...]
    rest: Ann | None
    positional_only: bool

    @property
    def head(self) -> str:
        names = [f"x{i}" for i in range(len(self.plain))]
        if self.positional_only:
            names.insert(1, "/")
        keywords = [f"k{i}{'=None' * (i > 0)}" for i in range(len(self.keywords))]
        star, rest = "*xs" if self.star else "*", ["**rest"] if self.rest else []
        return ", ".join(["self", *names, star, *keywords, "n", *rest])

    @property
    def hints(self) -> dict[str, Any]:
        found = {f"x{i}": part.hint for i, part in enumerate(self.plain)}
        found |= {"xs": self.star.hint} if self.star else {}
        found |= {f"k{i}": part.hint for i, part in enumerate(self.keywords)}
        return found | {"n": int} | ({"rest": self.rest.hint} if self.rest else {})

    def given(self, rng: Random, env: dict[str, Any]) -> tuple[list[Given], list[Given]]:
        """The arguments of a call by position, and those by name, in the order they are checked."""

        def several(part: Ann | None, name: str) -> list[Given]:
            times = rng.randrange(3) if part else 0
            return [Given(f"{name}{i}", part.hint, part.make(rng, env)) for i in range(times) if part]

        plain = [Given(f"x{i}", part.hint, part.make(rng, env)) for i, part in enumerate(self.plain)]
        named = [Given(f"k{i}", part.hint, part.make(rng, env)) for i, part in enumerate(self.keywords)]
        named = [g for i, g in enumerate(named) if i == 0 or (g.value is not None and rng.random() < 0.6)]
        by_position = [Given("self", Any, env["self"]), *plain, *several(self.star, "star")]
        return by_position, [*named, Given("n", int, env["n"]), *several(self.rest, "rest")]


@dataclass(frozen=True)
class Given:
    """One argument of a call."""

    name: str
    hint: Any
    value: Any


def signature(rng: Random) -> Signature:
    """Any signature."""
    return Signature(
        plain=tuple(annotation(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))),
        star=annotation(rng) if rng.random() < 0.2 else None,
        keywords=tuple(annotation(rng) for _ in range(rng.choice((0, 0, 0, 1, 2)))),
        rest=annotation(rng) if rng.random() < 0.15 else None,
        positional_only=rng.random() < 0.2,
    )


ALIKE = (list, deque, abc.Sequence, abc.Iterable, abc.Collection, abc.ValuesView)


def exhaustive(hint: Any, value: Any) -> tuple[Any, Any]:
    """The same question about tuples of known length, where beartype looks at every item."""
    origin: Any = getattr(hint, "__origin__", None)
    if origin is Union:
        rewritten = [(exhaustive(option, value), option) for option in hint.__args__]
        matching = [pair for pair, option in rewritten if pair[1] is not value]
        new_value = matching[0][1] if matching else value
        return Union[tuple(pair[0] for pair, _ in rewritten)], new_value  # noqa: UP007 - built at run time
    kinds: Any = (list, tuple) if origin in SEQUENCES else origin
    if origin in ALIKE and isinstance(value, kinds):
        return _as_tuple([(hint.__args__[0], item) for item in value])
    if origin is abc.ItemsView and isinstance(value, abc.ItemsView):
        return _as_tuple([(GenericAlias(tuple, hint.__args__), item) for item in value])
    if origin in MAPPINGS and isinstance(value, origin):
        return _as_tuple([(hint.__args__[1], item) for item in value.values()])
    if origin is tuple and isinstance(value, tuple):
        args = hint.__args__
        if len(args) == 2 and args[1] is Ellipsis:
            return _as_tuple([(args[0], item) for item in value])
        if len(args) == len(value):
            return _as_tuple(list(zip(args, value, strict=True)))
    return hint, value


SEQUENCES = (abc.Sequence, abc.Iterable, abc.Collection)


def _as_tuple(pairs: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    rewritten = [exhaustive(hint, value) for hint, value in pairs]
    return tuple[tuple(hint for hint, _ in rewritten)], tuple(value for _, value in rewritten)  # type: ignore[misc]
