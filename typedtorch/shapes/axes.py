"""The axis language of jaxtyping annotations, parsed once into a frozen value.

>>> parse("batch *heads #seq d_model=64 2*d _").dims[1]
Dim(kind='named', name='heads', text='*heads', size=None, variadic=True, broadcastable=False, treepath=False)
>>> parse("b, s")
Traceback (most recent call last):
    ...
typedtorch.shapes.axes.AxesError: 'b, s': axes are separated by spaces, not commas: write 'b' for 'b,'

The language is jaxtyping's, exactly: what ``jaxtyping.Float[Tensor, text]`` refuses, this refuses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from typedtorch.shapes.bounds import size_max, size_min
from typedtorch.shapes.size import Size, floor_div

DimKind = Literal["named", "fixed", "symbolic", "anonymous"]


class AxesError(ValueError):
    """A string that is not in the axis language; the message says what is wrong and what to write."""


@dataclass(frozen=True, slots=True)
class Dim:
    """One element of an axis string.  ``name`` holds the expression where ``kind`` is symbolic."""

    kind: DimKind
    name: str
    text: str
    size: int | None = None
    variadic: bool = False
    broadcastable: bool = False
    treepath: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """A parsed axis string: its elements, and where the one that spans several axes stands."""

    dims: tuple[Dim, ...]
    text: str

    @property
    def variadic(self) -> int | None:
        """Index of the ``...`` or ``*name`` element."""
        return next((i for i, d in enumerate(self.dims) if d.variadic), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Names bound by this string, in order, once each."""
        return tuple(dict.fromkeys(d.name for d in self.dims if d.kind == "named"))

    def extend(self, inner: Axes) -> Axes:
        """``Float[Float[Tensor, inner], self]``: the outer axes come first.

        Raises:
            AxesError: both sides have an element that spans several axes.
        """
        if self.variadic is not None and inner.variadic is not None:
            raise AxesError(
                f"{self.text!r} extends {inner.text!r}: only one of them may have '...' or '*name'"
            )
        return Axes(self.dims + inner.dims, f"{self.text} {inner.text}".strip())

    def __str__(self) -> str:
        return self.text


_FLAGS = {"#": "broadcastable", "*": "variadic", "_": "anonymous", "?": "treepath"}


@lru_cache(maxsize=4096)
def parse(text: str) -> Axes:
    """Parse an axis string.

    Raises:
        AxesError: with what is wrong and what was probably meant.
    """
    dims: list[Dim] = []
    for element in text.split():
        try:
            dim = _parse_dim(element)
        except AxesError as error:
            raise AxesError(f"{text!r}: {error}") from None
        if dim.variadic and any(d.variadic for d in dims):
            raise AxesError(f"{text!r}: only one of '...' and '*name' is allowed, once")
        dims.append(dim)
    return Axes(tuple(dims), " ".join(d.text for d in dims))


def _parse_dim(element: str) -> Dim:
    _refuse_misspelt(element)
    if element == "...":
        return Dim("anonymous", "...", element, variadic=True)
    flags, rest = _flags_of(element)
    broadcastable = "broadcastable" in flags
    if rest == "" or rest.isidentifier():
        variadic, treepath = "variadic" in flags, "treepath" in flags
        if "anonymous" not in flags:
            return Dim("named", rest, element, None, variadic, broadcastable, treepath)
        if broadcastable:
            raise AxesError(f"{element!r}: an anonymous axis cannot be broadcastable")
        return Dim("anonymous", "_", element, variadic=variadic, treepath=treepath)
    try:
        size: int | None = int(rest)
    except ValueError:
        size = None
    what: Literal["fixed", "symbolic"] = "symbolic" if size is None else "fixed"
    for flag, sign in (("anonymous", "_"), ("variadic", "*"), ("treepath", "?")):
        if flag in flags:
            raise AxesError(f"{element!r}: a {what} axis cannot have {sign!r}")
    return Dim(what, rest, element, size, broadcastable=broadcastable)


