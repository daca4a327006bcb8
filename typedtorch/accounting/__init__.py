"""Memory, FLOPs, time and utilisation, from annotated shapes.

:func:`account` records a training step on tensors without memory; everything else is read off the
record (:class:`Account`) or stands on its own: :func:`mfu`, :func:`napkin`, :func:`measure_peak`, the
tables of devices (:func:`find`) and dtypes (:mod:`dtypes`), the storage behind a tensor (:mod:`storage`).
"""

from typedtorch.accounting.account import account
from typedtorch.accounting.answers import Account
from typedtorch.accounting.devices import Device, find
from typedtorch.accounting.errors import (
    AccountingError,
    AnnotationError,
    DataDependentError,
    SizeError,
    SymbolError,
    UncountedError,
    UnfollowedError,
)
from typedtorch.accounting.flops import register_formula
from typedtorch.accounting.formula import Formula
from typedtorch.accounting.inference import Cache, decode_step
from typedtorch.accounting.measure import StorageTracker
from typedtorch.accounting.napkin import largest_model, napkin
from typedtorch.accounting.utilisation import MeasuredPeak, measure_peak, mfu, why_no_peak

__all__ = [
    "Account",
    "AccountingError",
    "AnnotationError",
    "Cache",
    "DataDependentError",
    "Device",
    "Formula",
    "MeasuredPeak",
    "SizeError",
    "StorageTracker",
    "SymbolError",
    "UncountedError",
    "UnfollowedError",
    "account",
    "decode_step",
    "find",
    "largest_model",
    "measure_peak",
    "mfu",
    "napkin",
    "register_formula",
    "why_no_peak",
]
