"""Classes of a tree that refer to each other: there are more ways through them than could be followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass
class Constant:
    value: float


@dataclass
class Column:
    index: int


@dataclass
class Add:
    left: Expression
    right: Expression


@dataclass
class Subtract:
    left: Expression
    right: Expression


@dataclass
class Multiply:
    left: Expression
    right: Expression


@dataclass
class Divide:
    left: Expression
    right: Expression


@dataclass
class Power:
    base: Expression
    exponent: Expression


@dataclass
class Minimum:
    left: Expression
    right: Expression


@dataclass
class Maximum:
    left: Expression
    right: Expression


@dataclass
class Negative:
    operand: Expression


@dataclass
class Exponential:
    operand: Expression


@dataclass
class Select:
    test: Expression
    then: Expression
    otherwise: Expression


Expression = Union[
    Constant, Column, Add, Subtract, Multiply, Divide, Power, Minimum, Maximum, Negative, Exponential, Select
]


def evaluate(tree: Expression, table: Float[Tensor, "rows columns"]) -> Float[Tensor, " rows"]:
    match tree:
        case Constant(value):
            return torch.full((len(table),), value)
        case Column(index):
            return table[:, index]
        case Add(left, right):
            return evaluate(left, table) + evaluate(right, table)
        case Subtract(left, right):
            return evaluate(left, table) - evaluate(right, table)
        case Multiply(left, right):
            return evaluate(left, table) * evaluate(right, table)
        case Divide(left, right):
            return evaluate(left, table) / evaluate(right, table)
        case Power(base, exponent):
            return evaluate(base, table) ** evaluate(exponent, table)
        case Minimum(left, right):
            return torch.minimum(evaluate(left, table), evaluate(right, table))
        case Maximum(left, right):
            return torch.maximum(evaluate(left, table), evaluate(right, table))
        case Negative(operand):
            return -evaluate(operand, table)
        case Exponential(operand):
            return evaluate(operand, table).exp()
    return torch.where(
        evaluate(tree.test, table) > 0, evaluate(tree.then, table), evaluate(tree.otherwise, table)
    )


def simplified(tree: Expression) -> Expression:
    """Sums and products of constants are constants."""
    if isinstance(tree, Add):
        left, right = simplified(tree.left), simplified(tree.right)
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(left.value + right.value)
        return Add(left, right)
    if isinstance(tree, Multiply):
        left, right = simplified(tree.left), simplified(tree.right)
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(left.value * right.value)
        return Multiply(left, right)
    if isinstance(tree, Negative):
        return Negative(simplified(tree.operand))
    return tree


# run: tree = Select(Column(0), Add(Column(1), Multiply(Constant(2.0), Constant(3.0))), Negative(Column(2)))
# run: evaluate(simplified(tree), torch.randn(5, 3))
