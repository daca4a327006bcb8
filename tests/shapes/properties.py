"""The properties that every row of the rule table must have, as functions that list violations."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from real import Refused, covers, informative, real_outcomes, run_real, run_rule
from sampling import Call, Draw, at, draw_sizes, letters, mutate, split

from typedtorch.shapes import dtypes
from typedtorch.shapes.equality import observing
from typedtorch.shapes.rule import Rule
from typedtorch.shapes.size import integer, unknown
from typedtorch.shapes.tensor import UNKNOWN, Pack, ShapeError, Tensor, Undecided

# What no machine that runs these tests can be relied on to have.
NEEDS = {
    "torch.Tensor.cuda": "a GPU",
    **{f"torch.cuda.{k}Tensor": "a GPU" for k in ("Float", "Double", "Half", "BFloat16", "Bool")},
    **{f"torch.cuda.{k}Tensor": "a GPU" for k in ("Byte", "Char", "Short", "Int", "Long")},
    "torch.Tensor.pin_memory": "a GPU",
    "torch.Tensor.retain_grad": "a graph",
    "torch.Tensor.backward": "a graph",
    "torch.linalg.lstsq": "data of full rank",
    **dict.fromkeys(
        (f"numpy.linalg.{n}" for n in ("inv", "cholesky", "solve", "lstsq")), "data of full rank"
    ),
    **dict.fromkeys(("torch.linalg.lu_solve", "torch.lu_solve", "torch.Tensor.lu_solve"), "pivots in range"),
    "torch.segment_reduce": "lengths that add up",
    **dict.fromkeys(
        (
            *(f"torch.Tensor.{n}" for n in ("coalesce", "indices", "values")),
            *(f"torch.sparse.{n}" for n in ("addmm", "sum", "softmax", "log_softmax")),
            *("torch.sparse_coo_tensor", "torch.sparse_csr_tensor"),
        ),
        "sparse tensors, see test_sparse.py",
    ),
    **dict.fromkeys(
        (
            f"torch.nn.utils.{n}"
            for n in (
                "clip_grad_norm_",
                "get_total_norm",
                "clip_grad_value_",
                "vector_to_parameters",
                "clip_grads_with_norm_",
            )
        ),
        "parameters with gradients",
    ),
    "torch.nn.TransformerEncoder": "a module as an argument",
    **dict.fromkeys(
        (f"numpy.random.{made}" for made in ("default_rng", "Generator", "RandomState")),
        "a method: test_numpy_random.py",
    ),
    "torch.nn.TransformerDecoder": "a module as an argument",
}
# Where torch lets a contradiction through by oversight and the rule does not, in these words.
STRICTER = {
    # fused kernels do not compare key and value
    "torch.nn.functional.scaled_dot_product_attention": "the last but one axis of key",
    # nor does it compare the heads of the value
    "torch.nn.attention.flex_attention.flex_attention": "the number of heads",
}
DEFAULT = {"function": "f:*", "attribute": "n:*", "layer": " -> f:*"}


@dataclass
class Tally:
    """What became of the draws, and the violations."""

    drawn: int = 0
    accepted: int = 0
    answered: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)


def draws(row: Rule, kind: str, count: int, seed: int) -> Iterator[tuple[random.Random, Call]]:
    """Arguments in letters: valid ones and, a third of them, with one fault."""
    specs = split(row.sample or (DEFAULT[kind] if row.signature.parameters else ""), "|")
    for i in range(count):
        rng = random.Random(zlib.crc32(row.name.encode()) + 1000003 * seed + i)
        call = Draw(rng).call(specs[i % len(specs)])
        yield rng, mutate(call, rng) if rng.random() < 0.33 else call


def agrees_with_torch(row: Rule, kind: str, count: int = 24, seed: int = 0) -> Tally:
    """Shape, dtype and refusal as the real operator has them, on random arguments."""
    tally = Tally()
    for rng, template in draws(row, kind, count, seed):
        call = at(template, draw_sizes(letters(template), rng, distinct=False))
        tally.drawn += 1
        try:
            answer: Any = run_rule(row, kind, call)
        except ShapeError as error:
            answer = error
        except Undecided:
            answer = UNKNOWN
        problem = _against_real(row, kind, call, answer, tally)
        if problem is not None:
            tally.problems.append(f"{row.name}{show_call(call)}: {problem}")
    return tally


def _against_real(row: Rule, kind: str, call: Call, answer: Any, tally: Tally) -> str | None:
    outcomes = real_outcomes(row, kind, call)
    results = [o for o in outcomes if not isinstance(o, Refused)]
    if results:
        tally.accepted += 1
    if answer is UNKNOWN:
        return None
    if isinstance(answer, ShapeError):
        tally.refused += 1
        if not results:
            return None
        overlooked = STRICTER.get(row.name, "\n") in answer.message
        if overlooked or _refused_on_cpu(row, kind, call):  # the meta device checks less
            tally.accepted -= 1
            return None
        return f"rule refuses ({answer.message}), torch gives {results[0]}"
    if not results:
        if all(_beside_shapes(str(o)) for o in outcomes):
            return None
        return f"rule says {text(answer)}, torch refuses: {outcomes[-1]}"
    if informative(answer):
        tally.answered += 1
    if any(covers(answer, r) for r in results) or _cpu_differs(row, kind, call, answer):
        return None
    return f"rule says {text(answer)}, torch gives {text(results[0])}"


_BESIDE = (
    "not implemented for", "not supported", "not yet support", "out of range in self", "Could not run",
    "index out of", "out of bounds", "NotImplementedError", "ZeroDivision", "not compiled with",
    "does not support", "unsupported", "Unsupported", "isn't implemented", "not implemented",
    "for argument #2 'targets' (while checking arguments for ctc_loss",  # the sum of the lengths
)  # fmt: skip


def _beside_shapes(message: str) -> bool:
    """A refusal for the values of the sample or for a missing kernel."""
    return any(words in message for words in _BESIDE)


def _cpu_differs(row: Rule, kind: str, call: Call, answer: Any) -> bool:
    """Whether the meta device is wrong about the dtype or shape that really comes out."""
    try:
        return covers(answer, run_real(row, kind, call, "cpu", 1))
    except Refused:
        return False


def _refused_on_cpu(row: Rule, kind: str, call: Call) -> bool:
    for fill in (1, 0):
        try:
            run_real(row, kind, call, "cpu", fill)
        except Refused:
            continue
        return False
    return True


def symbolic_is_concrete(row: Rule, kind: str, count: int = 16, seed: int = 0) -> Tally:
    """The answer in letters, at any sizes, is the answer in numbers; a refusal holds for distinct sizes."""
    tally = Tally()
    for rng, template in draws(row, kind, count, seed + 1):
        tally.drawn += 1
        names = letters(template)
        undecided: list[object] = []
        try:
            with observing(lambda a, b, seen=undecided: seen.append((a, b))):  # type: ignore[misc]  # the default binds it
                answer: Any = run_rule(row, kind, template)
        except ShapeError as error:
            answer = error
        except Undecided:
            continue
        tally.answered += 1
        problem = _refusal_holds(row, kind, template, rng) if isinstance(answer, ShapeError) else None
        for distinct in (True, True, False) if not isinstance(answer, ShapeError) else ():
            sizes = draw_sizes(names, rng, distinct=distinct, generic=True)
            problem = _at_sizes(row, kind, template, answer, sizes, distinct=distinct and not undecided)
            if problem is not None:
                problem = f"at {sizes}: {problem}"
                break
        if problem is not None:
            tally.problems.append(f"{row.name}{show_call(template)}: {problem}")
    return tally


def _refusal_holds(row: Rule, kind: str, template: Call, rng: random.Random) -> str | None:
    """What is refused for names is refused for some sizes; a name claims them all."""
    names = letters(template)
    for attempt in range(24):
        sizes = draw_sizes(names, rng, distinct=True)
        if attempt % 2:
            sizes = dict(zip(sizes, rng.sample(PRIMES, len(sizes)), strict=True))
        try:
            run_rule(row, kind, at(template, sizes))
        except ShapeError:
            return None
        except Undecided:
            continue
    return "refused in letters, but at no sizes"


PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
# Where a named size is taken to be large enough, or to be divided, as the call asks of it.
GENEROUS = {
    f"{space}.{operator}"
    for space in ("torch", "torch.Tensor", "torch.nn", "torch.nn.functional")
    for operator in (
        "narrow", "chunk", "tensor_split", "unsafe_chunk", "unfold", "topk", "group_norm",
        "channel_shuffle", "native_channel_shuffle",
        "ChannelShuffle", "GroupNorm", "pad", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
        "CircularPad1d", "CircularPad2d", "CircularPad3d",
        "fractional_max_pool2d", "fractional_max_pool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
        "scaled_dot_product_attention", "attention.flex_attention.flex_attention",
    )
} | {"numpy.split"}  # fmt: skip


def _at_sizes(
    row: Rule, kind: str, template: Call, answer: Any, sizes: dict[str, int], *, distinct: bool
) -> str | None:
    try:
        concrete: Any = run_rule(row, kind, at(template, sizes))
    except ShapeError as error:
        if not distinct or not fully(answer) or row.name in GENEROUS or not positive(at(answer, sizes)):
            return None
        return f"symbolic {text(answer)}, concrete refuses: {error.message}"
    except Undecided:
        return None
    if row.name in GENEROUS or covers(at(answer, sizes), concrete):
        return None
    return f"symbolic {text(answer)}, concrete {text(concrete)}"


def positive(answer: Any) -> bool:
    """Whether the sizes are large enough that every axis of the answer has an element."""
    if isinstance(answer, Tensor):
        return all(not isinstance(e, int) or e > 0 for e in answer.shape)
    return all(positive(a) for a in answer) if isinstance(answer, (tuple, list)) else True


def fully(answer: Any) -> bool:
    """Only axes in it: nothing unknown, no floor."""
    if isinstance(answer, Tensor):
        return all(
            not isinstance(e, Pack) and (isinstance(e, int) or all(a.kind == "axis" for a in e.atoms()))
            for e in answer.shape
        )
    if isinstance(answer, (tuple, list)):
        return all(fully(a) for a in answer)
    return True


def unknown_is_silent(row: Rule, kind: str, count: int = 16, seed: int = 0) -> Tally:
    """Knowing less never makes an error, and what is then said is still true."""
    tally = Tally()
    for rng, template in draws(row, kind, count, seed + 2):
        call = at(template, draw_sizes(letters(template), rng, distinct=False))
        try:
            concrete = run_rule(row, kind, call)
        except (ShapeError, Undecided):
            continue
        tally.drawn += 1
        vague = blur(call, rng)
        try:
            answer = run_rule(row, kind, vague)
        except ShapeError as error:
            tally.problems.append(
                f"{row.name}{show_call(call)} as {show_call(vague)}: refuses: {error.message}"
            )
            continue
        except Undecided:
            continue
        except (TypeError, AttributeError, ValueError, IndexError, KeyError, ZeroDivisionError):
            continue
        tally.answered += 1
        if not covers(answer, concrete) and row.name not in GENEROUS:
            tally.problems.append(
                f"{row.name}{show_call(call)} as {show_call(vague)}: {text(answer)}, but {text(concrete)}"
            )
    return tally


def blur(value: Any, rng: random.Random) -> Any:
    """The same arguments with parts of them unknown."""
    if isinstance(value, Tensor):
        if rng.random() < 0.4:
            return value
        entries: list[Any] = list(value.shape)
        how = rng.choice(("axis", "axis", "lead", "all", "dtype", "scatter"))
        if how == "lead" and entries:
            entries = [Pack(f"lead{rng.random()}"), *entries[rng.randint(0, len(entries)) :]]
        elif how == "all":
            entries = [rng.choice((Pack("..."), Pack(f"some{rng.random()}")))]
        elif how == "scatter" and entries:
            start = rng.randrange(len(entries))
            entries = [*entries[:start], Pack("..."), *entries[rng.randint(start, len(entries)) :]]
        elif how == "axis" and entries:
            entries[rng.randrange(len(entries))] = unknown()
        wide = rng.choice((value.dtype, dtypes.ANY, value.dtype | dtypes.INT64 | dtypes.FLOAT32))
        return replace(
            value, shape=tuple(entries), dtype=wide if how == "dtype" or rng.random() < 0.2 else value.dtype
        )
    if isinstance(value, Call):
        forward = None if value.forward is None else blur(value.forward, rng)
        return Call(
            [blur(a, rng) for a in value.args], {k: blur(v, rng) for k, v in value.kwargs.items()}, forward
        )
    if isinstance(value, (list, tuple)) and value:
        if rng.random() < 0.05:
            return UNKNOWN
        return type(value)(blur(v, rng) for v in value)
    if rng.random() < 0.12:
        return UNKNOWN
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.15:
        return rng.choice((integer("n"), unknown()))
    return value


def show_call(call: Call) -> str:
    parts = [text(a) for a in call.args] + [f"{k}={text(v)}" for k, v in call.kwargs.items()]
    after = f" -> {show_call(call.forward)}" if call.forward is not None else ""
    return f"({', '.join(parts)}){after}"


def text(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{dtypes.show(value.dtype)}{list(value.shape)}"
    if isinstance(value, ShapeError):
        return f"refusal: {value.message}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(text(v) for v in value)})"
    return str(value)
