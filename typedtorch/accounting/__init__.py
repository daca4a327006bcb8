"""Memory, FLOPs, time and utilisation, from annotated shapes."""

from typedtorch.accounting.account import account
from typedtorch.accounting.devices import Device, find
from typedtorch.accounting.result import Account
from typedtorch.accounting.utilisation import MeasuredPeak, measure_peak, mfu, why_no_peak

__all__ = ["Account", "Device", "MeasuredPeak", "account", "find", "measure_peak", "mfu", "why_no_peak"]
