"""What a failed check raises: always a ``TypeError``, at most eight lines, never a tensor's values."""

from __future__ import annotations

from typing import Any


class CheckError(TypeError):
    """A value contradicts the annotation it crosses.

    ``function`` is the qualified name, ``where`` the argument (or ``"return"``, ``"yield"``, a field),
    ``axis`` the axis that disagrees where there is one, ``wanted`` and ``got`` the two sides in words.
    """

    def __init__(
        self, message: str, *, function: str = "", where: str = "", axis: str | None = None,
        wanted: str = "", got: str = "",
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.function = function
        self.where = where
        self.axis = axis
        self.wanted = wanted
        self.got = got

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__


class ShapeCheckError(CheckError):
    """The number of axes or the size of one is wrong."""


class DtypeCheckError(CheckError):
    """An array of a wrong dtype."""


class TypeCheckError(CheckError):
    """A value of a wrong Python type."""