def _refuse_misspelt(element: str) -> None:
    """What looks like the language, and is not.

    Raises:
        AxesError: it is such.
    """
    if "," in element and "(" not in element:
        fixed = " ".join(part for part in element.split(",") if part)
        raise AxesError(f"axes are separated by spaces, not commas: write {fixed!r} for {element!r}")
    if element == "#":
        raise AxesError("'#' is the size or 1 of an axis, and names none: write '#name'")
    if element.endswith("#"):
        raise AxesError(f"'#' goes in front of the axis: write {'#' + element[:-1]!r}")
    if "..." in element and element != "...":
        raise AxesError(f"'...' must stand on its own, got {element!r}")


def _flags_of(element: str) -> tuple[set[str], str]:
    """The signs in front of an axis, and what they stand in front of.

    Raises:
        AxesError: one of them stands there twice.
    """
    flags: set[str] = set()
    rest = element
    while rest:
        flag = _FLAGS.get(rest[0])
        if flag is not None:
            if flag in flags:
                raise AxesError(f"{element!r} has {rest[0]!r} twice")
            flags.add(flag)
            rest = rest[1:]
        elif rest.count("=") == 1:
            rest = rest.split("=")[1]
        else:
            break
    return flags, rest


_BRACES = re.compile(r"\{([^{}]*)\}")
Lookup = Callable[[str], Size | None]


def names_of(dim: Dim) -> frozenset[str]:
    """Axis names a symbolic element reads, those inside braces excluded.

    >>> sorted(names_of(parse("h*k+{n}").dims[0]))
    ['h', 'k']
    """
    if dim.kind != "symbolic":
        return frozenset({dim.name} if dim.kind == "named" else ())
    tree = _expression(_BRACES.sub("0", dim.name))
    if tree is None:
        return frozenset()
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))


def braces(dim: Dim) -> list[str]:
    """The texts inside ``{...}`` of a symbolic element.

    >>> braces(parse("2*{self.n}").dims[0])
    ['self.n']
    """
    return [text.strip() for text in _BRACES.findall(dim.name)]


def evaluate(dim: Dim, axis: Lookup, brace: Lookup) -> Size | None:
    """The size of a symbolic element; None where a part of it is not known.

    ``axis`` gives the size of an axis name, ``brace`` of the text inside ``{...}``.
    """
    braces: list[str] = []

    def keep(match: re.Match[str]) -> str:
        braces.append(match.group(1).strip())
        return f"__brace{len(braces) - 1}"

    tree = _expression(_BRACES.sub(keep, dim.name))

    def look(name: str) -> Size | None:
        if name.startswith("__brace"):
            return brace(braces[int(name.removeprefix("__brace"))])
        return axis(name)

    return None if tree is None else _evaluate(tree, look)


@lru_cache(maxsize=4096)
def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _evaluate(node: ast.expr, look: Lookup) -> Size | None:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            return look(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _evaluate(operand, look)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _evaluate(left, look), _evaluate(right, look)
            return None if a is None or b is None else _operate(op, a, b)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=args, keywords=[]) if args:
            sizes = [_evaluate(arg, look) for arg in args]
            known = [size for size in sizes if size is not None]
            if len(known) < len(sizes):
                return None
            return size_min(*known) if name == "min" else size_max(*known)
        case _:
            return None


def _operate(op: ast.operator, a: Size, b: Size) -> Size | None:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.FloorDiv() if b != 0:
            return floor_div(a, b)
        case ast.Mod() if b != 0:
            return a % b
        case ast.Pow() if isinstance(b, int) and 0 <= b <= 8:
            return 1 if b == 0 else a**b
        case ast.Div() if b != 0:
            return floor_div(a, b) if isinstance(a, int) and isinstance(b, int) and a % b == 0 else None
        case _:
            return None
