"""Contractions: what torch's einsum and einops' einsum share, and torch's own."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

from typedtorch.shapes.dtypes import ANY
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules.axis_patterns import align
from typedtorch.shapes.rules.forms import is_size, literal, need
from typedtorch.shapes.rules.promotion import common_dtype, mask_of, result_type
from typedtorch.shapes.size import Size, product, unknown
from typedtorch.shapes.tensor import (
    Entry,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axes_text,
    better,
    broadcast,
    entry_size,
    show,
)


def contracted(operands: list[Tensor], terms: list[list[str]], result: list[str], equation: str) -> Tensor:
    """The result of an einsum whose letters are already taken apart.

    Raises:
        ShapeError: naming the letter and both operands where its sizes differ.
    """
    counts = Counter(letter for term in terms for letter in set(term))
    contracts = any(n > 1 and letter not in result for letter, n in counts.items())
    if (len(operands) > 2 or any(1 in t.shape for t in operands)) and not _one_dtype(operands) and contracts:
        _bound(operands, terms, equation)
        raise Undecided  # what is not contracted, or with another operand first, is multiplied: that promotes
    if not contracts:
        mask = result_type(*operands)
    else:
        mask = common_dtype(*((t, _who(operands, i)) for i, t in enumerate(operands)), what="einsum")
    try:
        sizes = _bound(operands, terms, equation)
    except ShapeError as error:
        raise ShapeError(
            error.message, error.code, _letters_that_fit(operands, terms, result, equation)
        ) from None
    unbound = next((letter for letter in result if letter not in sizes and letter != "..."), None)
    if unbound is not None:
        raise ShapeError(f"{equation!r}: the result's {unbound!r} is in no operand")
    twice = next((letter for letter, n in Counter(result).items() if n > 1), None)
    if twice is not None:
        raise ShapeError(f"{equation!r}: {twice!r} appears twice in the result")
    out: list[Entry] = []
    for letter in result:
        out.extend(sizes.get("...", ()) if letter == "..." else (sizes[letter],))
    return operands[0].of(out, mask)


def _one_dtype(operands: list[Tensor]) -> bool:
    shared = ANY
    for tensor in operands:
        shared &= mask_of(tensor)
    return bool(shared)


def _who(operands: list[Tensor], i: int) -> str:
    return operands[i].label or f"operand {i}"


def _bound(operands: list[Tensor], terms: list[list[str]], equation: str) -> dict[str, Any]:
    sizes: dict[str, Any] = {}
    first: dict[str, str] = {}
    for i, (tensor, letters) in enumerate(zip(operands, terms, strict=True)):
        who = _who(operands, i)
        for letter, entry, _ in _align(tensor.shape, letters, who, equation):
            if letter == "...":
                sizes["..."] = _run(sizes.get("..."), entry, equation)
            elif letters.count(letter) > 1 and first.get(letter) == who and 1 in (sizes[letter], entry):
                if entry is not None and same(sizes[letter], entry) is False:
                    raise ShapeError(f"{letter!r} is {sizes[letter]} and {entry} in {who}")
            elif letter not in sizes or sizes[letter] == 1:
                sizes[letter] = unknown() if entry is None else entry
                first[letter] = who
            elif entry is not None and entry != 1:
                if same(sizes[letter], entry_size(entry)) is False:
                    what = f"the letter {letter!r}" if len(letter) == 1 else repr(letter)
                    raise ShapeError(f"{what} is {sizes[letter]} in {first[letter]} and {entry} in {who}")
                sizes[letter] = better(sizes[letter], entry_size(entry))
    return sizes


def _letters_that_fit(
    operands: list[Tensor], terms: list[list[str]], result: list[str], equation: str
) -> str | None:
    """The letters of one operand with two of them the other way round, if no other small change fits.

    Of an operand with two axes of one size it is its own shape that may be wrong, not its letters.
    """
    if any(len(set(tensor.shape)) < len(tensor.shape) for tensor in operands):
        return None
    found = []
    for i, letters in enumerate(terms):
        swapped = [_exchanged(letters, a, b) for a, b in combinations(range(len(letters)), 2)]
        others = dict.fromkeys(x for term in terms for x in term if x not in letters)
        replaced = [
            [*letters[:k], other, *letters[k + 1 :]]
            for k, letter in enumerate(letters)
            for other in others
            if letter != "..."
        ]
        for changed in [*swapped, *replaced]:
            whole = [*terms[:i], changed, *terms[i + 1 :]]
            if _summed_alone(whole, result) <= _summed_alone(terms, result) and _agree(
                operands, whole, equation
            ):
                found.append((changed, _who(operands, i), changed in swapped))
    if len(found) != 1 or not found[0][2]:
        return None
    fitting, who, _ = found[0]
    at = next(i for i, tensor in enumerate(operands) if _who(operands, i) == who)
    if not _equal(operands, [*terms[:at], fitting, *terms[at + 1 :]]):
        return None
    return f"{(' ' if ' ' in equation else '').join(fitting)!r} fits {who}"


def _equal(operands: list[Tensor], terms: list[list[str]]) -> bool:
    """Whether every letter certainly is one size, not only perhaps."""
    sizes: dict[str, Any] = {}
    if any("..." in letters for letters in terms):
        return True
    for tensor, letters in zip(operands, terms, strict=True):
        for letter, entry in zip(letters, tensor.shape, strict=False):
            if sizes.setdefault(letter, entry) != entry and 1 not in (entry, sizes[letter]):
                return False
    return True


def _summed_alone(terms: list[list[str]], result: list[str]) -> int:
    """How many letters are summed over without a partner, which is seldom meant."""
    count = Counter(letter for term in terms for letter in term)
    return sum(n == 1 and letter not in result for letter, n in count.items())


def _agree(operands: list[Tensor], terms: list[list[str]], equation: str) -> bool:
    try:
        _bound(operands, terms, equation)
    except ShapeError:
        return False
    return True


def _exchanged(letters: list[str], a: int, b: int) -> list[str]:
    changed = list(letters)
    changed[a], changed[b] = changed[b], changed[a]
    return changed


def _run(before: Shape | None, entry: Shape, equation: str) -> Shape:
    if before is None:
        return entry
    try:
        return broadcast(before, entry)
    except ShapeError:
        raise ShapeError(f"{equation!r}: '...' is {show(before)} and {show(entry)}") from None


def _align(shape: Shape, letters: list[str], who: str, equation: str) -> list[tuple[str, Any, int]]:
    try:
        return align(shape, letters, who)
    except ShapeError:
        count = len([x for x in letters if x != "..."])
        raise ShapeError(
            f"{equation!r}: {who} has shape {show(shape)}, {axes_text(shape)}, and its letters are "
            f"{count}: {' '.join(letters)}"
        ) from None


def contraction_flops(operands: list[Tensor], terms: list[list[str]], result: list[str]) -> Size:
    """2 FLOPs for each product of two operands; sums over one operand alone are not counted.

    Raises:
        Undecided: not two operands, or nothing is contracted.
    """
    if len(terms) != 2:
        raise Undecided
    sizes = _bound(operands, terms, "einsum")
    shared = {x for x in terms[0] if x in terms[1] and x not in result}
    if not shared or "..." in shared:
        raise Undecided
    kept = [x for x in dict.fromkeys([*terms[0], *terms[1]]) if x in shared or x in result]
    total: Size = 2
    for letter in kept:
        part = sizes[letter]
        total = total * (product(entry_size(e) for e in part) if letter == "..." else part)
    return total


def _letters(text: str) -> list[str]:
    text = text.replace(" ", "")
    before, dots, after = text.partition("...")
    if "." in before or "." in after:
        raise ShapeError(f"{text!r}: an ellipsis is '...', once")
    letters = [*before, *(["..."] if dots else []), *after]
    odd = next((x for x in letters if x != "..." and not (x.isascii() and x.isalpha())), None)
    if odd is not None:
        raise ShapeError(f"{text!r}: {odd!r} is not a letter")
    return letters


_SUBSCRIPTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _spelled(first: Any, rest: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The other form, ``einsum(x, [0, 1], y, [1, 2], [0, 2])``, in letters.

    Raises:
        ShapeError: a subscript is not an integer from 0 to 51, or an ellipsis.
        Undecided: it is not known.
    """
    given = (first, *rest)
    terms = []
    for subscripts in given[1::2] + (given[-1:] if len(given) % 2 else ()):
        if not isinstance(subscripts, (list, tuple)) or not all(s is ... or is_size(s) for s in subscripts):
            raise Undecided
        odd = next((s for s in subscripts if isinstance(s, int) and not 0 <= s < len(_SUBSCRIPTS)), None)
        if odd is not None:
            raise ShapeError(f"{odd} is no subscript: from 0 to {len(_SUBSCRIPTS) - 1}")
        terms.append("".join("..." if s is ... else _SUBSCRIPTS[literal(s)] for s in subscripts))
    count = len(given) // 2
    result = f"->{terms[-1]}" if len(given) % 2 else ""
    return ",".join(terms[:count]) + result, given[: 2 * count : 2]


