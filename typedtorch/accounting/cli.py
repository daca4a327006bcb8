"""The command ``typedtorch account``: what a model costs."""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import sys
import traceback
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from typedtorch.accounting import presets
from typedtorch.accounting.account import account
from typedtorch.accounting.answers import Account
from typedtorch.accounting.checks import above_zero, share
from typedtorch.accounting.devices import find, why_unknown
from typedtorch.accounting.errors import AccountingError, AnnotationError, SymbolError
from typedtorch.accounting.figures import FIGURES
from typedtorch.accounting.napkin import Napkin

_WIDE = 10_000
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
_DESCRIPTION = "Parameters, FLOPs, memory and time of a training step of a model, with nothing allocated."
_EXAMPLE = "example: typedtorch account llama-3-8b --sizes batch=1,seq=8192 --device h100 --optimizer adamw"


def parser() -> argparse.ArgumentParser:
    """The command line's options."""
    made = argparse.ArgumentParser(prog="typedtorch account", description=_DESCRIPTION, epilog=_EXAMPLE)
    made.add_argument(
        "target",
        help="FILE:OBJECT (a module, a class, a function, a constructor) or one of "
        + ", ".join(presets.NAMES),
    )
    made.add_argument(
        "--sizes", default="", metavar="NAME=N,...", help="axis sizes, for example batch=8,seq=1024"
    )
    made.add_argument(
        "--input", action="append", default=[], metavar="SHAPE",
        help="example input for a model without annotations: 8,3,224,224 or 8,128:int64 (one for each input)",
    )  # fmt: skip
    made.add_argument("--device", help="device to predict times for: h100, or its name in torch")
    made.add_argument(
        "--optimizer",
        metavar="NAME",
        help="adamw, sgd, ...; adamw:fused or adamw:foreach for that implementation",
    )
    made.add_argument(
        "--loss", default="sum", metavar="NAME", help="sum, mean, mse or cross_entropy (default: sum)"
    )
    made.add_argument("--autocast", choices=sorted(_DTYPES), help="run the forward under autocast")
    made.add_argument("--dtype", choices=sorted(_DTYPES), help="cast the model's parameters first")
    made.add_argument(
        "--accumulate", type=int, default=1, metavar="N", help="micro-batches per step (default: 1)"
    )
    made.add_argument(
        "--checkpoint", action="append", default=[], metavar="PATH",
        help="module under activation checkpointing: its forward runs again in the backward; can be repeated",
    )  # fmt: skip
    made.add_argument("--tokens", type=float, metavar="N", help="tokens of a whole run, to estimate its days")
    made.add_argument(
        "--devices", type=float, default=1, metavar="N", help="devices of that run (default: 1)"
    )
    made.add_argument(
        "--mfu", type=float, default=0.5, metavar="SHARE", help="utilisation of that run (default: 0.5)"
    )
    made.add_argument(
        "--depth", type=int, default=3, metavar="N", help="levels of the module tree (default: 3)"
    )
    made.add_argument("--no-formulas", action="store_true", help="numbers only, which is faster")
    made.add_argument("--strict", action="store_true", help="fail where an operator has no FLOP formula")
    made.add_argument("--json", action="store_true", help="print JSON instead of the report")
    made.add_argument("--png", type=Path, metavar="DIR", help="write pictures into a folder")
    return made


def parse_sizes(text: str) -> dict[str, int]:
    """``batch=8,seq=1024`` as a mapping.

    Raises:
        AccountingError: an item that is not a name and an integer.

    >>> parse_sizes("batch=8,seq=1024")
    {'batch': 8, 'seq': 1024}
    """
    sizes: dict[str, int] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = item.partition("=")
        if not equals or not name.strip().isidentifier() or not value.strip().lstrip("-").isdigit():
            raise AccountingError(f"--sizes: wanted name=integer, got {item!r}")
        if int(value) != sizes.get(name.strip(), int(value)):
            raise AccountingError(f"--sizes: {name.strip()} is {sizes[name.strip()]} and {int(value)}")
        sizes[name.strip()] = int(value)
    return sizes


def parse_input(text: str) -> torch.Tensor:
    """``8,128:int64`` as a tensor without memory.

    Raises:
        AccountingError: a size that is no positive integer, or an unknown dtype.

    >>> parse_input("8,128:int64").shape, parse_input("8,3").dtype
    (torch.Size([8, 128]), torch.float32)
    """
    shape, _, name = text.partition(":")
    dtype = getattr(torch, name or "float32", None)
    sizes = [part.strip() for part in shape.split(",") if part.strip()]
    if not isinstance(dtype, torch.dtype) or not all(p.isdigit() and int(p) for p in sizes):
        raise AccountingError(f"--input: wanted sizes and a dtype, for example 8,128:int64, got {text!r}")
    return torch.empty([int(p) for p in sizes], dtype=dtype, device="meta")


