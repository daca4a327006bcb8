"""Python's operators on tensors."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules.forms import (
    Function,
)
from typedtorch.shapes.rules.pointwise import PAIR_OR_NUMBER, RULE_OF, inplace_rule
from typedtorch.shapes.tensor import Tensor

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip


def _enter_operators() -> None:
    integral = {"and", "or", "xor", "lshift", "rshift"}
    for operator, of in _OPERATORS.items():
        base = RULE_OF[of]
        n, number = ("i", "1") if operator in integral else ("n", "num")
        pair = f"{n}:#*, {n}:#* | {n}:*, {number}"
        rule(f"torch.Tensor.__{operator}__", sample=pair)(_operator(base))
        rule(f"torch.Tensor.__r{operator}__", sample=f"{n}:*, {number}")(_reflected(base))
        rule(f"torch.Tensor.__i{operator}__", sample=f"{n}:*, {n}:#* | {n}:*, {number}")(
            inplace_rule(base, f"the in-place {of}")
        )
    for operator in ("eq", "ne", "lt", "le", "gt", "ge"):
        rule(f"torch.Tensor.__{operator}__", sample=PAIR_OR_NUMBER)(_operator(RULE_OF[operator]))


def _operator(base: Function) -> Function:
    def operator(self: Any, other: Any) -> Tensor:
        result = base(self, other)
        assert isinstance(result, Tensor)
        return result

    return operator


def _reflected(base: Function) -> Function:
    def reflected(self: Any, other: Any) -> Tensor:
        result = base(other, self)
        assert isinstance(result, Tensor)
        return result

    return reflected


_enter_operators()
