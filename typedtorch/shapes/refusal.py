"""What a rule raises where it does not answer, and the value of which nothing is known."""

from __future__ import annotations


class ShapeError(Exception):
    """torch would refuse this call.  The message is for the user: wanted, got, in their words."""

    def __init__(self, message: str, code: str = "shape", hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.code, self.hint = message, code, hint


class Undecided(Exception):
    """The answer depends on something unknown."""


class Unknown:
    """A value nothing is known about.  Any use of it in a rule is :class:`Undecided`."""

    def _undecided(self, *_: object) -> bool:
        raise Undecided

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _undecided

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Undecided

    def _value(self, *_: object) -> Unknown:
        raise Undecided

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _value
    __floordiv__ = __rfloordiv__ = __mod__ = __neg__ = __index__ = _value
    __len__ = __iter__ = __getitem__ = __call__ = _value

    def __repr__(self) -> str:
        return "?"
