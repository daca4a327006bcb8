"""Numbers for people: decimal for FLOPs and counts, binary for bytes."""

from __future__ import annotations

_DECIMAL = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def decimal(value: float, unit: str = "") -> str:
    """Three digits and a prefix.

    >>> decimal(40734720000, "FLOP"), decimal(124439808), decimal(0)
    ('40.7 GFLOP', '124 M', '0')
    """
    return _scaled(value, 1000.0, [f"{prefix}{unit}" for prefix in _DECIMAL])


def decimal_scale(value: float) -> tuple[str, float]:
    """A prefix and its power that suit a value.

    >>> decimal_scale(3.2e12)
    ('T', 1000000000000.0)
    """
    step = 0
    while value >= 1000 and step < len(_DECIMAL) - 1:
        value, step = value / 1000, step + 1
    return _DECIMAL[step], 1000.0**step


def binary(value: float) -> str:
    """Bytes with binary prefixes.

    >>> binary(1024**3 * 1.5), binary(100)
    ('1.5 GiB', '100 B')
    """
    return _scaled(value, 1024.0, list(_BINARY))


def seconds(value: float) -> str:
    """A duration.

    >>> seconds(0.00213), seconds(95.0), seconds(200000.0)
    ('2.13 ms', '95 s', '2.31 days')
    """
    if value >= 86400:
        return f"{value / 86400:.3g} days"
    if value >= 3600:
        return f"{value / 3600:.3g} h"
    for scale, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value / 1e-9:.3g} ns"


def _scaled(value: float, base: float, names: list[str]) -> str:
    step = 0
    while abs(value) >= base * 0.9995 and step < len(names) - 1:
        value, step = value / base, step + 1
    digits = f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{digits} {names[step]}".rstrip()
