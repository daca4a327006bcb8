"""The axis language is jaxtyping's: the same strings are refused, the same dims are read."""

from __future__ import annotations

import ast

import jaxtyping
import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from typedtorch.shapes.axes import AxesError, Dim, parse
from typedtorch.shapes.slips import slip, wrapper_slip

PARTS = ["batch", "seq", "d", "_", "4", "1", "...", "2*d", "d+1", "{n}", "min(a,b)", "a,b", "x=3", "", "d//2"]
MARKS = ["", "#", "*", "_", "?", "##", "*#", "#*", "_?", "__"]
elements = st.builds(lambda mark, part: mark + part, st.sampled_from(MARKS), st.sampled_from(PARTS))
texts = st.lists(elements, max_size=4).map(" ".join)


def _theirs(text: str) -> tuple[object, ...] | None:
    try:
        return tuple(getattr(jaxtyping.Shaped[Tensor, text], "dims"))  # noqa: B009 - a special form to mypy
    except ValueError:
        return None


def _describe(dim: object) -> tuple[object, ...]:
    """A dim of jaxtyping in our terms."""
    kind = type(dim).__name__
    if kind == "_AnonymousDim":
        return ("anonymous", False)
    if kind == "_AnonymousVariadicDim":
        return ("anonymous", True)
    broadcastable = dim.broadcastable  # type: ignore[attr-defined]  # all the other kinds have it
    if kind == "_FixedDim":
        return ("fixed", dim.size, broadcastable)  # type: ignore[attr-defined]  # as its kind says
    if kind == "_SymbolicDim":
        return ("symbolic", dim.elem, broadcastable)  # type: ignore[attr-defined]  # as its kind says
    return ("named", dim.name, kind == "_NamedVariadicDim", broadcastable, dim.treepath)  # type: ignore[attr-defined]  # as its kind says


def _ours(dim: Dim) -> tuple[object, ...]:
    match dim.kind:
        case "anonymous":
            return ("anonymous", dim.variadic)
        case "fixed":
            return ("fixed", dim.size, dim.broadcastable)
        case "symbolic":
            return ("symbolic", dim.name, dim.broadcastable)
    return ("named", dim.name, dim.variadic, dim.broadcastable, dim.treepath)


@given(texts)
def test_same_strings_and_same_dims_as_jaxtyping(text: str) -> None:
    theirs = _theirs(text)
    try:
        ours = parse(text)
    except AxesError:
        assert theirs is None
        return
    assert theirs is not None
    assert [_ours(d) for d in ours.dims] == [_describe(d) for d in theirs]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("batch, seq", "'batch, seq': axes are separated by spaces, not commas: write 'batch' for 'batch,'"),
        ("#", "'#': '#' is the size or 1 of an axis, and names none: write '#name'"),
        ("seq#", "'seq#': '#' goes in front of the axis: write '#seq'"),
        ("*a ...", "'*a ...': only one of '...' and '*name' is allowed, once"),
        ("...x", "'...x': '...' must stand on its own, got '...x'"),
        ("*4", "'*4': '*4': a fixed axis cannot have '*'"),
        ("##a", "'##a': '##a' has '#' twice"),
    ],
)
def test_message_says_what_to_write(text: str, message: str) -> None:
    with pytest.raises(AxesError) as caught:
        parse(text)
    assert str(caught.value) == message


_UNREAD = "is not an expression in axis names"
_SPACES = "spaces separate axes, and an expression such as h*w has none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d+", f"'d+' {_UNREAD}"),
        ("batch (h w)", f"'batch (h w)': {_SPACES}: write h*w for (h w)"),
        ("batch (h w", f"'(h' {_UNREAD}: {_SPACES}"),
        ("(b s) {d f}", f"'(b s) {{d f}}': {_SPACES}: write b*s for (b s)"),
        ("max(a, b)", f"'max(a,' {_UNREAD}: {_SPACES}"),
        ("batch {d", f"'{{d' {_UNREAD}: {_SPACES}"),
        ("batch h * w", f"'batch h * w': {_SPACES}; any number of axes is '...' or '*name'"),
        ("batch 2d", f"'2d' {_UNREAD}: write 2*d"),
        ("b:d", f"'b:d' {_UNREAD}: axes are separated by spaces, not by ':'"),
        ("b->d", f"'b->d' {_UNREAD}: axes are separated by spaces, not by '->'"),
        ("d*", f"'d*' {_UNREAD}: '*' goes in front: *d"),
        ("batch d=", "'d=' has no size after '='"),
        ("batch d==3", "'d==3' is a comparison: write d=3"),
        ("d>3", "'d>3' is a truth value, not a size"),
        ("[d]", "'[d]' is not a size: write d"),
        ("(a,b)", "'(a,b)' is not a size"),
        ("'d'", "\"'d'\" is not an integer"),
        ("1.5", "'1.5' is not an integer"),
        ("2*self.d", "'2*self.d': attributes and items are read inside braces: {self.d}"),
        ("x.shape[0]", "'x.shape[0]': attributes and items are read inside braces: {x.shape[0]}"),
        ("{}", f"'{{}}' {_UNREAD}"),
    ],
)
def test_what_cannot_hold_is_said_before_it_runs(text: str, message: str) -> None:
    assert slip(parse(text)) == message


MAY_HOLD = "|a b|*|* d|*a b|... d|#d|_ _d|?a|k=3|h*w|(h*w)|a//2+1|-1|d**2|max(a,b)|{self.d}|{n:d}|a%2|é"


@pytest.mark.parametrize("text", MAY_HOLD.split("|"))
def test_what_may_hold_is_left_alone(text: str) -> None:
    assert slip(parse(text)) is None


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("Tensor", "[Tensor] has no axes: write Float[Tensor, '...'] for any shape"),
        ("'b d'", "['b d'] has no array type: write Float[Tensor, 'b d']"),
        ("'b d', Tensor", "['b d', Tensor]: the array type comes first: write Float[Tensor, 'b d']"),
        ("Tensor, 'b', 'd'", "[Tensor, 'b', 'd']: axes are one string: write Float[Tensor, 'b d']"),
        ("Tensor, ('b', 3)", "[Tensor, ('b', 3)]: axes are one string: write Float[Tensor, 'b 3']"),
        ("Tensor, 3", "[Tensor, 3]: axes are one string: write Float[Tensor, '3']"),
        ("Tensor, ...", "[Tensor, ...]: axes are one string: write Float[Tensor, '...']"),
        ("Tensor, None", "[Tensor, None]: axes are one string: write Float[Tensor, '...']"),
    ],
)
def test_wrong_parts_of_an_annotation_are_told_as_jaxtyping_refuses_them(inside: str, message: str) -> None:
    tree = ast.parse(f"Float[{inside}]", mode="eval").body
    assert isinstance(tree, ast.Subscript)
    assert wrapper_slip("Float", tree.slice) == f"Float{message}"
    with pytest.raises((ValueError, TypeError, AttributeError)):
        eval(f"Float[{inside}]", {"Float": jaxtyping.Float, "Tensor": Tensor})


@pytest.mark.parametrize(
    "inside", ["Tensor, 'b'", "Tensor, text", "'Tensor', text", "Tensor, f'{n} d'", "A, 'b'"]
)
def test_what_may_be_an_annotation_is_left_alone(inside: str) -> None:
    assert wrapper_slip("Float", ast.parse(inside, mode="eval").body) is None
