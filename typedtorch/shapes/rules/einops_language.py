"""The pattern language of einops, parsed once.

>>> parse_side("b (h d) ...")
(('b',), ('h', 'd'), ('...',))
>>> parse_side("b 1 ()")
(('b',), (), ())
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from typedtorch.shapes.equality import same
from typedtorch.shapes.rules.axis_patterns import align
from typedtorch.shapes.rules.forms import is_size
from typedtorch.shapes.size import Size, exact_div, floor_div, is_unknown, product, unknown
from typedtorch.shapes.tensor import Entry, Pack, Shape, ShapeError, Undecided, axes_text, better, show

Group = tuple[str, ...]
Side = tuple[Group, ...]
Sizes = dict[str, Any]


@lru_cache(maxsize=4096)
def parse_side(text: str) -> Side:
    """Groups of names; a name outside parentheses is a group of one, ``1`` an empty group.

    Raises:
        ShapeError: unbalanced or nested parentheses, a name that is not one.
    """
    groups: list[Group] = []
    inside: list[str] | None = None
    for token in re.findall(r"\.\.\.|…|[()]|[^\s()]+", text.replace("...", " ... ")):
        if token == "(":
            if inside is not None:
                raise ShapeError(f"{text!r}: parentheses cannot be nested", "einops")
            inside = []
        elif token == ")":
            if inside is None:
                raise ShapeError(f"{text!r}: ')' without '('", "einops")
            # a run in parentheses is one axis, also where nothing stands beside it
            groups.append(("...", "1") if inside == ["..."] else tuple(inside))
            inside = None
        else:
            _check_token(token, text)
            if inside is not None:
                inside += [] if token == "1" else [token]
            else:
                groups.append(() if token == "1" else (token,))
    if inside is not None:
        raise ShapeError(f"{text!r}: '(' without ')'", "einops")
    return tuple(groups)


def _check_token(token: str, text: str) -> None:
    if token not in ("...", "…") and not token.isdigit() and not is_axis_name(token) and token != "_":
        raise ShapeError(f"{text!r}: {token!r} is not an axis name", "einops")


def is_axis_name(token: str) -> bool:
    """Whether einops takes it as the name of one axis.

    >>> [is_axis_name(token) for token in ("h", "h_", "2", "...")]
    [True, False, False, False]
    """
    return token.isidentifier() and token[0] != "_" and token[-1] != "_"


def names_in(side: Side) -> list[str]:
    """The names on one side of a pattern, in order."""
    return [n for group in side for n in group if n != "1"]


def split_pattern(pattern: Any) -> tuple[str, str]:
    """The two sides.

    Raises:
        ShapeError: not exactly one arrow.
        Undecided: the pattern is not a known string.
    """
    if not isinstance(pattern, str):
        raise Undecided
    if pattern.count("->") != 1:
        raise ShapeError(f"{pattern!r} has {pattern.count('->')} arrows, wanted one '->'", "einops")
    left, right = pattern.split("->")
    return left, right


def check_once(side: Side, pattern: str) -> None:
    """No name twice on one side."""
    seen = [n for n in names_in(side) if not n.isdigit()]
    twice = next((n for n in seen if seen.count(n) > 1), None)
    if twice is not None:
        raise ShapeError(f"{pattern!r}: {twice!r} appears twice on one side", "einops")


def given_sizes(lengths: Mapping[str, Any], known: set[str], pattern: str) -> Sizes:
    """Axis lengths given as keywords.

    Raises:
        ShapeError: a keyword is no axis of the pattern.
    """
    sizes: Sizes = {}
    for name, value in lengths.items():
        if name not in known:
            raise ShapeError(f"{pattern!r} has no axis {name!r}", "einops")
        sizes[name] = value if is_size(value) else unknown()
        if isinstance(value, float):
            raise ShapeError(f"{pattern!r}: the size of {name!r} is {value}, wanted an int", "einops")
    return sizes


def bind(side: Side, shape: Shape, sizes: Sizes, who: str, pattern: str) -> None:
    """Match a shape with the left side; sizes of names are added to ``sizes``, ``...`` as entries.

    Raises:
        ShapeError: wrong number of axes, a size contradicts another or does not divide.
    """
    keys = ["..." if g == ("...",) else str(i) for i, g in enumerate(side)]
    wild = any("..." in g for g in side)
    if wild and "..." not in keys:
        # (... d): the run is inside parentheses
        keys = ["..." if "..." in g else str(i) for i, g in enumerate(side)]
        return _bind_inside(side, keys, shape, sizes, who, pattern)
    for key, entry, _ in _aligned(shape, keys, side, who, pattern):
        if key == "...":
            sizes["..."] = entry
        else:
            _bind_group(side[int(key)], unknown() if entry is None else entry, sizes, who, pattern)
    return None


def _aligned(shape: Shape, keys: list[str], side: Side, who: str, pattern: str) -> list[tuple[str, Any, int]]:
    try:
        return align(shape, keys, who)
    except ShapeError:
        least = "at least " if "..." in keys else ""
        count = len(keys) - (1 if "..." in keys else 0)
        raise ShapeError(
            f"{who} has shape {show(shape)}, {axes_text(shape)}, and "
            f"{pattern.split('->', maxsplit=1)[0].strip()!r} has {least}{count}"
        ) from None


def _bind_inside(side: Side, keys: list[str], shape: Shape, sizes: Sizes, who: str, pattern: str) -> None:
    for key, entry, _ in _aligned(shape, keys, side, who, pattern):
        if key == "...":
            raise Undecided  # einops itself refuses an ellipsis in parentheses on the left
        _bind_group(side[int(key)], unknown() if entry is None else entry, sizes, who, pattern)


def _bind_group(group: Group, size: Size, sizes: Sizes, who: str, pattern: str) -> None:
    known = [n for n in group if n in sizes or n.isdigit()]
    missing = [n for n in group if n not in known]
    have = product(int(n) if n.isdigit() else sizes[n] for n in known)
    if len(missing) > 1:
        raise ShapeError(
            f"{pattern!r}: the sizes of {', '.join(missing)} cannot both be inferred: give one, "
            f"{missing[0]}=...",
            "einops",
        )
    text = group[0] if len(group) == 1 else f"({' '.join(group)})"
    if not missing:
        if same(have, size) is False:
            raise ShapeError(f"{text} is {have} in {pattern!r} and {size} in {who}")
        if len(group) == 1 and not group[0].isdigit():
            sizes[group[0]] = better(sizes[group[0]], size)
        return
    if isinstance(have, int) and isinstance(size, int) and (have == 0 or size % have):
        raise ShapeError(f"{text} is {size} in {who}, which {have} does not divide")
    exact = exact_div(size, have) if have != 0 else None
    if exact is None:
        exact = unknown() if is_unknown(size) or is_unknown(have) else floor_div(size, have)
    sizes[missing[0]] = exact


def build(side: Side, sizes: Sizes, pattern: str) -> Shape:
    """The shape of the right side."""
    out: list[Entry] = []
    for group in side:
        if group == ("...",):
            out.extend(sizes["..."])
        elif "..." in group:
            out.append(_product_with_run(group, sizes))
        else:
            out.append(product(int(n) if n.isdigit() else sizes[n] for n in group))
    return tuple(out)


def _product_with_run(group: Group, sizes: Sizes) -> Size:
    total: Size = 1
    for name in group:
        if name != "...":
            total = total * (int(name) if name.isdigit() else sizes[name])
        elif any(isinstance(e, Pack) for e in sizes["..."]):
            return unknown()
        else:
            total = total * product(sizes["..."])
    return total