def load(target: str) -> Any:
    """A preset, or an object of a Python file.

    Raises:
        AccountingError: no such preset, file or object, or the file cannot be imported.
    """
    if target in presets.NAMES:
        return presets.build(target)
    file, colon, name = target.rpartition(":")
    if not colon or not name:
        meant, known = _meant(target, presets.NAMES), ", ".join(presets.NAMES)
        raise AccountingError(
            " ".join(f"{target!r}: {meant} wanted FILE:OBJECT or a preset: {known}".split())
        )
    path = Path(file)
    if not path.is_file():
        raise AccountingError(f"{file!r}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise AccountingError(f"{file!r}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # annotations are looked up there
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except SystemExit:
        raise AccountingError(
            f"{file!r} cannot be imported: it exits; what runs belongs below if __name__ == '__main__'"
        ) from None
    except Exception as error:
        raise AccountingError(f"{file!r} cannot be imported: {_told(error)}") from None
    finally:
        sys.path.remove(str(path.parent))
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            meant = _meant(part, dir(found))
            raise AccountingError(f"{file!r} has no {name!r}" + (f": {meant}" if meant else ""))
        found = getattr(found, part)
    return found


def _meant(name: str, known: Iterable[str]) -> str:
    """A question for a name that is nearly right."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def _told(error: Exception) -> str:
    """What an exception says, and where it was raised."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error}"  # which has the place
    raised = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({raised.filename}, line {raised.lineno})"


def _needed(options: argparse.Namespace) -> None:
    """Refuse at once what cannot be shown at the end.

    Raises:
        AccountingError: a device nobody knows, a number that is out of range, or a package is missing that
            draws or prints.
    """
    if options.device is not None and find(options.device) is None:
        raise AccountingError(why_unknown(options.device))
    share("account", **{"--mfu": options.mfu})
    given = {"--devices": options.devices} | ({} if options.tokens is None else {"--tokens": options.tokens})
    above_zero("account", **given)
    if options.depth < 0:
        raise AccountingError(f"--depth: wanted a number of levels, got {options.depth}")
    if not options.json and importlib.util.find_spec("rich") is None:
        raise AccountingError("the report needs rich: pip install 'typedtorch[train]'; --json needs nothing")
    if options.png is not None and importlib.util.find_spec("matplotlib") is None:
        raise AccountingError("--png needs matplotlib: pip install 'typedtorch[viz]'")


def main(argv: list[str] | None = None) -> int:
    """Run the command; 0 when it answered, 2 when the question was wrong."""
    options = parser().parse_args(argv)
    try:
        _needed(options)
        made = account(
            load(options.target),
            *map(parse_input, options.input),
            sizes=parse_sizes(options.sizes),
            optimizer=options.optimizer,
            loss=options.loss,
            autocast=_DTYPES.get(options.autocast),
            dtype=_DTYPES.get(options.dtype),
            accumulate=options.accumulate,
            checkpoint=tuple(options.checkpoint),
            strict=options.strict,
        )
        _show(made, options)
    except AccountingError as error:
        print(f"typedtorch account: error: {error}{_how(error)}", file=sys.stderr)
        return 2
    return 0


def _how(error: AccountingError) -> str:
    """How to pass example inputs here."""
    return " (--input 8,128 here)" if isinstance(error, AnnotationError) else ""


def _show(made: Account, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(_answer(made, options), indent=1))
    else:
        from rich.console import Console  # noqa: PLC0415 - not needed for --json

        from typedtorch.accounting.report import formulas_only, render  # noqa: PLC0415 - likewise

        # a file or a pipe has no edge: nothing is cut off or folded there
        console = Console(soft_wrap=False, width=None if sys.stdout.isatty() else _WIDE)
        if made.unbound:
            console.print(formulas_only(made))
        else:
            console.print(
                render(made, device=options.device, depth=options.depth, formulas=not options.no_formulas)
            )
            if options.tokens is not None:
                console.print(f"run          {_run(made, options)}", highlight=False)
    if options.png is not None and made.unbound:
        raise AccountingError(f"--png: no pictures without a size for {', '.join(made.unbound)}: see --sizes")
    if options.png is not None:
        from typedtorch.accounting.pictures import write  # noqa: PLC0415 - matplotlib is slow to import

        try:
            written = write(made, options.png, device=options.device)
        except OSError as error:
            raise AccountingError(f"--png {options.png}: {error.strerror or error}") from None
        for path in written:
            print(path, file=sys.stderr)


def _run(made: Account, options: argparse.Namespace) -> Napkin:
    device = options.device or "h100"
    return made.napkin(tokens=options.tokens, devices=options.devices, mfu=options.mfu, device=device)


def _answer(made: Account, options: argparse.Namespace) -> dict[str, Any]:
    if made.unbound:
        names = sorted(FIGURES - {"memory.peak", "memory.peak_activations", "memory.first_peak"})
        return {"missing": made.unbound, "formulas": {name: _formula(made, name) for name in names}}
    answer = made.to_dict()
    if options.device:
        time = made.time(options.device)
        answer["time"] = None if time is None else {
            "device": time.device.name, "seconds": float(time), "ideal": time.ideal,
            "memory_share": time.memory_share,
        }  # fmt: skip
        if time is None:
            answer["why_no_time"] = made.why_no_time(options.device)
    if options.tokens is not None:
        answer["run"] = asdict(_run(made, options))
    if not options.no_formulas:
        answer["formulas"] = {name: _formula(made, name) for name in made.numbers}
    return answer


def _formula(made: Account, name: str) -> str | None:
    """The formula of a figure; None where it is no polynomial."""
    try:
        return str(made.formula(name))
    except SymbolError:
        return None
