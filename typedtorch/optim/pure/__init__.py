"""Update rules as pure functions: a frozen value with ``init`` and ``step``."""

from typedtorch.optim.pure.adam import Adam, AdamW
from typedtorch.optim.pure.base import ParamState, Rule
from typedtorch.optim.pure.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "ParamState", "Rule"]
