"""Questions for the back of an envelope: how long, on how many devices, how large a model."""

from __future__ import annotations

from dataclasses import dataclass

from typedtorch.accounting.checks import above_zero, counts, share
from typedtorch.accounting.devices import Device, Dtype, find, why_unknown
from typedtorch.accounting.errors import AccountingError

_DAY = 86400.0


@dataclass(frozen=True)
class Napkin:
    """A training run: ``flops`` in all, on ``devices`` for ``days``."""

    flops: float
    devices: float
    days: float
    mfu: float
    device: str

    @property
    def device_hours(self) -> float:
        return self.devices * self.days * 24

    def __str__(self) -> str:
        return (
            f"{self.flops:.3g} FLOPs: {self.days:.1f} days on {self.devices:g} x {self.device} "
            f"at {self.mfu:.0%} MFU ({self.device_hours:,.0f} device hours)"
        )


def known_device(device: Device | str, dtype: Dtype) -> tuple[Device, float]:
    """A device and its peak.

    Raises:
        AccountingError: the device, or its peak for the dtype, is not known.
    """
    found = find(device)
    peak = None if found is None else found.flops(dtype)
    if found is None or peak is None:
        raise AccountingError(why_unknown(device, dtype))
    return found, peak


def napkin(
    *,
    tokens: float,
    parameters: float | None = None,
    flops_per_token: float | None = None,
    device: Device | str = "h100",
    dtype: Dtype = "bf16",
    mfu: float = 0.5,
    devices: float | None = None,
    days: float | None = None,
) -> Napkin:
    """How long a run takes on ``devices``, or how many devices it takes in ``days``.

    FLOPs are ``6 * parameters * tokens`` unless ``flops_per_token`` is given.

    Raises:
        AccountingError: an unknown device, a number that is not positive, a utilisation above one, or not
            exactly one of ``devices`` and ``days``, and of ``parameters`` and ``flops_per_token``.

    A 70B model on 15T tokens with 1024 H100s:

    >>> print(napkin(parameters=70e9, tokens=15e12, device="h100", devices=1024))
    6.3e+24 FLOPs: 143.9 days on 1024 x H100 SXM at 50% MFU (3,537,497 device hours)
    >>> round(napkin(parameters=70e9, tokens=15e12, device="h100", days=30).devices)
    4913
    """
    if (devices is None) == (days is None):
        raise AccountingError("napkin: give devices= to learn the days, or days= to learn the devices")
    if (parameters is None) == (flops_per_token is None):
        raise AccountingError("napkin: give parameters= (for 6ND) or flops_per_token=")
    either = {"parameters": parameters, "flops_per_token": flops_per_token, "devices": devices, "days": days}
    given = {name: value for name, value in either.items() if value is not None}
    above_zero("napkin", tokens=tokens, **given)
    share("napkin", mfu=mfu)
    per_token = flops_per_token if flops_per_token is not None else 6 * (parameters or 0)
    found, peak = known_device(device, dtype)
    total = per_token * tokens
    device_days = total / (peak * mfu * _DAY)
    if devices is not None:
        return Napkin(total, devices, device_days / devices, mfu, found.name)
    assert days is not None
    return Napkin(total, device_days / days, days, mfu, found.name)


def largest_model(
    device: Device | str = "h100",
    *,
    devices: int = 1,
    bytes_per_parameter: float = 16,
    memory: float | None = None,
) -> float:
    """Parameters that fit with their gradients and optimizer state, activations not counted.

    16 bytes per parameter: float32 parameter and gradient and AdamW's two moments.

    Raises:
        AccountingError: an unknown device, or a number that is not positive.

    >>> f"{largest_model('h100', devices=8):.3g}"
    '4.25e+10'
    """
    above_zero("largest_model", bytes_per_parameter=bytes_per_parameter)
    counts("largest_model", devices=devices)
    if memory is None:
        found = find(device)
        if found is None:
            raise AccountingError(why_unknown(device))
        memory = found.memory
    above_zero("largest_model", memory=memory)
    return memory * devices / bytes_per_parameter
