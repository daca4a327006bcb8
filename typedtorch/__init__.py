"""typedtorch: shapes written once, as jaxtyping annotations, and used four times.

The layers, each importing only from those above it in this list:

- ``shapes``: sizes, axes, shape rules and the inference engine; standard library only
- ``runtime``, ``mypy_plugin``, ``check``, ``pytest_plugin``: annotations enforced, at run time and statically
- ``functional``, ``losses``, ``optim``, ``data``: pure functions on tensors and batches
- ``nn``, ``accounting``: typed modules; memory, FLOPs and MFU from their annotations
- ``training``: the Trainer that composes them
- ``cli``: the ``typedtorch`` command

Importing this package imports no torch: every name below loads on first use.
"""

import importlib

_LAZY = {
    "typed": "typedtorch.runtime",
    "checking": "typedtorch.runtime",
    "Module": "typedtorch.nn",
    "account": "typedtorch.accounting",
    "mfu": "typedtorch.accounting",
    "train": "typedtorch.training",
    "Trainer": "typedtorch.training",
    "TrainConfig": "typedtorch.training",
}
_SUBPACKAGES = {"accounting", "data", "functional", "losses", "nn", "optim", "runtime", "shapes", "training"}

__version__ = "0.1.0"
__all__ = ["__version__", *sorted(_LAZY), *sorted(_SUBPACKAGES)]  # noqa: PLE0604 - the literal is the table above


def __getattr__(name: str) -> object:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    if name in _SUBPACKAGES:
        return importlib.import_module(f"typedtorch.{name}")
    raise AttributeError(f"module 'typedtorch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
