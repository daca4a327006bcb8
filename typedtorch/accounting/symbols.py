"""The second engine: the program runs on torch's symbolic integers, which carry the axes' names.

Modules are built at prime labels, as for the first engine, because initialisers want numbers
(``nn.Linear`` takes a square root, ``nn.LayerNorm`` wants an integer); then every size and every
integer attribute that an axis explains is replaced by its symbol.  From there on it is torch's own
shape functions that compute with names.  Everything here is private to torch and moves: the first
engine is the one formulas come from, this one is its witness.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from typedtorch.accounting.errors import SymbolError
from typedtorch.shapes.size import Poly, Size, axis, floor_div, product


class Symbols:
    """A shape environment with one symbol per axis, at least 2, and the way from sizes to polynomials."""

    def __init__(self, hints: Mapping[str, int]) -> None:
        from torch._dynamo.source import ConstantSource  # noqa: PLC0415 - slow to import
        from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv  # noqa: PLC0415 - likewise

        self.env = ShapeEnv(duck_shape=False, specialize_zero_one=True)
        self.integers: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._symbols: dict[str, Any] = {}
        for name, hint in hints.items():
            source = ConstantSource(f"axis_{name}")
            symbol = self.env.create_symbol(
                hint, source=source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None
            )
            self.integers[name] = self.env.create_symintnode(symbol, hint=hint, source=source)
            self._names[str(symbol)] = name
            self._symbols[name] = symbol

    def specialised(self) -> tuple[str, ...]:
        """Axes the program asked the number of: it runs for that number only."""
        found = []
        for name, symbol in self._symbols.items():
            seen = self.env.replacements.get(symbol)
            if seen is not None:
                found.append(name)
        return tuple(found)

    def integer(self, size: Size) -> Any:
        """A polynomial as one of torch's integers."""
        if not isinstance(size, Poly):
            return size
        total: Any = 0
        for monomial, coefficient in size.terms:
            term: Any = coefficient
            for atom, power in monomial:
                base = self.integers.get(atom.name)
                if atom.kind == "floor":
                    base = self.integer(atom.operands[0]) // self.integer(atom.operands[1])
                for _ in range(power):
                    term = base * term
            total = term + total
        return total

    def size(self, value: Any) -> Size:
        """One of torch's integers as a polynomial.

        Raises:
            SymbolError: it holds something that is neither a sum, a product nor a quotient of axes.
        """
        if type(value) is int:
            return value
        if isinstance(value, torch.SymInt):
            return self._size(value.node.expr)
        return int(value)

    def _size(self, expression: Any) -> Size:
        kind = type(expression).__name__
        if expression.is_Integer:
            return int(expression)
        if expression.is_Symbol:
            name = self._names.get(str(expression))
            if name is None:
                raise SymbolError(f"a size of unknown origin: {expression}")
            return axis(name)
        parts = [self._size(part) for part in expression.args] if kind != "Pow" else []
        if kind == "Add":
            total: Size = 0
            for part in parts:
                total = total + part
            return total
        if kind == "Mul":
            return product(parts)
        if kind == "Pow" and expression.args[1].is_Integer and int(expression.args[1]) >= 0:
            return self._size(expression.args[0]) ** int(expression.args[1])
        if kind in ("FloorDiv", "CleanDiv"):
            return floor_div(parts[0], parts[1])
        if kind in ("Mod", "PythonMod"):
            return parts[0] - parts[1] * floor_div(parts[0], parts[1])
        if kind == "Max" and any(type(part) is int and part <= 1 for part in parts):
            # a contiguous stride is at least 1: it is the size wherever the tensor has elements
            rest = [part for part in parts if type(part) is not int or part > 1]
            if len(rest) == 1:
                return rest[0]
        raise SymbolError(f"a size that is no polynomial: {expression}")


@contextlib.contextmanager
def renamed(
    module: nn.Module | None,
    twins: Mapping[int, Any],
    decode: Callable[[int, int], Size],
    symbols: Symbols,
) -> Iterator[None]:
    """Integer attributes an axis explains become its symbol; ``twins`` are the modules at other sizes.

    The attributes are put back by whoever replaced the parameters (:func:`program.without_memory`).
    """
    for ours in module.modules() if module is not None else ():
        other = vars(twins[id(ours)])
        for name, value in list(vars(ours).items()):
            changed = _renamed(value, other.get(name), decode, symbols)
            if changed is not value:
                ours.__dict__[name] = changed
    yield


def _renamed(value: Any, other: Any, decode: Callable[[int, int], Size], symbols: Symbols) -> Any:
    if type(value) is int and type(other) is int and value != other:
        return symbols.integer(decode(value, other))
    if isinstance(value, tuple) and isinstance(other, tuple) and len(value) == len(other):
        parts = tuple(_renamed(a, b, decode, symbols) for a, b in zip(value, other, strict=True))
        return parts if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    return value


def symbolic_copy(
    tensor: Shaped[Tensor, "*one"],
    other: Shaped[Tensor, "*other"],
    decode: Callable[[int, int], Size],
    symbols: Symbols,
    device: torch.device,
) -> Shaped[Tensor, "*symbols"]:
    """A tensor without memory whose sizes are symbols; ``other`` is the same tensor at other sizes."""
    shape = [symbols.integer(decode(int(a), int(b))) for a, b in zip(tensor.shape, other.shape, strict=True)]
    empty = torch.empty(shape, dtype=tensor.dtype, device=device)
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty
