"""Which sizes a call needs, which were given, and which the module itself settles."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

from typedtorch.accounting import annotations as an
from typedtorch.accounting.checks import meant
from typedtorch.accounting.errors import AccountingError, SizeError
from typedtorch.accounting.program import Call, record
from typedtorch.accounting.stage import Setup

_CONFIGS = ("config", "cfg", "hparams", "args")
_MOST_TRIALS = 48


def needed(call: Call) -> list[str]:
    """Axis names the inputs need, in order; names that may stand for no axis at all are not needed."""
    optional = {n for p in call.parameters for n in an.variadic_names(p.spec)}
    found = [n for p in call.parameters for n in an.names(p.spec) if n not in optional]
    return list(dict.fromkeys(found))


def check_names(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Every size given must be of an axis that exists.

    Raises:
        SizeError: with the axes there are, the nearest first.
    """
    names = list(dict.fromkeys(known))
    for name in given:
        if name not in names:
            hint = meant(name, names)
            raise SizeError(f"{where} has no axis {name!r}: {hint}its axes are {', '.join(names) or 'none'}")


def from_examples(call: Call) -> dict[str, int]:
    """Axis names bound by example inputs whose parameters are annotated.

    Raises:
        SizeError: two examples give one axis two sizes.
    """
    sizes: dict[str, int] = {}
    for parameter in call.parameters:
        if not isinstance(parameter.declared, an.TensorSpec) or not isinstance(parameter.spec, an.ValueSpec):
            continue
        value = parameter.spec.value
        dims = parameter.declared.axes.dims
        if (
            not isinstance(value, Tensor)
            or parameter.declared.axes.variadic is not None
            or len(dims) != value.dim()
        ):
            continue
        for dim, size in zip(dims, value.shape, strict=True):
            if dim.kind != "named" or dim.broadcastable:
                continue
            if sizes.setdefault(dim.name, int(size)) != size:
                raise SizeError(
                    f"axis {dim.name!r} is {sizes[dim.name]} in one example "
                    f"and {int(size)} in {parameter.name!r}"
                )
    return sizes


def of_module(module: nn.Module | None, names: Iterable[str]) -> dict[str, int]:
    """Sizes a module carries as attributes, in its configuration, or in the shapes of its parameters."""
    found: dict[str, int] = {}
    if module is None:
        return found
    holders: list[Any] = [module, *(getattr(module, c) for c in _CONFIGS if hasattr(module, c))]
    declared = _declared(module)
    for name in names:
        values = [getattr(h, name) for h in holders if isinstance(getattr(h, name, None), int)]
        values = [v for v in values if not isinstance(v, bool)] or [
            declared[n] for n in (name,) if n in declared
        ]
        if values:
            found[name] = int(values[0])
    return found


def _declared(module: nn.Module) -> dict[str, int]:
    """Axes of the module's own annotated parameters: ``weight: Float[Tensor, "d_out d_in"]``."""
    sizes: dict[str, int] = {}
    for name, hint in an.type_hints(type(module)).items() if inspect.isclass(type(module)) else ():
        spec = an.spec_of(hint, name)
        tensor = getattr(module, name, None)
        if not isinstance(spec, an.TensorSpec) or not isinstance(tensor, Tensor):
            continue
        if spec.axes.variadic is None and len(spec.axes.dims) == tensor.dim():
            for dim, size in zip(spec.axes.dims, tensor.shape, strict=True):
                if dim.kind == "named":
                    sizes.setdefault(dim.name, int(size))
    return sizes


def contradictions(given: Mapping[str, Any], own: Mapping[str, int], whose: str) -> None:
    """A size given must be the one of the module, or of the example inputs.

    Raises:
        SizeError: naming the axis and both sizes.
    """
    for name, size in own.items():
        if name in given and given[name] != size:
            raise SizeError(f"axis {name!r} was given as {given[name]}, but {whose} {name}={size}")


def settle(call: Call, sizes: dict[str, Any], setup: Setup, free: Callable[[str], int]) -> dict[str, Any]:
    """Sizes of the remaining axes where the weights leave one choice only, found by trying.

    An axis is settled by the module if exactly one of the sizes its parameters have lets the forward
    run, and none beside it does; an axis that any size suits (a batch), or several do (an image that
    patches need not fill), is not.  ``free`` gives such axes a size for the trial.
    """
    missing = [n for n in needed(call) if n not in sizes]
    if call.module is None or not missing:
        return sizes
    candidates = _candidates(call.module, [s for s in sizes.values() if isinstance(s, int)])
    settled = dict(sizes)
    forward = Setup(phase="inference", dtype=setup.dtype, device=setup.device)
    trial = {n: free(n) for n in missing}
    if _runs(call, {**settled, **trial}, forward):
        return settled
    working = []
    for count in range(1, len(missing) + 1):
        for chosen in itertools.combinations(missing, count):
            for values in itertools.islice(itertools.product(candidates, repeat=count), _MOST_TRIALS):
                attempt = {**settled, **trial, **dict(zip(chosen, values, strict=True))}
                if _runs(call, attempt, forward):
                    working.append(dict(zip(chosen, values, strict=True)))
        if working:
            break
    if len(working) == 1:
        found = working[0]
        beside = ({**found, name: size + step} for name, size in found.items() for step in (1, -1))
        if not any(_runs(call, {**settled, **trial, **other}, forward) for other in beside):
            settled.update(found)
    return settled


def culprit(
    call: Call, sizes: Mapping[str, Any], given: Mapping[str, Any], setup: Setup
) -> tuple[str, int] | None:
    """The one given axis with which a module does not run, and the one size with which it would."""
    if call.module is None or any(n not in sizes for n in needed(call)):
        return None
    forward = Setup(phase="inference", dtype=setup.dtype, device=setup.device)
    found = []
    for name in given:
        others = [s for n, s in sizes.items() if n != name and isinstance(s, int)]
        trials = [c for c in _candidates(call.module, others) if c != sizes[name]]
        found += [(name, c) for c in trials if _runs(call, {**sizes, name: c}, forward)]
    return found[0] if len(found) == 1 else None


def _candidates(module: nn.Module, known: list[int]) -> list[int]:
    """Sizes the parameters have, then these divided by the sizes that are known (``heads*head_dim``).

    The channels that a grouped convolution takes are no size of its weight.
    """
    grouped = [m.in_channels for m in module.modules() if isinstance(m, _ConvNd) and m.groups > 1]
    shapes: list[tuple[int, ...]] = [tuple(grouped[:4])]
    shapes += [tuple(p.shape) for p in itertools.islice(module.parameters(), 64)]
    found = list(dict.fromkeys(int(n) for shape in shapes for n in reversed(shape) if n > 1))[:16]
    parts = [n // k for n in found for k in known if 1 < k < n and n % k == 0]
    return list(dict.fromkeys([*found, *parts]))[:32]


def _runs(call: Call, sizes: Mapping[str, Any], setup: Setup) -> bool:
    try:
        record(call, sizes, setup)
    except AccountingError:
        return False
    return True


def free_size(name: str) -> int:
    """A size no parameter is likely to have, another one for every name."""
    primes = [p for p in range(101, 400) if all(p % q for q in range(2, 20))]
    return primes[sum(map(ord, name)) % len(primes)]
