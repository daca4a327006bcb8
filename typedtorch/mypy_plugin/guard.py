"""A hook that fails must not take mypy down with it: the answer is then what mypy would have said alone."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable
from typing import TypeVar

from mypy.options import Options
from mypy.plugin import (
    AttributeContext,
    ClassDefContext,
    FunctionContext,
    MethodContext,
    MethodSigContext,
)
from mypy.types import FunctionLike, Type

from typedtorch.mypy_plugin import messages

_CallT = TypeVar("_CallT", FunctionContext, MethodContext)


class Guard:
    """Wraps hooks; the first failure of each kind is told once, on standard error."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._told: set[str] = set()

    def call(self, hook: Callable[[_CallT], Type]) -> Callable[[_CallT], Type]:
        def guarded(ctx: _CallT) -> Type:
            try:
                return hook(ctx)
            except Exception as error:
                self._tell(error)
                return ctx.default_return_type

        return guarded

    def signature(
        self, hook: Callable[[MethodSigContext], FunctionLike]
    ) -> Callable[[MethodSigContext], FunctionLike]:
        def guarded(ctx: MethodSigContext) -> FunctionLike:
            try:
                return hook(ctx)
            except Exception as error:
                self._tell(error)
                return ctx.default_signature

        return guarded

    def attribute(self, hook: Callable[[AttributeContext], Type]) -> Callable[[AttributeContext], Type]:
        def guarded(ctx: AttributeContext) -> Type:
            try:
                return hook(ctx)
            except Exception as error:
                self._tell(error)
                return ctx.default_attr_type

        return guarded

    def class_(self, hook: Callable[[ClassDefContext], None]) -> Callable[[ClassDefContext], None]:
        @functools.wraps(hook)
        def guarded(ctx: ClassDefContext) -> None:
            try:
                hook(ctx)
            except Exception as error:
                self._tell(error)

        return guarded

    def _tell(self, error: Exception) -> None:
        if self._options.show_traceback:
            traceback.print_exc()
        kind = type(error).__name__
        if kind not in self._told:
            self._told.add(kind)
            print(messages.hook_failed(error), file=sys.stderr)