def _equation(equation: Any, operands: tuple[Any, ...]) -> tuple[list[Tensor], list[list[str]], list[str]]:
    if isinstance(equation, Tensor) and operands:
        equation, operands = _spelled(equation, operands)
    if not isinstance(equation, str):
        raise Undecided
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    left, arrow, right = equation.partition("->")
    terms = [_letters(t) for t in left.split(",")]
    tensors = [need(t) for t in operands]
    if len(terms) != len(tensors):
        raise ShapeError(f"{equation!r} names {len(terms)} operands and {len(tensors)} are given")
    if arrow:
        return tensors, terms, _letters(right)
    count = Counter(x for term in terms for x in term)
    result = sorted(x for x, n in count.items() if n == 1 and x != "...")
    return tensors, terms, (["..."] if "..." in count else []) + result


def _flops(equation: Any, *operands: Any) -> Size:
    return contraction_flops(*_equation(equation, operands))


@rule("torch.einsum", "torch.functional.einsum", flops=_flops, sample=(
    "'bsd,dk->bsk', f:b s d, f:d k | 'bhqd,bhkd->bhqk', f:b h q d, f:b h k d | "
        "'...d,dk->...k', f:... d, f:d k | 'ij->ji', f:i j | "
    "'ii->i', f:a a | 'bij,bjk', f:b i j, f:b j k | 'i,i->', f:a, f:a | "
        "'b s d, k d -> b s k', f:b s d, f:k d | 'ab,bc,cd->ad', f:a b, f:b c, f:c d | "
    "'bd,bd->b', [f:b d, f:b d] | '...ij,...jk->...ik', f:#... i j, f:... j k | "
        "f:i j, [0, 1], f:j k, [1, 2] | f:i j, [2, 1], [1, 2]"))  # fmt: skip
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Letters bind to sizes; a size of 1 broadcasts, as torch has it."""
    tensors, terms, result = _equation(equation, operands)
    return contracted(tensors, terms, result, equation if isinstance(equation, str) else "the subscripts")
