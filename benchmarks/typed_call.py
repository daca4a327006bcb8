"""What a checked call costs: `typed` beside jaxtyping with beartype, in one process.

    python benchmarks/typed_call.py > benchmarks/results/typed_call.txt

Each figure is CPU time per call, the least of many repeats, less that of the undecorated function,
which returns a tensor made beforehand.  Both checkers see the same three tensors in and one out.
"""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor

from typedtorch.runtime import checking, typed

OUT = torch.ones(2, 3, 8)
ARGUMENTS = (torch.ones(2, 3, 4), torch.ones(4, 8), torch.ones(8))
REPEATS, CALLS = 40, 2000


def named(
    x: Float[Tensor, "batch seq d"], w: Float[Tensor, "d k"], b: Float[Tensor, "k"]
) -> Float[Tensor, "batch seq k"]:
    return OUT


def symbolic(
    x: Float[Tensor, "batch seq d"], w: Float[Tensor, "d 2*d"], b: Float[Tensor, "d+d"]
) -> Float[Tensor, "batch seq 2*d"]:
    return OUT


def spread(
    x: Float[Tensor, "*batch d"], w: Float[Tensor, "d k"], b: Float[Tensor, "#k"]
) -> Float[Tensor, "*batch k"]:
    return OUT


def streamed(
    x: Float[Tensor, "batch seq d"], w: Float[Tensor, "d k"], b: Float[Tensor, "k"]
) -> Iterator[Float[Tensor, "batch seq k"]]:
    yield OUT


def listed(
    xs: list[Float[Tensor, "batch seq d"]], w: Float[Tensor, "d k"], b: Float[Tensor, "k"] | None
) -> Float[Tensor, "batch seq k"]:
    return OUT


def microseconds(function: Callable[..., Any], arguments: tuple[Any, ...], calls: int = CALLS) -> float:
    """CPU time of one call: the least over the repeats."""
    function(*arguments)
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(calls):
            function(*arguments)
        best = min(best, time.process_time() - start)
    return 1e6 * best / calls


def eager() -> None:
    """Calls that are checked."""
    print(f"{'':12}{'typed':>10}{'jaxtyping+beartype':>20}{'ratio':>8}{'switched off':>14}   microseconds")
    for function in (named, symbolic, spread, listed):
        arguments: tuple[Any, ...] = ARGUMENTS
        if function is listed:
            arguments = ([ARGUMENTS[0]], *ARGUMENTS[1:])
        bare = microseconds(function, arguments)
        ours = typed(function)
        cost = microseconds(ours, arguments) - bare
        peer = microseconds(jaxtyped(function, typechecker=beartype), arguments, CALLS // 10) - bare
        with checking(False):
            off = microseconds(ours, arguments) - bare
        print(f"{function.__name__:12}{cost:10.2f}{peer:20.1f}{peer / cost:7.0f}x{off:14.2f}")
    add = microseconds(torch.add, (OUT, OUT))
    print(f"(an undecorated call: {bare:.2f}; the sum of two such tensors: {add:.2f})")


def generators() -> None:
    """A generator of one tensor, run to its end; the peer would check its arguments alone."""
    bare, ours = microseconds(_run(streamed), ARGUMENTS), microseconds(_run(typed(streamed)), ARGUMENTS)
    print(f"a generator of one tensor: undecorated {bare:.2f}, decorated {ours:.2f}")


def _run(function: Callable[..., Iterator[Any]]) -> Callable[..., None]:
    def run(*arguments: Any) -> None:
        for _ in function(*arguments):
            pass

    return run


def compiled() -> None:
    """The same function compiled, decorated and not, in turns."""
    best: dict[str, float] = {}
    made = [
        (kind, torch.compile(decorate(layers()), fullgraph=True, backend="aot_eager"))
        for _ in range(3)
        for kind, decorate in (("bare", lambda function: function), ("typed", typed))
    ]
    for _ in range(6):  # in turns, so that a busy machine slows down both
        for kind, function in made:
            best[kind] = min(best.get(kind, float("inf")), microseconds(function, ARGUMENTS, 20))
    bare, decorated = best["bare"], best["typed"]
    change = decorated / bare - 1
    print(f"compiled, 20 layers: undecorated {bare:.0f}, decorated {decorated:.0f} ({change:+.1%})")


def layers() -> Callable[..., Any]:
    """A new function, so that each is compiled by itself."""

    def run(
        x: Float[Tensor, "batch seq d"], w: Float[Tensor, "d k"], b: Float[Tensor, "k"]
    ) -> Float[Tensor, "batch seq d"]:
        for _ in range(20):
            x = torch.nn.functional.linear(x, w.T, b)[..., :4]
        return x

    return run


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, one used")
    print(f"Python {platform.python_version()}, torch {torch.__version__}; CPU time, least of {REPEATS}\n")
    eager()
    generators()
    compiled()


if __name__ == "__main__":
    main()
