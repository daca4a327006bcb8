"""What accounting refuses, each with what was wanted, what came, and what to do."""

from __future__ import annotations


class AccountingError(ValueError):
    """The target cannot be accounted for as it was given."""


class SizeError(AccountingError):
    """An axis without a size, with two sizes, or with a size that is not one."""


class AnnotationError(AccountingError):
    """The signature does not say what the inputs are."""


class DataDependentError(AccountingError):
    """A shape depends on values, which accounting does not have."""


class UncountedError(AccountingError):
    """``strict=True`` and an operator has no FLOP formula."""


class SymbolError(AccountingError):
    """A formula could not be derived, although the numbers could."""


class CounterError(SymbolError):
    """An axis counts layers or the turns of a loop: no single trace holds it as a letter."""


class StreamError(SymbolError):
    """The program runs other operators at the labels than at the sizes."""
